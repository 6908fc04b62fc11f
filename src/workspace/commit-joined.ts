// Commits a slice together with what a layer above adds to it. What was added is worked out anew when somebody else was
// faster there; the slice itself stands, because nothing it depends on has changed.
import type { CommitResult, Lease } from '../store/store.ts';
import type { PreparedSlice, SliceChange } from './commit-slice.ts';
import type { KitContext } from './context.ts';
import { withWrites } from './extension.ts';
import type { Loaded } from './loaded.ts';

const maxTries = 10;

export async function commitJoined(
  { store, extension }: KitContext,
  { transaction, prepared, row, step }: PreparedSlice,
  { handles }: Loaded,
  { kind, owner, futures, lines, called = { calls: [], more: 0 } }: SliceChange,
  lease: Lease,
): Promise<{ readonly result: CommitResult; readonly leaves: boolean }> {
  for (let tries = 1; ; tries++) {
    const also = await extension.join({
      workspace: row.id,
      token: lease.token,
      commit: prepared.hash,
      step,
      kind,
      owner,
      futures,
      lines,
      called,
      state: row.state,
      handles,
      nextFuture: row.nextFuture,
    });
    const [result] = await store.commit([
      also === undefined
        ? transaction
        : {
            ...transaction,
            checks: [...(transaction.checks ?? []), ...also.checks],
            writes: withWrites(transaction.writes ?? [], also.writes),
          },
    ]);
    if (result === undefined) throw new Error('A commit without a result.');
    const isTheirs = result.status === 'conflict' && extension.joinedCollections.has(result.conflict.collection);
    if (!isTheirs || also === undefined || tries >= maxTries) return { result, leaves: also?.leaves === true };
  }
}
