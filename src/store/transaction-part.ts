// A part of a transaction: checks and writes contributed by one module and merged with those of others. This is the only
// way in which layers take part in each other's commits.
import type { Check, CommitResult, Conflict, Lease, Revision, Store, Transaction, Write } from './store.ts';

export interface TransactionPart {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
}

/** No checks and no writes. */
export const emptyPart: TransactionPart = { checks: [], writes: [] };

/** Merges parts into one. If several write the same key, the last write wins. */
export function mergeParts(...parts: readonly (Partial<TransactionPart> | undefined)[]): TransactionPart {
  const checks = parts.flatMap((part) => part?.checks ?? []);
  const writes = parts.flatMap((part) => part?.writes ?? []);
  return { checks, writes: lastWrites(writes) };
}

function lastWrites(writes: readonly Write[]): readonly Write[] {
  const byKey = new Map(writes.map((write) => [`${write.collection.name} ${JSON.stringify(write.key)}`, write]));
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

/** Commits parts in one transaction, under a lease if one is given. */
export async function commitParts(
  store: Store,
  parts: readonly (Partial<TransactionPart> | undefined)[],
  lease?: Lease,
): Promise<CommitResult> {
  const part = mergeParts(...parts);
  const transaction: Transaction = lease === undefined ? part : { ...part, leases: [{ lease, afterwards: 'keep' }] };
  const [result] = await store.commit([transaction]);
  if (result === undefined) throw new Error('The store returned no result for a transaction.');
  return result;
}

/**
 * Plans and commits, and retries on conflict. `plan` must read its inputs again on each try; if it returns undefined,
 * there is nothing to do. After `tries` conflicts, throws the error that `giveUp` returns.
 */
export async function commitWithRetry(
  store: Store,
  tries: number,
  plan: () => Promise<TransactionPart | undefined> | TransactionPart | undefined,
  giveUp: (conflict: Conflict) => Error,
): Promise<Revision | undefined> {
  for (let tried = 1; ; tried++) {
    const part = await plan();
    if (part === undefined) return undefined;
    const result = await commitParts(store, [part]);
    if (result.status === 'committed') return result.revision;
    if (tried >= tries) throw giveUp(result.conflict);
  }
}
