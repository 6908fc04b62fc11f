// The history: every image a program ever committed, and the way back to each. This file is its whole contract.
//
// An *image* is a whole number of 4 KiB pages and a few opaque header bytes. What is in it, the history does not know.
// Commits form *chains*. A commit names its parent, and its hash binds the parent, the metadata and, through the packs
// it is rebuilt from, every byte of its image. What a commit stores is the words that changed, not the image.
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
//     // otherwise somebody else committed on the chain: nothing was written, and `head` is as it was
//
// The history prepares; the caller commits, together with whatever must be true at the same moment. Only `retain`,
// `remove` and `gc` write by themselves, because they only take away what nobody can reach.
import type { Revision } from '../store/store.ts';
import type { TransactionPart } from '../store/transaction-part.ts';
import type { Pages } from './images/pages.ts';

/** The name of a commit: SHA-256 in hexadecimal. */
export type CommitHash = string & { readonly commitHash: true };

/** The name of a boot image: SHA-256 of its bytes and header, in hexadecimal. */
export type BootHash = string & { readonly bootHash: true };

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface Image {
  /** A whole number of 4 KiB pages. */
  readonly bytes: Uint8Array;
  /** What the producer needs beside the pages, such as a stack pointer. Small: it is stored with every commit. */
  readonly header: Uint8Array;
}

/** An image that chains start from. `bootImage()` makes one; do it once per process, it hashes the whole image. */
export interface BootImage extends Image {
  readonly hash: BootHash;
}

/**
 * How an image came from the one before it. Both are read in place, during the call only, and nothing is copied but the
 * words that differ. They may have different lengths: missing pages count as zeros.
 */
export interface ImageChange {
  /** The image of the head, as it was when it was committed or opened. */
  readonly previous: Uint8Array | Pages;
  /** The image to commit: the bytes of a WebAssembly memory, or pages that share what did not change with `previous`. */
  readonly current: Uint8Array | Pages;
  readonly header: Uint8Array;
  /**
   * Indices of pages that may differ, ascending. Pages that are new need not be listed. Without it all pages are
   * compared, which takes a few tenths of a millisecond per MB. A page that differs and is not listed is lost: see `verifyDirtyPages`.
   */
  readonly dirtyPages?: Iterable<number> | undefined;
}

export interface Commit {
  readonly hash: CommitHash;
  /** In a fork's first commit this is a commit of the chain it was forked from; null in a chain's very first. */
  readonly parent: CommitHash | null;
  readonly chain: string;
  /** Counts up by one along a chain. A fork goes on counting from where it left. */
  readonly sequence: number;
  /** Milliseconds since 1970, by the history's clock. */
  readonly time: number;
  readonly metadata: Json;
  readonly boot: BootHash;
  /** The number of 4 KiB pages of the image. */
  readonly pages: number;
  /** How much of the image differs from the parent's. */
  readonly changed: { readonly pages: number; readonly bytes: number };
  /** What the commit's pack takes in the store. 0 if the image is one that is stored already (create, fork, rollback). */
  readonly storedBytes: number;
}

/** A commit as part of a transaction: merge it with yours and commit them as one. */
export interface PreparedCommit extends TransactionPart {
  readonly hash: CommitHash;
  readonly commit: Commit;
}

/** The first commit of a new chain. */
export interface PreparedChain extends PreparedCommit {
  /** What the second commit can be prepared on, to be part of the same transaction. */
  readonly head: Head;
}

export interface PreparedChange extends PreparedCommit {
  /** The pages that do differ, ascending: copy these to keep `previous` up to date. */
  readonly changedPages: readonly number[];
  /** Call it when the transaction has been committed, with its revision. The head this was prepared on is then spent. */
  committed(revision: Revision): Head;
  /** What the next commit can be prepared on, to be part of the same transaction. The head this was prepared on is then spent. */
  together(): Head;
}

/** Where a chain ends, and what is needed to go on from there without reading anything. Made by `open`. */
export interface Head {
  readonly commit: Commit;
  /** The revision that wrote the commit. */
  readonly revision: Revision;
}

