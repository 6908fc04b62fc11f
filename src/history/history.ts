// The contract of the history: it stores every image a program has committed, and restores any of them.
//
// An *image* is a whole number of 4 KiB pages and a few opaque header bytes; the history does not interpret it. Commits
// form *chains*. A commit names its parent, and its hash covers the parent, the metadata and, through the packs it is
// rebuilt from, every byte of its image. A commit stores only the words that changed, not the image.
//
//     const history = await openHistory(store);
//     const created = await history.create('analysis', boot, { step: 'boot' });
//     await store.commit([{ checks: created.checks, writes: [...created.writes, ...mine] }]);
//
//     let { image, head } = await history.open('analysis');      // load the image into the program, keep a copy of it
//     // … the program runs and changes its memory …
//     const prepared = history.prepare(head, { previous: copy, current: memory, header }, { step: 1 });
//     const [result] = await store.commit([{ checks: prepared.checks, writes: [...prepared.writes, ...mine] }]);
//     if (result.status === 'committed') head = prepared.committed(result.revision);
//     // otherwise another process committed first: nothing was written, and `head` is unchanged
//
// The history prepares; the caller commits, together with its own checks and writes. Only `retain`, `remove` and `gc`
// write by themselves, because they only remove what is unreachable.
import type { Revision, TransactionPart } from '../store/door.ts';
import type { Pages } from './images/pages.ts';

/** The SHA-256 hash of a commit, in hexadecimal. */
export type CommitHash = string & { readonly commitHash: true };

/** The SHA-256 hash of a boot image's bytes and header, in hexadecimal. */
export type BootHash = string & { readonly bootHash: true };

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface Image {
  /** A whole number of 4 KiB pages. */
  readonly bytes: Uint8Array;
  /** What the producer needs besides the pages, such as a stack pointer. Keep it small: every commit stores it. */
  readonly header: Uint8Array;
}

/** An image as its boot image and the pages in which it differs from it. Others have it as well: nothing in it may be changed. */
export interface ImagePages {
  /** The same bytes for all images that began with this boot image. */
  readonly boot: Uint8Array;
  /** So many pages of the boot image are left; from there on, pages that are not in `changed` are zeros. */
  readonly bootPages: number;
  readonly pageCount: number;
  /** By their index. */
  readonly changed: ReadonlyMap<number, Uint8Array>;
  readonly header: Uint8Array;
}

/** An image of a commit. */
export interface CommittedImage extends Image {
  /** A copy of one's own, made when it is first asked for. */
  readonly bytes: Uint8Array;
  readonly pages: ImagePages;
}

/** An image that chains start from. Call `bootImage()` once per process, because it hashes the whole image. */
export interface BootImage extends Image {
  readonly hash: BootHash;
}

/**
 * The change from one image to the next. Both are read in place and only during the call; only words that differ are
 * copied. The lengths may differ: missing pages count as zeros.
 */
export interface ImageChange {
  /** The image of the head, as committed or opened. */
  readonly previous: Uint8Array | Pages;
  /** The image to commit: the bytes of a WebAssembly memory, or pages that share unchanged ones with `previous`. */
  readonly current: Uint8Array | Pages;
  readonly header: Uint8Array;
  /**
   * Indices of pages that may differ, ascending. New pages need not be listed. Without it all pages are
   * compared, which takes a few tenths of a millisecond per MB. A changed page that is not listed is lost: see `verifyDirtyPages`.
   */
  readonly dirtyPages?: Iterable<number> | undefined;
  /**
   * Bytes of dirty pages that may differ: start, end, start, end …, ascending, multiples of 32. Without it dirty pages are compared
   * whole. A change outside of them is lost: see `verifyDirtyPages`.
   */
  readonly dirtyRanges?: readonly number[] | undefined;
}

export interface Commit {
  readonly hash: CommitHash;
  /** In a fork's first commit this is a commit of the chain it was forked from; null in a chain's very first. */
  readonly parent: CommitHash | null;
  readonly chain: string;
  /** Increases by one along a chain; a fork continues the count. */
  readonly sequence: number;
  /** Milliseconds since 1970, by the history's clock. */
  readonly time: number;
  readonly metadata: Json;
  readonly boot: BootHash;
  /** The number of 4 KiB pages of the image. */
  readonly pages: number;
  /** How much of the image differs from that of the parent. */
  readonly changed: { readonly pages: number; readonly bytes: number };
  /** The stored size of the commit's pack; 0 if its image was already stored (create, fork, rollback). */
  readonly storedBytes: number;
}

/** A commit as part of a transaction: merge it with yours and commit them as one. */
export interface PreparedCommit extends TransactionPart {
  readonly hash: CommitHash;
  readonly commit: Commit;
}

/** The first commit of a new chain. */
export interface PreparedChain extends PreparedCommit {
  /** For preparing the second commit as part of the same transaction. */
  readonly head: Head;
}

/** The first commit of a fork, with its image, to change it as part of the same transaction. */
export interface PreparedFork extends PreparedChain {
  readonly image: CommittedImage;
}

