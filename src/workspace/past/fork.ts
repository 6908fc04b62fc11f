// Forking: a new workspace that begins at a commit of another one. It shares the history before it and the futures that
// were pending then; no call is made a second time.
import { randomUUID } from 'node:crypto';
import { StoreConflictError, type TransactionPart, type Write } from '../../store/door.ts';
import { StaleWorkspace } from '../slices/retries.ts';
import type { WorkspaceContext } from '../context.ts';
import { refuseName } from '../variables/new-workspace.ts';
import type { GoingBack } from '../owners.ts';
import type { Loaded } from '../slices/loaded.ts';
import {
  futureRows,
  metadataOf,
  readyRows,
  runRows,
  stepRows,
  workspaceRows,
  type CommitMetadata,
  type WorkspaceRow,
} from '../rows.ts';

export async function forkWorkspace(
  { store, history, clock }: WorkspaceContext,
  { row }: Loaded,
  hash: string,
  id = `${row.id}-${randomUUID().slice(0, 8)}`,
  joined?: (fork: GoingBack) => Promise<TransactionPart>,
): Promise<string> {
  refuseName(id);
  const commit = await history.find(row.id, hash);
  const { state } = metadataOf(commit);
  const metadata: CommitMetadata = { kind: 'forked', step: state.current, lines: 0, state: closed(state) };
  const prepared = await history.fork(row.id, hash, id, metadata);
  const forked: WorkspaceRow = {
    ...row,
    id,
    created: clock.now(),
    state: closed(state),
    forkedFrom: { workspace: row.id, commit: hash },
  };
  const also = await joined?.({ workspace: id, commit: hash, current: state.current, nextFuture: row.nextFuture });
  const writes: Write[] = [
    ...prepared.writes,
    ...(also?.writes ?? []),
    { kind: 'put', collection: workspaceRows, key: [id], value: forked },
    { kind: 'put', collection: runRows, key: [id], value: { workspace: id } },
    { kind: 'put', collection: readyRows, key: [id], value: { since: clock.now() } },
  ];
  if (state.current !== null) {
    const [step] = await store.read(stepRows, [[row.id, state.current]]);
    if (step !== undefined)
      writes.push({
        kind: 'put',
        collection: stepRows,
        key: [id, state.current],
        value: { ...step.value, status: 'suspended' },
      });
  }
  const waited = await store.read(
    futureRows,
    state.waiting.map(({ workspace, number }) => [workspace, number]),
  );
  for (const entry of waited) {
    if (entry !== undefined)
      writes.push({
        kind: 'put',
        collection: futureRows,
        key: entry.key,
        value: { ...entry.value, sharedWith: [...entry.value.sharedWith, id] },
      });
  }
  const checks = [
    ...prepared.checks,
    ...(also?.checks ?? []),
    { kind: 'absent' as const, collection: workspaceRows, key: [id] },
    ...waited
      .filter((entry) => entry !== undefined)
      .map(({ key, revision }) => ({ kind: 'revision' as const, collection: futureRows, key, revision })),
  ];
  const [result] = await store.commit([{ checks, writes }]);
  if (result?.status === 'committed') return id;
  // A future that was shared has changed meanwhile.
  if (result?.conflict.kind === 'revision') throw new StaleWorkspace(result.conflict);
  throw new StoreConflictError(
    `The workspace '${id}' could not be forked: ${result?.conflict.message ?? ''} Choose another name.`,
    { workspace: id },
  );
}

/** What the original prints from now on does not belong to the fork. */
function closed(state: CommitMetadata['state']): CommitMetadata['state'] {
  const last = state.console.at(-1);
  return last === undefined ? state : { ...state, console: [...state.console.slice(0, -1), { ...last, closed: true }] };
}
