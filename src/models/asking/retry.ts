// Sends a request again when that may help: backing off, waiting as long as the provider asks, and never for ever.
import type { Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Sleep } from '../backend.ts';
import { ModelError } from '../errors.ts';

/** How often a failed request is made again, and with which pauses. */
export interface RetryOptions {
  /** Requests sent at most, the first included. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; doubled before each one after it, less a random part of up to half. */
  readonly firstDelay?: number;
  /** The longest of these delays, in milliseconds. */
  readonly longestDelay?: number;
  /** The longest wait a provider may ask for, in milliseconds. If it asks for more, the error is thrown at once. */
  readonly longestRetryAfter?: number;
  /** Milliseconds after which no further attempt begins. */
  readonly total?: number;
}

/** How often requests are made again by default. */
export const defaultRetry: Required<RetryOptions> = {
  attempts: 5,
  firstDelay: 500,
  longestDelay: 30_000,
  longestRetryAfter: 60_000,
  total: 300_000,
};

export interface RetryTools {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

export function retryOptions(given: RetryOptions): Required<RetryOptions> {
  refuseUnknownOptions('retry', given, defaultRetry);
  const options = { ...defaultRetry, ...given };
  wholeNumberOption('retry', 'attempts', options.attempts, 1, 100);
  for (const name of ['firstDelay', 'longestDelay', 'longestRetryAfter', 'total'] as const) {
    wholeNumberOption('retry', name, options[name], 0, 86_400_000);
  }
  return options;
}

/** Calls `send` until it succeeds. `onRetry` is told before each further attempt. */
export async function retry<Result>(
  send: (attempt: number) => Promise<Result>,
  options: Required<RetryOptions>,
  tools: RetryTools,
  signal: AbortSignal | undefined,
  onRetry: (error: ModelError) => void,
): Promise<Result> {
  const start = tools.clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const delay = delayAfter(error, attempt, options, tools.random);
      const late = delay === undefined || tools.clock.now() + delay - start > options.total;
      if (late || attempt >= options.attempts) throw withAttempts(error, attempt);
      await tools.sleep(delay, signal);
      onRetry(error);
    }
  }
}

function delayAfter(
  error: ModelError,
  attempt: number,
  options: Required<RetryOptions>,
  random: () => number,
): number | undefined {
  if (!error.retryable) return undefined;
  const backoff = Math.min(options.firstDelay * 2 ** (attempt - 1), options.longestDelay);
  const own = Math.round(backoff * (1 - random() / 2));
  const asked = error.details.retryAfter;
  if (asked === undefined) return own;
  // Everybody who was refused is told the same moment: a little later is better than all at once.
  return asked > options.longestRetryAfter ? undefined : asked + Math.round(own / 4);
}

/** The same error, knowing how often it was tried. */
function withAttempts(error: ModelError, attempts: number): ModelError {
  Object.assign(error, { details: { ...error.details, attempts } });
  if (attempts > 1) error.message += ` (${attempts} attempts)`;
  return error;
}
