// How much one caller may do: so many requests a second, and so many streams at once. A caller who asks for too much waits; others
// do not notice.
import type { Caller } from '../access/rights.ts';
import { RequestError } from './problem.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers that are remembered at once; one that was idle for a second has a full bucket anyway. */
const maxBuckets = 10_000;

export class Rates {
  readonly #perSecond: number;
  readonly #maxStreams: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #streams = new Map<string, number>();

  constructor({ requestsPerSecond, maxStreams }: { requestsPerSecond: number; maxStreams: number }) {
    this.#perSecond = requestsPerSecond;
    this.#maxStreams = maxStreams;
  }

  /** Counts a request. @param now in milliseconds */
  request({ name: caller, limits }: Caller, now: number): void {
    const perSecond = limits?.requestsPerSecond ?? this.#perSecond;
    const burst = 2 * perSecond;
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (!this.#buckets.has(caller)) this.#add(caller, bucket);
    if (bucket.tokens < 1)
      throw new RequestError(429, 'TOO_MANY_REQUESTS', `More than ${perSecond} requests per second. Slow down.`);
    bucket.tokens--;
  }

  /** Counts a stream until the function it returns is called. */
  stream({ name: caller, limits }: Caller): () => void {
    const maxStreams = limits?.maxStreams ?? this.#maxStreams;
    const open = this.#streams.get(caller) ?? 0;
    if (open >= maxStreams)
      throw new RequestError(429, 'TOO_MANY_STREAMS', `${maxStreams} streams are open. Close one first.`);
    this.#streams.set(caller, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#streams.get(caller) ?? 1) - 1;
      if (left === 0) this.#streams.delete(caller);
      else this.#streams.set(caller, left);
    };
  }

  #add(caller: string, bucket: Bucket): void {
    if (this.#buckets.size >= maxBuckets) this.#buckets.clear();
    this.#buckets.set(caller, bucket);
  }
}
