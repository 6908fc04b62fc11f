// Committed rows this process has read, for stores that read at once. Before they are used at a later revision, the
// store's log is asked what was changed since, by anybody; what was is forgotten. So a row from here is never stale.
import type { Collection } from '../../store/collection.ts';
import { StoreRevisionGoneError } from '../../store/errors.ts';
import { encodeKey, type EncodedKey } from '../../store/key.ts';
import type { ChangeSet, Entry, Revision, SynchronousReads } from '../../store/store.ts';

interface CachedRow {
  /** Undefined: there is none. */
  readonly row: Entry<unknown> | undefined;
  /** It has been so since this revision, at the latest. */
  readonly since: Revision;
}

// When so many transactions went by, reading the rows again costs less than finding out which of them still hold.
const mostTransactions = 5000;

export class RowCache {
  readonly #reads: SynchronousReads;
  readonly #collections: readonly Collection[];
  readonly #generationBytes: number;
  /** What is here holds at this revision. */
  #revision: Revision = 0;
  /** Rows used lately, and those used before them. When the first are too many, the second are forgotten. */
  #young: Generation;
  #old: Generation;

  constructor(reads: SynchronousReads, collections: readonly Collection[], bytes: number) {
    this.#reads = reads;
    this.#collections = collections;
    this.#generationBytes = bytes / 2;
    this.#young = new Generation(collections);
    this.#old = new Generation(collections);
  }

  /** Forgets what was changed up to a revision, so that what is left holds there. */
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

  /** What a key holds at a revision, if that is known. */
  find({ name }: Collection, key: EncodedKey, at: Revision): CachedRow | undefined {
    if (at > this.#revision) return undefined;
    let cached = this.#young.get(name, key);
    if (cached === undefined) {
      cached = this.#old.get(name, key);
      if (cached !== undefined) this.#add(name, key, cached);
    }
    return cached !== undefined && cached.since <= at ? cached : undefined;
  }

  /** Keeps what was read at a revision. */
  keep({ name }: Collection, key: EncodedKey, row: Entry<unknown> | undefined, at: Revision): void {
    // It may have been changed between that revision and the one everything here holds at.
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

  /** Undefined if it is too much, or no longer known. */
  #changesUntil(until: Revision): readonly ChangeSet[] | undefined {
    try {
      const options = { since: this.#revision, until, limit: mostTransactions };
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
  /** About what it takes in memory. */
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
    // Of other collections nobody would tell what was changed.
    if (rows === undefined) return;
    if (!rows.has(key)) this.bytes += rowBytes + 2 * key.length + bytesOf(cached.row?.value);
    rows.set(key, cached);
  }

  delete(name: string, key: EncodedKey): void {
    // Its bytes stay counted until the generation goes: too much, never too little.
    this.#rows.get(name)?.delete(key);
  }
}

/** An entry of the map, what it leads to, the row's own key, and what others remember of the row; as measured. */
const rowBytes = 520;

/** About what a JSON value takes in memory. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 40;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) bytes += 8 + bytesOf(value[index]);
  else for (const name in value) bytes += 8 + bytesOf((value as Record<string, unknown>)[name]);
  return bytes;
}
