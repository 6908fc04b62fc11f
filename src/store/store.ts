// The store: where everything is kept. This file is its whole contract; every layer above is written against it alone,
// and every engine (memory, sqlite, postgres, …) passes the same conformance suite for it.
//
// A store holds named collections. A collection is an ordered map from keys (tuples) to JSON records or bytes.
// Everything that changes goes through `commit`. Each committed transaction gets the next *revision*, a number that
// counts 1, 2, 3 … without gaps over the whole store, and every entry carries the revision that wrote it.
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

/** Counts the committed transactions of a store. 0 is the empty store. */
export type Revision = number;

/** One key with its value and the revision that wrote it. The value is a copy; changing it changes nothing stored. */
export interface Entry<Value> {
  readonly key: Key;
  readonly value: Value;
  readonly revision: Revision;
}

/** At which revision is read. */
export interface ReadOptions {
  /** Read as of this revision. Only collections that keep versions can, and only from the horizon on. */
  readonly at?: Revision | undefined;
}

/** In which order, how much, and from where a range is read. */
export interface ScanOptions extends ReadOptions {
  /** From the last key to the first. */
  readonly reverse?: boolean | undefined;
  /** How many entries at most; default: 1,000, 10,000 at most. A page may also end early when it grows past 16 MiB. */
  readonly limit?: number | undefined;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
}

/**
 * One page of a scan. A page is consistent in itself: it shows the collection as it was at `revision`. Pages of one scan
 * are consistent with each other if the collection keeps versions and each page is read `at` the first one's revision.
 */
export interface Page<Value> {
  readonly entries: readonly Entry<Value>[];
  /** Give it to the next call; undefined when there is no more. */
  readonly cursor: string | undefined;
  readonly revision: Revision;
}

/**
 * What must still be true when a transaction commits. Together the three kinds make transactions serializable: check
 * each key that was read, each key that was found absent, and each range that was scanned.
 */
export type Check =
  | { readonly kind: 'revision'; readonly collection: Collection; readonly key: Key; readonly revision: Revision }
  | { readonly kind: 'absent'; readonly collection: Collection; readonly key: Key }
  | { readonly kind: 'unchanged'; readonly collection: Collection; readonly range: Range; readonly since: Revision };

/** A change of one entry. */
export type Write =
  | { readonly kind: 'put'; readonly collection: Collection; readonly key: Key; readonly value: unknown }
  | { readonly kind: 'remove'; readonly collection: Collection; readonly key: Key };

/** The transaction holds only while this lease does; afterwards the lease is kept or given back with the same commit. */
export interface LeaseCheck {
  readonly lease: Lease;
  readonly afterwards: 'keep' | 'release';
}

/** All of it or nothing: every write happens if every check holds. */
export interface Transaction {
  readonly checks?: readonly Check[];
  readonly leases?: readonly LeaseCheck[];
  /** A key may be written once in a transaction. */
  readonly writes?: readonly Write[];
}

/** What became of a transaction: committed, or refused because a check did not hold. */
export type CommitResult =
  | { readonly status: 'committed'; readonly revision: Revision }
  | { readonly status: 'conflict'; readonly conflict: Conflict };

/** The first check that did not hold. */
export interface Conflict {
  readonly kind: 'revision' | 'absent' | 'unchanged' | 'lease';
  readonly collection: string;
  /** What was checked and what was found, for people. */
  readonly message: string;
}

/** What one transaction changed, in the collections and range that are followed. */
export interface ChangeSet {
  readonly revision: Revision;
  readonly changes: readonly Change[];
}

/** `released`: the item is as it was, and can be claimed again. */
export interface Change {
  readonly kind: 'put' | 'remove' | 'released';
  readonly collection: string;
  readonly key: Key;
}

/** Which changes are followed. */
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
 * The right to work on an item for a while; afterwards others may claim it. Until one does, it still holds: `token` grows
 * with every claim made in the store, and only the latest counts.
 */
