// What a store decided, as data: applied to its contents in memory, and written by engines that keep a journal before it is applied.
import type { Collection } from '../collection.ts';
import type { CollectionId, StoredLease, StoredValue } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';

export interface WrittenChange {
  readonly kind: 'put' | 'remove' | 'released';
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  /** Of a put. */
  readonly value: StoredValue | undefined;
}

/** One committed transaction with what it wrote. */
export interface CommittedRow {
  readonly revision: Revision;
  readonly changes: readonly WrittenChange[];
}

export interface ReleasedLease {
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  readonly token: number;
}

export type StoreChange =
  /** The collection gets the next number. */
  | { readonly kind: 'declared'; readonly definition: Collection }
  | {
      readonly kind: 'committed';
      readonly rows: readonly CommittedRow[];
      readonly released: readonly ReleasedLease[];
    }
  /** Claimed or renewed. */
  | { readonly kind: 'leased'; readonly leases: readonly StoredLease[] }
  | { readonly kind: 'pruned'; readonly horizon: Revision };

/** What was decided, and what the caller is told once it holds. */
export interface Decision<Result> {
  readonly changes: readonly StoreChange[];
  readonly result: Result;
}

/** Carries out decisions one after another, each on the contents that those before it left. */
export interface Changer {
  /** Calls `decide` on the latest contents, maybe again if another process was first; resolves when its changes hold. */
  change<Result>(decide: () => Decision<Result>): Promise<Result>;
}
