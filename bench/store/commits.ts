// Commits one by one and in groups.
import type { Store } from '../../src/index.ts';
import { milliseconds, percentile, progress } from '../support/measurement.ts';
import { smallStep } from './workload.ts';

/** Commits `count` transactions one after another, doing `beside` between them; the time of each commit. */
export async function oneByOne(
  store: Store,
  count: number,
  beside: () => unknown = () => undefined,
): Promise<number[]> {
  const samples: number[] = [];
  for (let number = 0; number < count; number++) {
    samples.push(await milliseconds(() => store.commit([smallStep('single', number)])));
    await beside();
  }
  return samples;
}

/** Transactions per second with `inFlight` callers, each waiting for its commit before the next one. */
export async function concurrently(store: Store, count: number, inFlight: number): Promise<number> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await store.commit([smallStep(`group${inFlight}`, next++)]);
  };
  const time = await milliseconds(() => Promise.all(Array.from({ length: inFlight }, caller)));
  return count / (time / 1000);
}

export interface CommitFigures {
  readonly single: { readonly p50: number; readonly p99: number; readonly perSecond: number };
  readonly groupedPerSecond: number;
}

export async function measureCommits(
  name: string,
  store: Store,
  counts: { single: number; grouped: number; inFlight: number },
  beside?: () => unknown,
): Promise<CommitFigures> {
  // Groups first: afterwards the write-ahead log has its full size and is used again, as in a store that has been in use.
  progress(`${name}: commits in groups`);
  await concurrently(store, Math.ceil(counts.grouped / 4), counts.inFlight);
  const groupedPerSecond = await concurrently(store, counts.grouped, counts.inFlight);
  progress(`${name}: commits one by one`);
  await oneByOne(store, Math.ceil(counts.single / 4));
  const samples = await oneByOne(store, counts.single, beside);
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  return {
    single: { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99), perSecond: 1000 / mean },
    groupedPerSecond,
  };
}
