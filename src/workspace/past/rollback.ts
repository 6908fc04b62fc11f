// Going back: the program becomes what it was at an older commit. Effects are not undone and not repeated: what was
// pending then and has an outcome settles with it, and what is pending only now is cancelled.
import type { Lease, Write } from '../../store/door.ts';
import { cancellations } from '../futures/cancel.ts';
import { StaleWorkspace } from '../slices/retries.ts';
import type { WorkspaceContext } from '../context.ts';
import type { Loaded } from '../slices/loaded.ts';
import { metadataOf, readyRows, stepRows, workspaceRows, type CommitMetadata, type WorkspaceRow } from '../rows.ts';
import { without } from '../slices/undo.ts';

export async function rollBack(
  context: WorkspaceContext,
  { row, revision }: Loaded,
  lease: Lease,
  hash: string,
): Promise<void> {
  const { store, history, clock } = context;
  const commit = await history.find(row.id, hash);
  const target = metadataOf(commit).state;
  const last = target.console.at(-1);
  const state =
    last === undefined ? target : { ...target, console: [...target.console.slice(0, -1), { ...last, closed: true }] };
  const metadata: CommitMetadata = { kind: 'rolledBack', step: state.current, lines: 0, state };
  const prepared = await history.rollback(row.id, hash, metadata);
  const after: WorkspaceRow = { ...row, state };
  const writes: Write[] = [
    ...prepared.writes,
    { kind: 'put', collection: workspaceRows, key: [row.id], value: after },
    { kind: 'put', collection: readyRows, key: [row.id], value: { since: clock.now() } },
  ];
  if (state.current !== row.state.current) {
    for (const [number, status] of [
      [row.state.current, 'failed'],
      [state.current, 'suspended'],
    ] as const) {
      if (number === null) continue;
      const [step] = await store.read(stepRows, [[row.id, number]]);
      if (step === undefined) continue;
      const { value: _value, error: _error, ...rest } = step.value;
      const error = {
        name: 'CancelledError',
        message: `The workspace was rolled back to commit ${hash.slice(0, 12)}.`,
        code: 'CANCELLED',
      };
      writes.push({
        kind: 'put',
        collection: stepRows,
        key: [row.id, number],
        value: { ...rest, status, ...(status === 'failed' ? { error } : {}) },
      });
    }
  }
  const also = await context.owners.goBack({
    workspace: row.id,
    commit: hash,
    current: state.current,
    nextFuture: row.nextFuture,
  });
  const cancelled = await cancellations(
    context,
    row.id,
    without(row.state.waiting, state.waiting),
    `the workspace was rolled back to commit ${hash.slice(0, 12)}.`,
  );
  writes.push(...cancelled.writes, ...also.writes);
  const [result] = await store.commit([
    {
      checks: [
        ...prepared.checks,
        { kind: 'revision', collection: workspaceRows, key: [row.id], revision: revision ?? 0 },
        ...cancelled.checks,
        ...also.checks,
      ],
      leases: [{ lease, afterwards: 'keep' }],
      writes,
    },
  ]);
  if (result?.status !== 'committed') throw new StaleWorkspace(result?.conflict);
}
