// For callers that treat a conflict as an error.
import { StoreConflictError } from './errors.ts';
import type { Revision, Store, Transaction } from './store.ts';

/** Commits one transaction and returns its revision; throws `StoreConflictError` if a check does not hold. */
export async function mustCommit(store: Store, transaction: Transaction): Promise<Revision> {
  const [result] = await store.commit([transaction]);
  if (result?.status === 'committed') return result.revision;
  throw new StoreConflictError(
    `The transaction conflicts with another commit: ${result?.conflict.message ?? 'no result'} Read again and retry.`,
    { ...result?.conflict },
  );
}
