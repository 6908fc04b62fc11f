// How the contents of a store leave it and enter another one: a snapshot is read page by page while others write, and loading puts
// its items, revisions included, into an empty store. Leases are left out: nobody holds them in the other store.
import type { Collection } from '../collection.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';
import type { LogRow } from './log.ts';
import type { CollectionId, KnownCollection, StoredEntry } from './stored.ts';

/** A superseded entry: it was current from its revision to just before `until`. */
export interface StoredVersion extends StoredEntry {
  readonly until: Revision;
}

/** One row of a snapshot. */
export type SnapshotItem =
  | { readonly kind: 'entry'; readonly collection: CollectionId; readonly entry: StoredEntry }
  | { readonly kind: 'version'; readonly collection: CollectionId; readonly version: StoredVersion }
  | { readonly kind: 'logged'; readonly row: LogRow }
  /** Only in what changed since a revision. */
  | { readonly kind: 'removed'; readonly collection: CollectionId; readonly key: EncodedKey };

/** What holds for the whole store. */
export interface SnapshotState {
  readonly revision: Revision;
  readonly horizon: Revision;
  /** The fencing token of the latest claim. */
  readonly token: number;
}

/** Everything as it was at one revision. Pages are of a bounded size; an empty one is the end. */
export interface Snapshot {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
  /** The number of entries, superseded entries and log rows, for showing progress. */
  count(): Promise<number>;
  log(after: Revision): Promise<readonly LogRow[]>;
  entries(collection: CollectionId, after: EncodedKey | undefined): Promise<readonly StoredEntry[]>;
  versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): Promise<readonly StoredVersion[]>;
  /** The entries of these keys that exist, in any order. */
  read(collection: CollectionId, keys: readonly EncodedKey[]): Promise<readonly StoredEntry[]>;
  /** The superseded entries of these keys that were replaced by these revisions, in any order. */
  readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): Promise<readonly StoredVersion[]>;
  /** The rows that were left out so far, because they are damaged. */
  damaged(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** How a snapshot is read. */
export interface SnapshotOptions {
  /** Damaged entries are left out and named; otherwise they are an error. */
  readonly skipDamaged: boolean;
}

/** Fills an empty store. Nothing of it is visible before `finish` has returned, and `abandon` leaves the store empty. */
export interface Loading {
  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]>;
  /** Applies items in order. Log rows come in the order of their revisions. */
  add(items: readonly SnapshotItem[]): Promise<void>;
  finish(state: SnapshotState): Promise<void>;
  abandon(): Promise<void>;
}
