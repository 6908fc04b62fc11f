// Which of the futures a program waits for have settled, and which calls have not been made or not ended.
import type { Store } from '../store/store.ts';
import { futureRows, type FutureReference, type FutureRow } from './rows.ts';

/** Settled futures, in the order in which they settled. */
export async function outcomesOf(store: Store, waiting: readonly FutureReference[]): Promise<readonly FutureRow[]> {
  const entries = await read(store, waiting);
  return entries
    .filter(({ value }) => value.outcome !== undefined)
    .toSorted((a, b) => a.revision - b.revision)
    .map(({ value }) => value);
}

export async function unfinishedCalls(
  store: Store,
  waiting: readonly FutureReference[],
): Promise<readonly FutureRow[]> {
  const entries = await read(store, waiting);
  return entries.map(({ value }) => value).filter(({ kind, outcome }) => kind === 'call' && outcome === undefined);
}

async function read(
  store: Store,
  waiting: readonly FutureReference[],
): Promise<readonly { value: FutureRow; revision: number }[]> {
  if (waiting.length === 0) return [];
  const entries = await store.read(
    futureRows,
    waiting.map(({ workspace, number }) => [workspace, number]),
  );
  return entries.filter((entry) => entry !== undefined);
}
