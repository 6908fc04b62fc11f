// The contract of the store. All layers above depend on this file alone, and every engine (memory, sqlite, postgres,
// redis) passes the same conformance suite.
//
// A store holds named collections. A collection is an ordered map from keys (tuples) to JSON records or bytes.
// All changes go through `commit`. Each committed transaction gets the next *revision*, which counts 1, 2, 3 … without gaps
// across the whole store, and every entry has the revision that wrote it.
//
//     const meetings = recordCollection<Meeting>('meetings');
//     const store = await openStore('./data');
//     await store.declare(meetings);
//     const [result] = await store.commit([
//       {
//         checks: [{ kind: 'absent', collection: meetings, key: ['monday', 9] }],
//         writes: [{ kind: 'put', collection: meetings, key: ['monday', 9], value: { title: 'Planning' } }],
//       },
//     ]);
//     // result.status is 'committed' (durable now) or 'conflict' (nothing was written)
import type { Collection, ValueOf, WorkCollection } from './collection.ts';
import type { Key } from './key.ts';
import type { Range } from './range.ts';

/** The number of a committed transaction. 0 is the empty store. */
export type Revision = number;

/** A key with its value and the revision that wrote it. The value is a copy. */
export interface Entry<Value> {
  readonly key: Key;
  readonly value: Value;
  readonly revision: Revision;
}

/** Options of a read. */
export interface ReadOptions {
  /** Reads as of this revision. Requires a collection that keeps versions, and a revision not before the horizon. */
  readonly at?: Revision | undefined;
}

