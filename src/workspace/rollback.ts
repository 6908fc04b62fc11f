// Going back: the program becomes what it was at an older commit. Effects are not undone and not repeated: what was
// pending then and has an outcome settles with it, and what is pending only now is cancelled.
import { StoreConflictError } from '../store/errors.ts';
import type { Lease, Write } from '../store/store.ts';
import type { KitContext } from './context.ts';
import type { Loaded } from './loaded.ts';
import {
  futureId,
  futureRows,
  readyRows,
  stepRows,
  workspaceRows,
  type CommitMetadata,
  type WorkspaceRow,
} from './rows.ts';

export async function rollBack(
  { store, history, clock }: KitContext,
  { row, revision }: Loaded,
  lease: Lease,
  hash: string,
): Promise<void> {
  const commit = await history.find(row.id, hash);
  const target = (commit.metadata as unknown as CommitMetadata).state;
  const last = target.console.at(-1);
  const state =
    last === undefined ? target : { ...target, console: [...target.console.slice(0, -1), { ...last, closed: true }] };
  const metadata: CommitMetadata = { kind: 'rolledBack', step: state.current, lines: 0, state };
  const prepared = await history.rollback(row.id, hash, metadata as never);
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
  const kept = new Set(state.waiting.map(futureId));
  for (const reference of row.state.waiting) {
    if (kept.has(futureId(reference))) continue;
    const [future] = await store.read(futureRows, [[reference.workspace, reference.number]]);
    if (
      future === undefined ||
      future.value.outcome !== undefined ||
      future.value.sharedWith.length > 0 ||
      reference.workspace !== row.id
    )
      continue;
    writes.push({
      kind: 'put',
      collection: futureRows,
      key: future.key,
      value: { ...future.value, state: 'cancelled' },
    });
  }
  const [result] = await store.commit([
    {
      checks: [...prepared.checks, { kind: 'revision', collection: workspaceRows, key: [row.id], revision }],
      leases: [{ lease, afterwards: 'keep' }],
      writes,
    },
  ]);
  if (result?.status !== 'committed')
    throw new StoreConflictError(
      `The workspace '${row.id}' could not be rolled back: ${result?.conflict.message ?? ''} Try again.`,
      { workspace: row.id },
    );
}
