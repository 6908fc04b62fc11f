// The interface of an engine. `EngineStore` implements the contract of store.ts on top of it, once for all engines:
// argument checks, key and value encoding, group commit and the change feed. An engine sees only encoded data.
import type { Collection } from '../collection.ts';
import type { EncodedKey } from '../key.ts';
import type { LogRow } from './log.ts';
import type { Outcome, PlainTransaction } from './plan.ts';
import type { Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport, VolatileMessages } from '../store.ts';
import type { Loading, Snapshot, SnapshotOptions } from './snapshot.ts';
import type { KnownCollection, StoredEntry, StoredHolder, StoredLease } from './stored.ts';

export type { KnownCollection } from './stored.ts';

export interface EngineScan {
  readonly bounds: Bounds;
  readonly reverse: boolean;
  readonly limit: number;
  /** A page ends when its values reach this size. */
  readonly maxBytes: number;
  readonly at: Revision | undefined;
}

export interface EnginePage {
  readonly entries: readonly StoredEntry[];
  /** The page ended before the range did. */
  readonly more: boolean;
  readonly revision: Revision;
}

export interface EngineClaim {
  readonly bounds: Bounds;
  readonly owner: string;
  readonly limit: number;
  readonly leaseMilliseconds: number;
}

export interface EngineClaimed {
  readonly entry: StoredEntry;
  readonly lease: StoredLease;
  /** The previous lease had expired instead of being released. */
  readonly takenOver: boolean;
}

type Awaitable<T> = T | Promise<T>;

/** An engine whose reads never return promises sets `features.synchronousReads`. */
export interface EngineReads {
  revision(): Awaitable<Revision>;
  read(
    collection: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): Awaitable<readonly (StoredEntry | undefined)[]>;
  scan(collection: KnownCollection, scan: EngineScan): Awaitable<EnginePage>;
}

/** Reads that block the thread until the answer arrives. */
export interface BlockingEngineReads {
  read(
    collection: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[];
  scan(collection: KnownCollection, scan: EngineScan): EnginePage;
  close(): Promise<void>;
}

export interface EngineSessionOptions {
  readonly name: string;
  readonly leaseMilliseconds: number;
  readonly patienceMilliseconds: number;
  lost(lease: StoredLease): void;
  ended(): void;
}

export interface EngineSession {
  readonly owner: string;
  keep(lease: StoredLease): void;
  drop(lease: StoredLease): void;
  allow(milliseconds: number): void;
  close(): Promise<void>;
}

export interface Engine extends EngineReads {
  readonly features: StoreFeatures;
  /** For an engine with asynchronous reads that can also be used from another thread. */
  readonly blocking?: BlockingEngineReads | undefined;
  /** Sets `features.volatileMessages`. `close` removes its listeners. */
  readonly volatile?: VolatileMessages | undefined;
  /** Registers collections and creates missing ones; idempotent, and safe for several processes at once. */
  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]>;
  /** All collections, including those other processes have declared, so that their changes can be named. */
  collections(): Promise<readonly KnownCollection[]>;
  /** Validates and writes the transactions in order, as one durable write. Calls never overlap. */
  commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]>;
  /**
   * Log rows after a revision, in order. Throws `StoreRevisionGoneError` below the horizon. `until` is the last
   * revision to return; only engines with synchronous reads get it.
   */
  readLog(after: Revision, limit: number, until?: Revision): Awaitable<readonly LogRow[]>;
  /**
   * Calls `wake` soon after any process commits, with the log rows if it was this one and they are at hand. Extra calls are
   * harmless; a missed one delays followers until their poll.
   */
  onWake(wake: (rows?: readonly LogRow[]) => void): () => void;
  claim(collection: KnownCollection, claim: EngineClaim): Promise<readonly EngineClaimed[]>;
  /** The new expiry of each lease, or undefined where it is lost. */
  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]>;
  release(leases: readonly StoredLease[]): Promise<void>;
  holders(collection: KnownCollection, bounds: Bounds): Awaitable<readonly StoredHolder[]>;
  /** For engines shared between processes. Returns undefined if this store cannot have a session. */
  openSession?(options: EngineSessionOptions): Promise<EngineSession | undefined>;
  /** Lease owners whose sessions ended without being closed. */
  deadOwners?(collection: KnownCollection): Awaitable<readonly string[]>;
  /** Expires the leases of these owners now. The next claims count as taken over. */
  expire?(collection: KnownCollection, owners: readonly string[]): Promise<void>;
  prune(before: Revision): Promise<Revision>;
  verify(): Promise<VerifyReport>;
  /** Everything at the latest revision, to be read while others write. */
  snapshot?(options: SnapshotOptions): Promise<Snapshot>;
  /** Begins to fill this store. Throws `StoreNotEmptyError` if it has a revision. */
  load?(): Promise<Loading>;
  /** Gives unused space of its files back to the disk, in small steps. Returns how many bytes. */
  shrink?(): Promise<number>;
  /** The bytes that the store takes on its disk or in its server; undefined if nothing is stored. */
  size?(): Awaitable<number | undefined>;
  close(): Promise<void>;
}
