// Removing a workspace with everything that was kept of it. May be interrupted and done again: its own row goes last.
import { HistoryUnknownChainError } from '../../history/door.ts';
import { mustCommit, scanAll, StoreConflictError, type Collection, type Lease, type Store } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { NotFoundError, WorkspaceStateError } from '../errors.ts';
import { withdrawal } from '../futures/registration.ts';
import { largeTextRows } from '../large-texts.ts';
import {
  consoleRows,
  futureId,
  futureRows,
  heldRows,
  isOpen,
  readyRows,
  runRows,
  stepRows,
  waitersOf,
  workspaceRows,
  type FutureRow,
  type WorkspaceRow,
} from '../rows.ts';

const atOnce = 500;

/** Removes a workspace that nobody is running: whoever calls this holds its lease. */
export async function removeWorkspace(context: WorkspaceContext, id: string, lease: Lease): Promise<void> {
  const { store } = context;
  const [entry] = await store.read(workspaceRows, [[id]]);
  if (entry === undefined) throw new NotFoundError(`There is no workspace '${id}'.`, { id });
  const waiting = entry.value.state.waiting.filter(({ workspace }) => workspace === id);
  const futures = await store.read(
    futureRows,
    waiting.map(({ number }) => [id, number]),
  );
  for (const future of futures) if (future !== undefined) refuseNeeded(id, future.value);
  await removeContents(context, id);
  await removeAll(store, largeTextRows, id);
  const [result] = await store.commit([
    {
      checks: [{ kind: 'revision', collection: workspaceRows, key: [id], revision: entry.revision }],
      leases: [{ lease, afterwards: 'release' }],
      writes: [workspaceRows, readyRows, heldRows].map((collection) => ({ kind: 'remove', collection, key: [id] })),
    },
  ]);
  if (result?.status !== 'committed')
    throw new StoreConflictError(`The workspace '${id}' is being changed by others; try again.`, { id });
  await mustCommit(store, { writes: [{ kind: 'remove', collection: runRows, key: [id] }] });
}

/** Removes a workspace whose owner is over: nobody runs it any more, and its owner's own row keeps its name taken. */
export async function removeOwned(context: WorkspaceContext, id: string): Promise<void> {
  await removeContents(context, id);
  await mustCommit(context.store, {
    writes: [workspaceRows, runRows, readyRows].map((collection) => ({ kind: 'remove', collection, key: [id] })),
  });
}

/** A fork that would wait for ever if the futures of a workspace were removed, and for what. */
export async function waitingFork(
  store: Store,
  id: string,
): Promise<{ readonly fork: string; readonly label: string } | undefined> {
  for await (const { value } of scanAll(store, futureRows, { prefix: [id] })) {
    const fork = await forkThatWaits(store, value);
    if (fork !== undefined) return { fork, label: value.label };
  }
  return undefined;
}

/** A fork whose program waits for a future. */
export async function forkThatWaits(store: Store, future: FutureRow): Promise<string | undefined> {
  const forks = waitersOf(future).filter((waiter) => waiter !== future.workspace);
  if (forks.length === 0) return undefined;
  const rows = await store.read(
    workspaceRows,
    forks.map((fork) => [fork]),
  );
  const waits = ({ state }: WorkspaceRow): boolean => state.waiting.some((one) => futureId(one) === futureId(future));
  return rows.find((row) => row !== undefined && waits(row.value))?.value.id;
}

/** What a workspace consists of, apart from its own row. A process that died over it may have come further than the first. */
async function removeContents({ store, history }: WorkspaceContext, id: string): Promise<void> {
  await history.remove(id).catch((error: unknown) => {
    if (!(error instanceof HistoryUnknownChainError)) throw error;
  });
  for await (const { key, value } of scanAll(store, futureRows, { prefix: [id] })) {
    // Timers, signals and people must not look for it any more.
    const writes = isOpen(value) ? withdrawal(value) : [];
    if (writes.length > 0)
      await mustCommit(store, { writes: [...writes, { kind: 'remove', collection: futureRows, key }] });
  }
  for (const collection of [stepRows, futureRows, consoleRows]) await removeAll(store, collection, id);
}

/** Removes all rows whose key begins with this id. */
export async function removeAll(store: Store, collection: Collection, id: string): Promise<void> {
  for (;;) {
    const { entries } = await store.scan(collection, { prefix: [id] }, { limit: atOnce });
    if (entries.length === 0) return;
    await mustCommit(store, { writes: entries.map(({ key }) => ({ kind: 'remove', collection, key })) });
  }
}

/** A call under way would have nobody to tell its outcome to, and a fork would wait for ever. */
function refuseNeeded(id: string, future: FutureRow): void {
  const { label, sharedWith } = future;
  if (!isOpen(future)) return;
  if (future.kind === 'call' && future.approval !== 'needed')
    throw new WorkspaceStateError(
      `The workspace '${id}' has a call under way: ${label}. Delete it when the call has ended.`,
      { id },
    );
  if (sharedWith.length > 0)
    throw new WorkspaceStateError(
      `A fork of the workspace '${id}' waits for the same as it does: ${label}. Delete the fork first, or let it end.`,
      { id },
    );
}
