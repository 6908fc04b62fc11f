// A cache of committed rows, for stores with synchronous reads. Before it is used at a later revision, rows changed since
// by any process are evicted according to the change log, so cached rows are never stale.
import {
  encodeKey,
  StoreRevisionGoneError,
  type ChangeSet,
  type Collection,
  type EncodedKey,
  type Entry,
  type Revision,
  type SynchronousReads,
} from '../../store/door.ts';

interface CachedRow {
  /** Undefined: the row does not exist. */
  readonly row: Entry<unknown> | undefined;
  /** Valid at least since this revision. */
  readonly since: Revision;
}

// After this many transactions, reading the rows again costs less than checking which are still valid.
const maxTransactions = 5000;

export class RowCache {
  readonly #reads: SynchronousReads;
  readonly #collections: readonly Collection[];
  readonly #generationBytes: number;
  /** The cached rows are valid at this revision. */
  #revision: Revision = 0;
  /** Recently used rows, and older ones. When the young generation is full, the old one is evicted. */
  #young: Generation;
  #old: Generation;

  constructor(reads: SynchronousReads, collections: readonly Collection[], bytes: number) {
    this.#reads = reads;
    this.#collections = collections;
    this.#generationBytes = bytes / 2;
    this.#young = new Generation(collections);
    this.#old = new Generation(collections);
  }

  /** Evicts rows changed up to a revision. */
  advance(revision: Revision): void {
    if (revision <= this.#revision) return;
    const changed = this.#isEmpty ? [] : this.#changesUntil(revision);
    if (changed === undefined) this.#clear();
    for (const { changes } of changed ?? [])
      for (const { collection, key } of changes) {
        const encoded = encodeKey(key);
        this.#young.delete(collection, encoded);
        this.#old.delete(collection, encoded);
      }
    this.#revision = revision;
  }

  /** The row of a key at a revision, if cached. */
  find({ name }: Collection, key: EncodedKey, at: Revision): CachedRow | undefined {
    if (at > this.#revision) return undefined;
    let cached = this.#young.get(name, key);
    if (cached === undefined) {
      cached = this.#old.get(name, key);
      if (cached !== undefined) this.#add(name, key, cached);
    }
    return cached !== undefined && cached.since <= at ? cached : undefined;
  }

  /** Caches a row read at a revision. */
  keep({ name }: Collection, key: EncodedKey, row: Entry<unknown> | undefined, at: Revision): void {
    // The row may have changed between the two revisions.
    if (at !== this.#revision) return;
    this.#add(name, key, { row, since: row?.revision ?? at });
  }

  #add(name: string, key: EncodedKey, cached: CachedRow): void {
    this.#young.set(name, key, cached);
    if (this.#young.bytes < this.#generationBytes) return;
    this.#old = this.#young;
    this.#young = new Generation(this.#collections);
  }

  get #isEmpty(): boolean {
    return this.#young.bytes === 0 && this.#old.bytes === 0;
  }

  /** Undefined if there are too many changes, or they were pruned. */
  #changesUntil(until: Revision): readonly ChangeSet[] | undefined {
    try {
      const options = { since: this.#revision, until, limit: maxTransactions };
      const { sets, revision } = this.#reads.changes(this.#collections, options);
      return revision === until ? sets : undefined;
    } catch (error) {
      if (error instanceof StoreRevisionGoneError) return undefined;
      throw error;
    }
  }

  #clear(): void {
    this.#young = new Generation(this.#collections);
    this.#old = new Generation(this.#collections);
  }
}

class Generation {
  /** Approximate memory use. */
  bytes = 0;
  readonly #rows: ReadonlyMap<string, Map<EncodedKey, CachedRow>>;

  constructor(collections: readonly Collection[]) {
    this.#rows = new Map(collections.map(({ name }) => [name, new Map<EncodedKey, CachedRow>()]));
  }

  get(name: string, key: EncodedKey): CachedRow | undefined {
    return this.#rows.get(name)?.get(key);
  }

  set(name: string, key: EncodedKey, cached: CachedRow): void {
    const rows = this.#rows.get(name);
    // Changes of other collections are not tracked.
    if (rows === undefined) return;
    if (!rows.has(key)) this.bytes += rowBytes + 2 * key.length + bytesOf(cached.row?.value);
    rows.set(key, cached);
  }

  delete(name: string, key: EncodedKey): void {
    // Its bytes stay counted until the generation is evicted; overestimating is safe.
    this.#rows.get(name)?.delete(key);
  }
}

/** Measured overhead per row: the map entry, the objects it refers to, and the key. */
const rowBytes = 520;

/** Approximate memory use of a JSON value. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 40;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) bytes += 8 + bytesOf(value[index]);
  else for (const name in value) bytes += 8 + bytesOf((value as Record<string, unknown>)[name]);
  return bytes;
}