export interface PreparedChange extends PreparedCommit {
  /** The pages that differ, ascending: copy these to keep `previous` up to date. */
  readonly changedPages: readonly number[];
  /** Call it with the revision after the transaction was committed. Spends the head this was prepared on. */
  committed(revision: Revision): Head;
  /** For preparing the next commit as part of the same transaction. Spends the head this was prepared on. */
  together(): Head;
}

/** The end of a chain, with everything needed to commit without reading. Returned by `open`. */
export interface Head {
  readonly commit: Commit;
  /** The revision that wrote the commit. */
  readonly revision: Revision;
}

export interface Checkout {
  readonly commit: Commit;
  readonly image: CommittedImage;
}

export interface Opened extends Checkout {
  readonly head: Head;
}

export interface ListOptions {
  /** How many commits at most; default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
  /** Only commits with a lower sequence number; not together with a cursor. */
  readonly before?: number | undefined;
}

export interface CommitPage {
  readonly commits: readonly Commit[];
  /** For the next call; undefined on the last page. */
  readonly cursor: string | undefined;
}

export interface Tag {
  readonly name: string;
  readonly hash: CommitHash;
  readonly sequence: number;
  readonly time: number;
}

/**
 * What to keep of a chain. Its head and its tagged commits are always kept. Other commits are kept if `last` or
 * `youngerThan` covers them (or neither is given), as long as the total stays within `bytes`.
 */
export interface RetentionPolicy {
  /** The number of newest commits to keep. */
  readonly last?: number | undefined;
  /** Commits younger than this many milliseconds. */
  readonly youngerThan?: number | undefined;
  /** Maximum stored size of the kept images; the oldest untagged commits are dropped first. */
  readonly bytes?: number | undefined;
}

export interface RetentionReport {
  readonly kept: number;
  readonly dropped: number;
}

export interface GcOptions {
  /** Applied to every chain first; a function may choose per chain, undefined skips a chain. */
  readonly retention?: RetentionPolicy | ((chain: string) => RetentionPolicy | undefined) | undefined;
  readonly onProgress?: ((progress: GcProgress) => void) | undefined;
  /** Stops between two transactions. */
  readonly signal?: AbortSignal | undefined;
}

export interface GcProgress {
  readonly phase: 'retention' | 'packs' | 'boots';
  readonly done: number;
  readonly total: number;
}

export interface GcReport {
  readonly commitsDropped: number;
  readonly packsRemoved: number;
  readonly bootsRemoved: number;
  readonly bytesFreed: number;
  /** Packs of dropped commits that kept commits still need. */
  readonly packsStillNeeded: number;
  /** What is damaged, and was left as it is together with what depends on it. */
  readonly damaged: readonly string[];
}

export interface History {
  /** Creates a chain whose first commit is the boot image. Stores the boot image if it is missing. */
  create(chain: string, boot: BootImage, metadata?: Json): Promise<PreparedChain>;

  /** Loads the newest image of a chain, ready to commit the next one. */
  open(chain: string): Promise<Opened>;

  /** Prepares the next commit of a chain, without reading the store. The head stays usable until `committed`. */
  prepare(head: Head, change: ImageChange, metadata?: Json): PreparedChange;

  /** The newest commit of a chain. */
  head(chain: string): Promise<Commit>;

  /** A commit by its hash. In a fork, also finds earlier commits of its origin as long as that keeps them. */
  find(chain: string, hash: string): Promise<Commit>;

  /** The revision of the store that a commit was written with. */
  revisionOf(commit: Commit): Promise<Revision>;

  /** Commits, newest first; those of a fork are followed by those of its origin. */
  list(chain: string, options?: ListOptions): Promise<CommitPage>;

  /** The image of any commit, byte for byte. */
  checkout(chain: string, hash: string): Promise<Checkout>;

  /** Creates a chain that starts at a commit. It shares all stored data; no image is copied. */
  fork(chain: string, hash: string, newChain: string, metadata?: Json): Promise<PreparedCommit>;

  /** The same, ready to commit a change of the fork as part of the same transaction. */
  forkToChange(chain: string, hash: string, newChain: string, metadata?: Json): Promise<PreparedFork>;

  /** Adds a commit with the image of an older one. Nothing is dropped and no image is copied. `open` the chain to continue. */
  rollback(chain: string, hash: string, metadata?: Json): Promise<PreparedCommit>;

  /** Tags a commit, so that retention keeps it. Moves an existing tag with this name. */
  tag(chain: string, hash: string, name: string): Promise<TransactionPart>;
  untag(chain: string, name: string): Promise<TransactionPart>;
  tags(chain: string): Promise<readonly Tag[]>;

  /** Drops commits that the policy does not keep. `gc` frees their space. */
  retain(chain: string, policy?: RetentionPolicy): Promise<RetentionReport>;

  /** Drops a whole chain with its tags. Forks of it stay. Its name can be reused after `gc`. */
  remove(chain: string): Promise<void>;

  /**
   * Frees what no kept commit needs, in small transactions. It may be killed and restarted at any point, and others may
   * commit meanwhile. If two run at once, the earlier one stops with `HistoryCollectorReplacedError`.
   */
  gc(options?: GcOptions): Promise<GcReport>;

  /** How many parts of removed chains are still stored, because forks are rebuilt from them. */
  partsLeft(chains: readonly string[]): Promise<number>;
}
