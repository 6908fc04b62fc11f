// What an engine supplies. `EngineStore` puts the public contract of store.ts on top of it, once for all engines:
// argument checks, key and value encoding, group commit and the change feed. An engine only sees encoded data.
import type { Collection } from '../collection.ts';
import type { EncodedKey } from '../key.ts';
import type { LogRow } from './log.ts';
import type { Outcome, PlainTransaction } from './plan.ts';
import type { Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport, VolatileMessages } from '../store.ts';
import type { CollectionId, StoredEntry, StoredLease } from './stored.ts';

export interface KnownCollection {
  readonly id: CollectionId;
  readonly definition: Collection;
}

export interface EngineScan {
  readonly bounds: Bounds;
  readonly reverse: boolean;
  readonly limit: number;
  /** A page ends once its values have this many bytes. */
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
  /** Its lease had run out. */
  readonly takenOver: boolean;
}

type Awaitable<T> = T | Promise<T>;

/** Reads; an engine whose reads never return promises sets `features.synchronousReads`. */
export interface EngineReads {
  revision(): Awaitable<Revision>;
  read(
    collection: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): Awaitable<readonly (StoredEntry | undefined)[]>;
  scan(collection: KnownCollection, scan: EngineScan): Awaitable<EnginePage>;
}

/** Reads that stop the thread until they are answered. */
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
  /** For an engine whose reads do return promises, and that can be asked from another thread. */
  readonly blocking?: BlockingEngineReads | undefined;
  /** An engine that has it sets `features.volatileMessages`. Its listeners end with `close`. */
  readonly volatile?: VolatileMessages | undefined;
  /** Registers collections, creating what does not exist yet; idempotent, safe when several processes do it at once. */
  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]>;
  /** The collections other processes may have declared since, so that their changes can be named. */
  collections(): Promise<readonly KnownCollection[]>;
  /** Validates and writes the transactions in order, as one durable write. Never called again before it has settled. */
  commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]>;
  /**
   * Log rows after a revision, in order. Throws `StoreRevisionGoneError` below the horizon. `until` (an engine whose reads
   * never return promises has it, others are not asked): no later ones.
   */
  readLog(after: Revision, limit: number, until?: Revision): Awaitable<readonly LogRow[]>;
  /** Calls `wake` soon after anybody commits. Waking too often is harmless; missing one costs a slow poll's time. */
  onWake(wake: () => void): () => void;
  claim(collection: KnownCollection, claim: EngineClaim): Promise<readonly EngineClaimed[]>;
  /** The new expiry of each lease, or undefined where it is lost. */
  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]>;
  release(leases: readonly StoredLease[]): Promise<void>;
  holders(collection: KnownCollection, bounds: Bounds): Awaitable<readonly StoredLease[]>;
  /** For engines that several processes use. Undefined if this one cannot have a session. */
  openSession?(options: EngineSessionOptions): Promise<EngineSession | undefined>;
  /** Owners of leases whose sessions have ended without closing. */
  goneOwners?(collection: KnownCollection): Awaitable<readonly string[]>;
  /** Lets leases of these owners run out now. They count as taken over by whoever claims next. */
  expire?(collection: KnownCollection, owners: readonly string[]): Promise<void>;
  prune(before: Revision): Promise<Revision>;
  verify(): Promise<VerifyReport>;
  close(): Promise<void>;
}