export interface Checkout {
  readonly commit: Commit;
  readonly image: Image;
}

export interface Opened extends Checkout {
  readonly head: Head;
}

export interface CheckoutOptions {
  /**
   * The bytes may be the cache's own: cheaper for large images, and they must not be changed. Otherwise they are a copy
   * that belongs to the caller.
   */
  readonly shared?: boolean | undefined;
}

export interface ListOptions {
  /** How many commits at most; default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
}

export interface CommitPage {
  readonly commits: readonly Commit[];
  /** Give it to the next call; undefined when there is no more. */
  readonly cursor: string | undefined;
}

export interface Tag {
  readonly name: string;
  readonly hash: CommitHash;
  readonly sequence: number;
  readonly time: number;
}

/**
 * What to keep of a chain. Its head and its tagged commits are always kept. Beyond them a commit is kept if `last` or
 * `youngerThan` keeps it (or neither is given), as long as all that is kept stays within `bytes`.
 */
export interface RetentionPolicy {
  /** The newest so many commits. */
  readonly last?: number | undefined;
  /** Commits younger than this many milliseconds. */
  readonly youngerThan?: number | undefined;
  /** What the kept commits' images may take in the store; the oldest untagged commits go first. */
  readonly bytes?: number | undefined;
}

export interface RetentionReport {
  readonly kept: number;
  readonly dropped: number;
}

export interface GcOptions {
  /** Applied to every chain first; a function may choose by chain, undefined leaves a chain alone. */
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
  /** Packs of dropped commits that kept commits are still rebuilt from. */
  readonly packsStillNeeded: number;
}

export interface History {
  /** Starts a chain whose first commit is the boot image. The boot image is stored unless it is there already. */
  create(chain: string, boot: BootImage, metadata?: Json): Promise<PreparedChain>;

  /** Loads the newest image of a chain, ready to commit the next one. */
  open(chain: string, options?: CheckoutOptions): Promise<Opened>;

  /** Prepares the next commit of a chain. Reads nothing from the store. The head stays usable until `committed`. */
  prepare(head: Head, change: ImageChange, metadata?: Json): PreparedChange;

  /** The newest commit of a chain. */
  head(chain: string): Promise<Commit>;

  /** A commit by its hash. A fork finds the commits before it too, as long as the chain they belong to keeps them. */
  find(chain: string, hash: string): Promise<Commit>;

  /** The revision of the store that a commit was written with. */
  revisionOf(commit: Commit): Promise<Revision>;

  /** Commits, newest first; a fork's are followed by those it was forked from. */
  list(chain: string, options?: ListOptions): Promise<CommitPage>;

  /** The image of any commit, byte for byte. */
  checkout(chain: string, hash: string, options?: CheckoutOptions): Promise<Checkout>;

  /** Starts a new chain at a commit. It shares all that is stored; the image is not copied. */
  fork(chain: string, hash: string, newChain: string, metadata?: Json): Promise<PreparedCommit>;

  /** Adds a commit whose image is an older one. Nothing is destroyed and no image is copied. `open` the chain to go on. */
  rollback(chain: string, hash: string, metadata?: Json): Promise<PreparedCommit>;

  /** Names a commit, so that retention keeps it. A tag of this name on the chain is moved. */
  tag(chain: string, hash: string, name: string): Promise<TransactionPart>;
  untag(chain: string, name: string): Promise<TransactionPart>;
  tags(chain: string): Promise<readonly Tag[]>;

  /** Drops what the policy does not keep. Space is freed by `gc`. */
  retain(chain: string, policy?: RetentionPolicy): Promise<RetentionReport>;

  /** Drops a whole chain, tags included. Forks of it are untouched. Its name is free again after `gc`. */
  remove(chain: string): Promise<void>;

  /**
   * Frees what no kept commit needs, in small transactions. It may be killed and started again at any point, and others
   * may commit meanwhile. Two at once: the later one goes on, the earlier one stops with an error that says so.
   */
  gc(options?: GcOptions): Promise<GcReport>;
}