export interface Lease {
  readonly collection: string;
  readonly key: Key;
  readonly owner: string;
  readonly token: number;
  /** By the store's clock, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Work that was claimed: its record, and the lease under which it is held. */
export interface Claimed<Value> {
  readonly entry: Entry<Value>;
  readonly lease: Lease;
  /** Whoever held the item last let the lease run out and did not give it back: it was stopped, cut off, or died. */
  readonly takenOver: boolean;
}

/** Who claims work, how much of it, and for how long. */
export interface ClaimOptions {
  readonly owner: string;
  /** How many items at most. */
  readonly limit: number;
  readonly leaseMilliseconds: number;
  /** Only items in this range. */
  readonly range?: Range | undefined;
}

/** `lost`: the item is gone, or somebody else has claimed it. A lease that ran out is good until then, and can be renewed. */
export type RenewResult =
  | { readonly status: 'renewed'; readonly lease: Lease }
  | { readonly status: 'lost'; readonly lease: Lease };

/** What a session of a process tells of it. */
export interface SessionOptions {
  /** What people read where they see who holds a lease. */
  readonly name: string;
  readonly leaseMilliseconds: number;
  /** How long leases are renewed although the caller's thread does not come to its event loop. */
  readonly patienceMilliseconds: number;
  /** Another process has claimed an item whose lease was kept, or the item is gone. */
  lost(lease: Lease): void;
  /** The session has ended by itself, and keeps nothing any more. */
  ended(): void;
}

/**
 * A process at work. Leases it keeps are renewed on a thread of its own, so that they do not run out while code runs for
 * long. Other processes notice when it is gone, and need not wait until its leases run out.
 */
export interface StoreSession {
  /** The owner to claim with. */
  readonly owner: string;
  /** Renews a lease from now on, until it is dropped or lost. */
  keep(lease: Lease): void;
  drop(lease: Lease): void;
  /** The caller's thread is about to do something that may take longer than `patienceMilliseconds`. */
  allow(milliseconds: number): void;
  close(): Promise<void>;
}

/** Which changes are read. */
export interface ChangesOptions {
  /** Changes after this revision. */
  readonly since: Revision;
  /** Up to and with this one; default: the latest. */
  readonly until?: Revision | undefined;
  /** How many transactions are looked at, at most. */
  readonly limit: number;
}

/** Changes up to a revision, in the order of their commits. */
export interface Changes {
  readonly sets: readonly ChangeSet[];
  /** The last revision that was looked at: `until`, unless there were more than `limit`. */
  readonly revision: Revision;
}

/** Reads that answer at once, for engines that can. They see everything committed so far, by any process. */
export interface SynchronousReads {
  revision(): Revision;
  read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): readonly (Entry<ValueOf<C>> | undefined)[];
  scan<C extends Collection>(collection: C, range: Range, options?: ScanOptions): Page<ValueOf<C>>;
  /** What `follow` would give of these collections, at once. Throws `StoreRevisionGoneError` below the horizon. */
  changes(collections: readonly Collection[], options: ChangesOptions): Changes;
}

/** Reads that stop the thread until they are answered. */
export type BlockingReads = Pick<SynchronousReads, 'read' | 'scan'>;

/**
 * Messages for whoever listens at this moment, in this process or another one that has the store open; they are neither stored
 * nor in the change feed. A message reaches each listener at most once, and may be lost. Messages that one store publishes on one
 * channel arrive in order. They belong to no transaction: one may arrive before or after a commit made next to it.
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
   * Returns at once, never throws, and never delays or fails a commit. A message for a channel that nobody listens to is
   * dropped at once. Also dropped: a message longer than 1,048,576 UTF-16 code units, what is published faster than it can
   * be sent (about four million code units wait), and what a listener is too slow to fetch (about 8 MB are kept for it).
   */
  publish(channel: string, message: string): void;
  /**
   * Calls `hear` for each message on this channel, until the function it returns is called. Publishers in other processes
   * notice soon, not at once. It does not keep the process alive.
   */
  listen(channel: string, hear: (message: string) => void): () => void;
}