/** Options of a scan: order, size and position of a page. */
export interface ScanOptions extends ReadOptions {
  /** From the last key to the first. */
  readonly reverse?: boolean | undefined;
  /** Maximum number of entries (default: 1,000; at most 10,000). A page also ends when it exceeds 16 MiB. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * One page of a scan: a consistent snapshot of the collection at `revision`. Several pages are consistent with each other
 * if the collection keeps versions and each page is read `at` the revision of the first.
 */
export interface Page<Value> {
  readonly entries: readonly Entry<Value>[];
  /** For the next call; undefined on the last page. */
  readonly cursor: string | undefined;
  readonly revision: Revision;
}

/**
 * A precondition of a transaction. Together the three kinds make transactions serializable: check each key that was read,
 * each key that was found absent, and each range that was scanned.
 */
export type Check =
  | { readonly kind: 'revision'; readonly collection: Collection; readonly key: Key; readonly revision: Revision }
  | { readonly kind: 'absent'; readonly collection: Collection; readonly key: Key }
  | { readonly kind: 'unchanged'; readonly collection: Collection; readonly range: Range; readonly since: Revision };

/** A change of one entry. */
export type Write =
  | { readonly kind: 'put'; readonly collection: Collection; readonly key: Key; readonly value: unknown }
  | { readonly kind: 'remove'; readonly collection: Collection; readonly key: Key };

/** The transaction requires this lease; the same commit keeps or releases it. */
export interface LeaseCheck {
  readonly lease: Lease;
  readonly afterwards: 'keep' | 'release';
}

/** Atomic: all writes happen if all checks hold, otherwise none. */
export interface Transaction {
  readonly checks?: readonly Check[];
  readonly leases?: readonly LeaseCheck[];
  /** A transaction may write each key only once. */
  readonly writes?: readonly Write[];
}

/** The outcome of a transaction: committed, or a conflict because a check failed. */
export type CommitResult =
  | { readonly status: 'committed'; readonly revision: Revision }
  | { readonly status: 'conflict'; readonly conflict: Conflict };

/** The first check that failed. */
export interface Conflict {
  readonly kind: 'revision' | 'absent' | 'unchanged' | 'lease';
  readonly collection: string;
  /** The key that the check is about; undefined for ranges. */
  readonly key?: Key | undefined;
  /** What was expected and what was found, as text. */
  readonly message: string;
}

/** The changes of one transaction in the followed collections and range. */
export interface ChangeSet {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

/** `released`: the item is unchanged and can be claimed again. */
export interface Change {
  readonly kind: 'put' | 'remove' | 'released';
  readonly collection: string;
  readonly key: Key;
}

/** Selects the changes to follow. */
export interface FollowOptions {
  /** Only these collections; default: all. */
  readonly collections?: readonly Collection[] | undefined;
  /** Only keys in this range. */
  readonly range?: Range | undefined;
  /** Changes after this revision; default: from now on. */
  readonly since?: Revision | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The exclusive right to work on an item until it expires. An expired lease stays valid until the item is claimed again:
 * `token` is a fencing token that grows with every claim, and only the latest is valid.
 */
export interface Lease {
  readonly collection: string;
  readonly key: Key;
  readonly owner: string;
  readonly token: number;
  /** By the store's clock, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A lease that somebody holds, as it is told to others. */
export interface HeldLease extends Lease {
  /** By the store's clock: the item can be claimed by others. */
  readonly isExpired: boolean;
}

/** A claimed item and its lease. */
export interface Claimed<Value> {
  readonly entry: Entry<Value>;
  readonly lease: Lease;
  /** The previous lease expired instead of being released: its owner was stopped, disconnected, or died. */
  readonly takenOver: boolean;
}

/** Options of a claim: owner, number of items, and duration of the leases. */
export interface ClaimOptions {
  readonly owner: string;
  /** Maximum number of items. */
  readonly limit: number;
  readonly leaseMilliseconds: number;
  /** Only items in this range. */
  readonly range?: Range | undefined;
}

/** `lost`: the item was removed or claimed by another owner. Until then even an expired lease can be renewed. */
export type RenewResult =
  | { readonly status: 'renewed'; readonly lease: Lease }
  | { readonly status: 'lost'; readonly lease: Lease };

/** Options of a session. */
export interface SessionOptions {
  /** Shown as the owner of leases. */
  readonly name: string;
  readonly leaseMilliseconds: number;
  /** How long leases are renewed while the caller's thread does not reach its event loop. */
  readonly patienceMilliseconds: number;
  /** Called when another process has claimed an item whose lease was kept, or the item was removed. */
  lost(lease: Lease): void;
  /** Called when the session ended by itself; its leases are no longer renewed. */
  ended(): void;
}

/**
 * A working process. Its leases are renewed on a separate thread, so that they do not expire during long-running code.
 * Other processes notice when it dies, and need not wait for its leases to expire.
 */
export interface StoreSession {
  /** The owner to claim with. */
  readonly owner: string;
  /** Renews a lease until it is dropped or lost. */
  keep(lease: Lease): void;
  drop(lease: Lease): void;
  /** Announces that the caller's thread may be busy for longer than `patienceMilliseconds`. */
  allow(milliseconds: number): void;
  close(): Promise<void>;
}

/** Selects the changes to read. */
export interface ChangesOptions {
  /** Changes after this revision. */
  readonly since: Revision;
  /** The last revision to include (default: the latest). */
  readonly until?: Revision | undefined;
  /** Maximum number of transactions to read. */
  readonly limit: number;
}

/** Changes up to a revision, in commit order. */
export interface Changes {
  readonly sets: readonly ChangeSet[];
  /** The last revision read: `until`, or an earlier one if `limit` was reached. */
  readonly revision: Revision;
}

/** Synchronous reads. They see everything committed so far, by any process. */
export interface SynchronousReads {
  revision(): Revision;
  read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): readonly (Entry<ValueOf<C>> | undefined)[];
  scan<C extends Collection>(collection: C, range: Range, options?: ScanOptions): Page<ValueOf<C>>;
  /** Like `follow`, synchronously. Throws `StoreRevisionGoneError` below the horizon. */
  changes(collections: readonly Collection[], options: ChangesOptions): Changes;
}

/** Reads that block the thread until they are answered. */
export type BlockingReads = Pick<SynchronousReads, 'read' | 'scan'>;

/**
 * Messages to current listeners, in this process or others that have the store open; they are neither stored nor in the
 * change feed. A message reaches each listener at most once, and may be lost. Messages that one store publishes on one
 * channel arrive in order. They are not part of a transaction: a message may arrive before or after a commit made at the same time.
 *
 * @example
 * import { openStore } from 'statek';
 *
 * const store = await openStore('memory:');
 * const stop = store.volatile?.listen('progress', (text) => console.log(text)); // prints half done
 * store.volatile?.publish('progress', 'half done');
 * await new Promise((resolve) => setTimeout(resolve, 50));
 * stop?.();
 * await store.close();
 */
export interface VolatileMessages {
  /**
   * Returns immediately, never throws, and never delays or fails a commit. Drops messages on channels without listeners,
   * messages longer than 1,048,576 UTF-16 code units, messages published faster than they can be sent (about four million
   * code units are queued), and messages a listener is too slow to fetch (about 8 MB are kept).
   */
  publish(channel: string, message: string): void;
  /**
   * Calls `hear` for each message on this channel. Returns a function that stops listening. Publishers in other processes
   * notice a new listener after a short delay. Listening does not keep the process alive.
   */
  listen(channel: string, hear: (message: string) => void): () => void;
}

/** The features of an engine. */
export interface StoreFeatures {
  /** `memory`, `sqlite`, `postgres`, `redis` … */
  readonly engine: string;
  /** Contents survive the process. */
  readonly durable: boolean;
  /** Several processes may have the store open at once. */
  readonly shared: boolean;
  /** Several machines may have the store open at once. */
  readonly remote: boolean;
  /** `store.synchronous` is available. */
  readonly synchronousReads: boolean;
  /** `store.volatile` is available. */
  readonly volatileMessages: boolean;
  /** Values are encrypted before they reach the engine. */
  readonly encrypted?: true;
}

/** The result of `verify`. */
export interface VerifyReport {
  readonly entries: number;
  readonly bytes: number;
  /** One text per corruption found. */
  readonly problems: readonly string[];
}

/**
 * A store: ordered collections, conditional transactions, a change feed, and work under leases.
 */
export interface Store {
  readonly features: StoreFeatures;

