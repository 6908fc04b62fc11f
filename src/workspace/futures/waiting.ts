// What a workspace waits for, as it is in the store: what has settled, which calls are to be made, which signals may have come.
import type { Store } from '../../store/door.ts';
import { mayBeMade } from './calls.ts';
import { futureId, futureRows, workspaceRows, type CallRow, type FutureRow, type WorkspaceRow } from '../rows.ts';

export interface Waiting {
  /** Settled futures, in the order in which they settled. */
  readonly settled: readonly FutureRow[];
  /** Calls a workspace has to see to: its own, and those it shares with a workspace that no longer waits for them. */
  readonly calls: readonly CallRow[];
  /** Waits for signals. */
  readonly signals: readonly FutureRow[];
}

export async function waitingFor(store: Store, row: WorkspaceRow): Promise<Waiting> {
  const { waiting } = row.state;
  if (waiting.length === 0) return { settled: [], calls: [], signals: [] };
  const read = await store.read(
    futureRows,
    waiting.map(({ workspace, number }) => [workspace, number]),
  );
  const entries = read.filter((entry) => entry !== undefined);
  const open = entries.map(({ value }) => value).filter(({ outcome }) => outcome === undefined);
  return {
    settled: entries
      .filter(({ value }) => value.outcome !== undefined)
      .toSorted((a, b) => a.revision - b.revision)
      .map(({ value }) => value),
    calls: await ownCalls(store, row.id, open.filter((future) => future.kind === 'call').filter(mayBeMade)),
    signals: open.filter(({ kind }) => kind === 'signal'),
  };
}

async function ownCalls(store: Store, id: string, calls: readonly CallRow[]): Promise<readonly CallRow[]> {
  const others = [...new Set(calls.map(({ workspace }) => workspace))].filter((workspace) => workspace !== id);
  if (others.length === 0) return calls;
  const owners = await store.read(
    workspaceRows,
    others.map((owner) => [owner]),
  );
  const seenTo = new Set(owners.flatMap((owner) => owner?.value.state.waiting.map(futureId) ?? []));
  return calls.filter((call) => call.workspace === id || !seenTo.has(futureId(call)));
}
