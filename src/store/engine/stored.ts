// Data as engines hold it: collections by number, keys and values encoded.
import type { Collection } from '../collection.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';

/** JSON text or bytes, depending on the collection. */
export type StoredValue = string | Uint8Array;

/** The number the store assigned to a collection. */
export type CollectionId = number;

export interface KnownCollection {
  readonly id: CollectionId;
  readonly definition: Collection;
}

export interface StoredEntry {
  readonly key: EncodedKey;
  readonly value: StoredValue;
  readonly revision: Revision;
}

/** A lease that is told to others: whether it has expired is judged by the clock of the store. */
export interface StoredHolder extends StoredLease {
  readonly isExpired: boolean;
}

/** A lease as the engine keeps it. */
export interface StoredLease {
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  readonly owner: string;
  readonly token: number;
  readonly expiresAt: number;
}
