// A measurement that never ends measures nothing: if nothing is committed for a while, work stands still, and that is a
// fault to be seen and not waited for.
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../src/index.ts';

const quietMilliseconds = 60_000;

export async function whileItMoves<Result>(store: Store, action: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  try {
    const watched = standstill(store, over.signal);
    // It ends with an error in any case: with that of a standstill, or when it is called off.
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
      throw new Error(`Nothing was committed for ${quietMilliseconds / 1000} s: work stands still.`);
  }
}
