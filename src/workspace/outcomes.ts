// Which of the futures a program waits for have settled, and which calls have not been made or not ended.
import type { Store } from '../store/store.ts';
import { mayBeMade } from './calls.ts';
import {
  futureId,
  futureRows,
  workspaceRows,
  type FutureReference,
  type FutureRow,
  type WorkspaceRow,
} from './rows.ts';

/** Settled futures, in the order in which they settled. */
export async function outcomesOf(store: Store, waiting: readonly FutureReference[]): Promise<readonly FutureRow[]> {
  const entries = await read(store, waiting);
  return entries
    .filter(({ value }) => value.outcome !== undefined)
    .toSorted((a, b) => a.revision - b.revision)
    .map(({ value }) => value);
}

/** Calls a workspace has to see to: its own, and those it shares with a workspace that no longer waits for them. */
export async function unfinishedCalls(store: Store, { id, state }: WorkspaceRow): Promise<readonly FutureRow[]> {
  const entries = await read(store, state.waiting);
  const calls = entries
    .map(({ value }) => value)
    .filter((future) => future.kind === 'call' && future.outcome === undefined && mayBeMade(future));
  const others = [...new Set(calls.map(({ workspace }) => workspace))].filter((workspace) => workspace !== id);
  if (others.length === 0) return calls;
  const owners = await store.read(
    workspaceRows,
    others.map((owner) => [owner]),
  );
  const seenTo = new Set(owners.flatMap((owner) => owner?.value.state.waiting.map(futureId) ?? []));
  return calls.filter((call) => call.workspace === id || !seenTo.has(futureId(call)));
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
