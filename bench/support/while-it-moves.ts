// Aborts a measurement that makes no progress: if nothing is committed for a while, something is stuck.
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../src/index.ts';

const quietMilliseconds = 60_000;

export async function whileItMoves<Result>(store: Store, action: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  try {
    const watched = standstill(store, over.signal);
    // Always ends with an error: of a standstill, or of the abort.
    watched.catch(() => undefined);
    return await Promise.race([action(), watched]);
  } finally {
    over.abort();
  }
}

/** Rejects when nothing was committed for too long. */
async function standstill(store: Store, signal: AbortSignal): Promise<never> {
  let last = await store.revision();
  let since = performance.now();
  for (;;) {
    await setTimeout(1000, undefined, { signal });
    const revision = await store.revision();
    if (revision !== last) since = performance.now();
    last = revision;
    if (performance.now() - since > quietMilliseconds)
      throw new Error(`Nothing was committed for ${quietMilliseconds / 1000} s: the benchmark is stuck.`);
  }
}
