// Retries failed requests where that may help, with exponential backoff or the delay the provider asks for.
import type { Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Sleep } from '../backend.ts';
import { ModelError } from '../errors.ts';

/** How often a failed request is made again, and with which pauses. */
export interface RetryOptions {
  /** Maximum number of requests, including the first (default: 5). */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; doubles with each further one, minus a random part of up to half. */
  readonly firstDelay?: number;
  /** Maximum of these delays, in milliseconds. */
  readonly maxDelay?: number;
  /** Maximum wait a provider may ask for, in milliseconds. If it asks for more, the error is thrown immediately. */
  readonly maxRetryAfter?: number;
  /** Milliseconds after which no further attempt starts. */
  readonly total?: number;
}

/** How often requests are made again by default. */
export const defaultRetry: Required<RetryOptions> = {
  attempts: 5,
  firstDelay: 500,
  maxDelay: 30_000,
  maxRetryAfter: 60_000,
  total: 300_000,
};

export interface RetryTools {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** A number from 0 to 1 (exclusive). */
  readonly random: () => number;
}

export function retryOptions(given: RetryOptions): Required<RetryOptions> {
  refuseUnknownOptions('retry', given, defaultRetry);
  const options = { ...defaultRetry, ...given };
  wholeNumberOption('retry', 'attempts', options.attempts, 1, 100);
  for (const name of ['firstDelay', 'maxDelay', 'maxRetryAfter', 'total'] as const) {
    wholeNumberOption('retry', name, options[name], 0, 86_400_000);
  }
  return options;
}

/** Calls `send` until it succeeds or retrying does not help. Calls `onRetry` before each further attempt. */
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
  const backoff = Math.min(options.firstDelay * 2 ** (attempt - 1), options.maxDelay);
  const own = Math.round(backoff * (1 - random() / 2));
  const asked = error.details.retryAfter;
  if (asked === undefined) return own;
  // Adds jitter, because all rejected clients are told to retry at the same moment.
  return asked > options.maxRetryAfter ? undefined : asked + Math.round(own / 4);
}

/** The same error with the number of attempts. */
function withAttempts(error: ModelError, attempts: number): ModelError {
  Object.assign(error, { details: { ...error.details, attempts } });
  if (attempts > 1) error.message += ` (${attempts} attempts)`;
  return error;
}
