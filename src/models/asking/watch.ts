// Watches a request and aborts it if the model is silent or slow for too long, or its reply is too large.
import type { Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Sleep } from '../backend.ts';
import { ModelAbortedError, ModelReplyTooLargeError, ModelTimeoutError, type ModelError } from '../errors.ts';

/** How long a reply may take, and how large it may be. */
export interface ReplyLimits {
  /** Maximum milliseconds without a byte. */
  readonly silence?: number;
  /** Maximum milliseconds for a whole reply. */
  readonly duration?: number;
  /** Maximum bytes of a reply, as sent by the provider. */
  readonly replyBytes?: number;
}

/** The limits of a reply by default. */
export const defaultReplyLimits: Required<ReplyLimits> = {
  silence: 180_000,
  duration: 1_800_000,
  replyBytes: 64 * 2 ** 20,
};

export function replyLimits(given: ReplyLimits): Required<ReplyLimits> {
  refuseUnknownOptions('limits', given, defaultReplyLimits);
  const limits = { ...defaultReplyLimits, ...given };
  // Node's own fetch gives up after five minutes of silence.
  wholeNumberOption('limits', 'silence', limits.silence, 1, 300_000);
  wholeNumberOption('limits', 'duration', limits.duration, 1, 86_400_000);
  wholeNumberOption('limits', 'replyBytes', limits.replyBytes, 1, 2 ** 40);
  return limits;
}

export interface WatchOptions {
  readonly limits: Required<ReplyLimits>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined;
}

const watches = new WeakMap<AbortSignal, Watch>();

/** The watch of a request, found by the signal the request was given. */
export function watchOf(signal: AbortSignal | null | undefined): Watch | undefined {
  return signal === null || signal === undefined ? undefined : watches.get(signal);
}

export class Watch {
  /** Why the watch aborted the request, if it did. */
  failure: ModelError | undefined;
  readonly #options: WatchOptions;
  readonly #request = new AbortController();
  readonly #over = new AbortController();
  readonly #start: number;
  #last: number;
  #bytes = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#start = options.clock.now();
    this.#last = this.#start;
    watches.set(this.signal, this);
    options.signal?.addEventListener('abort', this.#aborted, { once: true });
    if (options.signal?.aborted === true) this.#aborted();
    else void this.#wait();
  }

  /** The signal for the request. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Records received bytes. */
  received(bytes: number): void {
    this.#last = this.#options.clock.now();
    this.#bytes += bytes;
    const maxBytes = this.#options.limits.replyBytes;
    if (this.#bytes > maxBytes)
      this.#fail(
        new ModelReplyTooLargeError(
          `The reply is larger than ${maxBytes} bytes. Raise limits.replyBytes if that is expected.`,
          { maxBytes },
        ),
      );
  }

  /** Runs `work`; rejects as soon as the watch aborts it, even if `work` ignores its signal. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const ended = new Promise<never>((_, reject) => {
      const end = (): void => reject(this.failure ?? (this.signal.reason as Error));
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end, { once: true });
    });
    ended.catch(() => undefined);
    try {
      return await (this.signal.aborted ? ended : Promise.race([work(), ended]));
    } catch (error) {
      throw this.failure ?? error;
    } finally {
      this.#over.abort();
      this.#options.signal?.removeEventListener('abort', this.#aborted);
    }
  }

  async #wait(): Promise<void> {
    const { limits, clock, sleep } = this.#options;
    try {
      for (;;) {
        const now = clock.now();
        const silent = now - this.#last;
        const duration = now - this.#start;
        if (silent >= limits.silence) return this.#fail(tooSlow('sent nothing for', limits.silence));
        if (duration >= limits.duration) return this.#fail(tooSlow('did not finish within', limits.duration));
        await sleep(Math.min(limits.silence - silent, limits.duration - duration), this.#over.signal);
      }
    } catch (error) {
      if (!this.#over.signal.aborted) this.#request.abort(error);
    }
  }

  readonly #aborted = (): void => {
    this.#fail(new ModelAbortedError('The request was aborted.', {}, this.#options.signal?.reason));
  };

  #fail(failure: ModelError): void {
    if (this.failure !== undefined || this.#over.signal.aborted) return;
    this.failure = failure;
    this.#request.abort(failure);
  }
}

function tooSlow(what: string, milliseconds: number): ModelTimeoutError {
  return new ModelTimeoutError(`The model ${what} ${milliseconds / 1000} seconds.`, { milliseconds });
}