/** What an engine can do; what it cannot do, it refuses. */
export interface StoreFeatures {
  /** `memory`, `sqlite`, `postgres` … */
  readonly engine: string;
  /** Contents survive the process. */
  readonly durable: boolean;
  /** Several processes may have the store open at once. */
  readonly shared: boolean;
  /** Several machines may. */
  readonly remote: boolean;
  /** `store.synchronous` is there. */
  readonly synchronousReads: boolean;
  /** `store.volatile` is there. */
  readonly volatileMessages: boolean;
}

/** What a check of everything stored has found. */
export interface VerifyReport {
  readonly entries: number;
  readonly bytes: number;
  /** Each place where the stored bytes are not what was written. */
  readonly problems: readonly string[];
}

/**
 * Where everything is kept: ordered collections, transactions with checks, a feed of changes, and work under leases.
 */
export interface Store {
  readonly features: StoreFeatures;

  /** Makes collections known, and creates those that do not exist. A collection of another shape under the same name is refused. */
  declare(...collections: readonly Collection[]): Promise<void>;

  /** The revision of the latest committed transaction. */
  revision(): Promise<Revision>;

  /** The entries of these keys, in the order asked for, all of one moment; undefined where there is none. */
  read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]>;

  /** One page of the entries in a range, in key order. */
  scan<C extends Collection>(collection: C, range: Range, options?: ScanOptions): Promise<Page<ValueOf<C>>>;

  /** Reads without waiting; undefined if the engine cannot. */
  readonly synchronous: SynchronousReads | undefined;

  /**
   * Reads that stop the thread until they are answered, for an engine that cannot read without waiting. A round trip each,
   * during which nothing else happens in this thread: for code that cannot wait, and needs little.
   */
  readonly blocking?: BlockingReads | undefined;

  /** Messages to other processes that are not stored; undefined if the engine has none. */
  readonly volatile?: VolatileMessages | undefined;

  /**
   * Commits transactions one after another. Each stands or falls by itself, and sees what those before it wrote; what is
   * committed becomes durable together. The promise resolves when it *is* durable. Calls made at the same time share
   * one durable write. If it rejects, nothing was written, with one exception: `StoreUnknownOutcomeError`.
   */
  commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]>;

  /**
   * Follows what is committed, by any process: each change set once, in order, without gaps. Every follower reads at its
   * own pace and holds up nobody. To resume, give the last revision seen as `since`.
   */
  follow(options?: FollowOptions): AsyncIterable<ChangeSet>;

  /** Claims up to `limit` items that nobody holds, in key order. An item whose lease ran out can be claimed again. */
  claim<Value>(collection: WorkCollection<Value>, options: ClaimOptions): Promise<readonly Claimed<Value>[]>;

  /** Makes leases last `leaseMilliseconds` from now, by the store's clock. */
  renew(leases: readonly Lease[], leaseMilliseconds: number): Promise<readonly RenewResult[]>;

  /** Gives items back. One that is gone, or that somebody else has claimed meanwhile, is passed over. */
  release(leases: readonly Lease[]): Promise<void>;

  /** Who holds items, in key order; also those whose leases have run out and that nobody has claimed since. */
  holders(collection: WorkCollection<unknown>, range?: Range): Promise<readonly Lease[]>;

  /** Begins a session; undefined on an engine that no other process uses, or whose clock is not the machine's. */
  openSession?(options: SessionOptions): Promise<StoreSession | undefined>;

  /** Lets the leases of sessions run out now whose processes are gone; how many owners that were. */
  expireDead?(collection: WorkCollection<unknown>): Promise<number>;

  /** Forgets versions and changes that only revisions before `before` need. Returns the new horizon: the oldest revision that can still be read and followed from. */
  prune(before: Revision): Promise<Revision>;

  /** Reads everything and checks it. */
  verify(): Promise<VerifyReport>;

  /** Waits for commits under way, then lets go of everything. Further calls throw `StoreClosedError`. */
  close(): Promise<void>;
}
