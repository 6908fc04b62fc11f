// What a workspace waits for, as it is in the store: what has settled, which calls are to be made, which signals may have come.
import type { Entry, Store } from '../../store/door.ts';
import {
  futureId,
  futureRows,
  mayBeMade,
  outcomeFor,
  workspaceRows,
  type CallRow,
  type FutureRow,
  type WorkspaceRow,
} from '../rows.ts';

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
  return waitingIn(
    store,
    row.id,
    await store.read(
      futureRows,
      waiting.map(({ workspace, number }) => [workspace, number]),
    ),
  );
}

/** The same for futures that were read already. */
export async function waitingIn(
  store: Store,
  workspace: string,
  futures: readonly (Entry<FutureRow> | undefined)[],
): Promise<Waiting> {
  const entries = futures
    .filter((entry) => entry !== undefined)
    .map(({ value, revision }) => ({ value, revision, outcome: outcomeFor(workspace, value) }));
  const open = entries.filter(({ outcome }) => outcome === undefined).map(({ value }) => value);
  return {
    settled: entries
      .toSorted((a, b) => a.revision - b.revision)
      .flatMap(({ value, outcome }) => (outcome === undefined ? [] : [{ ...value, outcome }])),
    calls: await ownCalls(store, workspace, open.filter((future) => future.kind === 'call').filter(mayBeMade)),
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