  /** Declares collections and creates missing ones. Throws if a collection exists with another shape. */
  declare(...collections: readonly Collection[]): Promise<void>;

  /** The revision of the latest committed transaction. */
  revision(): Promise<Revision>;

  /** The entries of these keys from one snapshot, in the order of the keys; undefined for missing ones. */
  read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]>;

  /** One page of the entries in a range, in key order. */
  scan<C extends Collection>(collection: C, range: Range, options?: ScanOptions): Promise<Page<ValueOf<C>>>;

  /** Synchronous reads; undefined if the engine has none. */
  readonly synchronous: SynchronousReads | undefined;

  /**
   * Reads that block the thread until they are answered, for engines without synchronous reads. Each costs a round trip
   * during which this thread does nothing else: for code that cannot await and reads little.
   */
  readonly blocking?: BlockingReads | undefined;

  /** Messages to other processes; undefined if the engine has none. */
  readonly volatile?: VolatileMessages | undefined;

  /**
   * Commits transactions one after another. Each commits or conflicts independently and sees the writes of those before
   * it. The promise resolves when all committed ones *are* durable. Concurrent calls share one durable write. If it
   * rejects, nothing was written, except for `StoreUnknownOutcomeError`.
   */
  commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]>;

  /**
   * Follows the commits of all processes: each change set once, in order, without gaps. Every follower reads at its own
   * pace without delaying others. To resume, pass the last revision seen as `since`.
   */
  follow(options?: FollowOptions): AsyncIterable<ChangeSet>;

  /**
   * Claims up to `limit` free items, in key order. An item is free if it has no lease or its lease has expired. A damaged item is passed
   * over; `verify` names it.
   */
  claim<Value>(collection: WorkCollection<Value>, options: ClaimOptions): Promise<readonly Claimed<Value>[]>;

  /** Extends leases to `leaseMilliseconds` from now, by the store's clock. */
  renew(leases: readonly Lease[], leaseMilliseconds: number): Promise<readonly RenewResult[]>;

  /** Releases leases. Leases that are already lost are ignored. */
  release(leases: readonly Lease[]): Promise<void>;

  /** The current leases in key order, including expired ones that have not been claimed again. */
  holders(collection: WorkCollection<unknown>, range?: Range): Promise<readonly HeldLease[]>;

  /** Opens a session; undefined on engines that are not shared, or with a custom clock. */
  openSession?(options: SessionOptions): Promise<StoreSession | undefined>;

  /** Expires the leases of dead processes now. Returns the number of owners. */
  expireDead?(collection: WorkCollection<unknown>): Promise<number>;

  /** Removes versions and changes needed only for revisions before `before`. Returns the new horizon: the oldest revision that can still be read and followed from. */
  prune(before: Revision): Promise<Revision>;

  /** Reads and checks everything. */
  verify(): Promise<VerifyReport>;

  /** Gives unused space back to the disk in small steps, between which others commit; returns how many bytes. 0 where the server does that by itself. */
  shrink?(): Promise<number>;

  /** The bytes that the store takes on its disk, or in the memory of its server; undefined for a store in this process's memory. */
  size?(): Promise<number | undefined>;

  /** Waits for running commits, then closes the store. Further calls throw `StoreClosedError`. */
  close(): Promise<void>;
}
