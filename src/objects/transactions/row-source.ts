// Where a transaction reads committed rows, all at one revision. With synchronous reads they come directly from the store;
// otherwise a missing row is a fault: it is loaded and the transaction runs again.
import {
  encodeKey,
  type BlockingReads,
  type Collection,
  type EncodedKey,
  type Key,
  type Page,
  type Range,
  type RecordCollection,
  type Revision,
  type Store,
  type SynchronousReads,
} from '../../store/door.ts';
import type { RowCache } from './row-cache.ts';

export interface CommittedRow {
  readonly key: Key;
  readonly value: unknown;
  readonly revision: Revision;
}

export interface RowScan {
  readonly reverse: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface RowSource {
  readonly revision: Revision;
  read(collection: RecordCollection<unknown>, key: Key, encoded: EncodedKey): CommittedRow | undefined;
  scan(collection: RecordCollection<unknown>, range: Range, options: RowScan): Page<unknown>;
  /** Announces that these rows will be read, so that they can be loaded together. */
  expect(collection: RecordCollection<unknown>, keys: readonly Key[]): void;
}

/** Rows that must be loaded. */
export type Need =
  | { readonly kind: 'rows'; readonly collection: RecordCollection<unknown>; readonly keys: readonly Key[] }
  | {
      readonly kind: 'scan';
      readonly collection: RecordCollection<unknown>;
      readonly range: Range;
      readonly options: RowScan;
    };

/** Thrown when reading a row that is not loaded. The transaction loads it and runs again. */
export class Fault extends Error {
  readonly need: Need;

  constructor(need: Need) {
    super(`Rows of ${need.collection.name} are not loaded.`);
    this.need = need;
  }
}

/**
 * Reads from a store with synchronous reads. Without a given revision, it is the latest at the first read: most slices use no
 * objects, and need not ask the store for it.
 */
export class SynchronousSource implements RowSource {
  readonly #reads: SynchronousReads;
  readonly #cache: RowCache | undefined;
  #revision: Revision | undefined;

  /** `cache` has rows read earlier. */
  constructor(reads: SynchronousReads, revision: Revision | undefined, cache?: RowCache) {
    this.#reads = reads;
    this.#cache = cache;
    if (revision !== undefined) this.#readAt(revision);
  }

  get revision(): Revision {
    return this.#revision ?? this.#readAt(this.#reads.revision());
  }

  #readAt(revision: Revision): Revision {
    this.#cache?.advance(revision);
    return (this.#revision = revision);
  }

  read(collection: RecordCollection<unknown>, key: Key, encoded: EncodedKey): CommittedRow | undefined {
    const cached = this.#cache?.find(collection, encoded, this.revision);
    if (cached !== undefined) return cached.row;
    const row = this.#reads.read(collection, [key], { at: this.revision })[0];
    this.#cache?.keep(collection, encoded, row, this.revision);
    return row;
  }

  scan(collection: RecordCollection<unknown>, range: Range, options: RowScan): Page<unknown> {
    return this.#reads.scan(collection, range, { ...options, at: this.revision });
  }

  expect(): void {
    // Synchronous reads gain nothing from batching.
  }
}

/** Rows loaded at one revision; reading any other row is a fault. Without a given revision, it is that of the first load. */
export class LoadedSource implements RowSource {
  readonly #store: Store;
  #revision: Revision | undefined;
  #finding: Promise<Revision> | undefined;
  readonly #rows = new Map<string, Map<EncodedKey, CommittedRow | undefined>>();
  readonly #pages = new Map<string, Page<unknown>>();
  #expected = new Map<RecordCollection<unknown>, Map<EncodedKey, Key>>();
  #loadNow: ((need: Need) => void) | undefined;

  constructor(store: Store, revision?: Revision) {
    this.#store = store;
    this.#revision = revision;
  }

  get revision(): Revision {
    if (this.#revision === undefined) throw new Error('Nothing was loaded, so there is no revision yet.');
    return this.#revision;
  }

  read(collection: RecordCollection<unknown>, key: Key, encoded: EncodedKey): CommittedRow | undefined {
    const rows = this.#rows.get(collection.name);
    if (rows?.has(encoded) === true) return rows.get(encoded);
    this.#miss({ kind: 'rows', collection, keys: [key, ...(this.#expected.get(collection)?.values() ?? [])] });
    return this.#rowsOf(collection).get(encoded);
  }

  scan(collection: RecordCollection<unknown>, range: Range, options: RowScan): Page<unknown> {
    const name = scanName(collection, range, options);
    if (!this.#pages.has(name)) this.#miss({ kind: 'scan', collection, range, options });
    return this.#pages.get(name) as Page<unknown>;
  }

  expect(collection: RecordCollection<unknown>, keys: readonly Key[]): void {
    const rows = this.#rows.get(collection.name);
    for (const key of keys) {
      const encoded = encodeKey(key);
      if (rows?.has(encoded) === true) continue;
      let expected = this.#expected.get(collection);
      if (expected === undefined) this.#expected.set(collection, (expected = new Map<EncodedKey, Key>()));
      expected.set(encoded, key);
    }
  }

  /** From now on, missing rows are loaded by `loadNow`, which blocks the thread. */
  block(loadNow: (need: Need) => void): void {
    this.#loadNow = loadNow;
  }

  #miss(need: Need): void {
    if (this.#loadNow === undefined) throw new Fault(need);
    this.#loadNow(need);
  }

  /** Loads the needed rows. Returns those that exist. */
  async load(need: Need): Promise<readonly CommittedRow[]> {
    const { collection } = need;
    this.#revision ??= await (this.#finding ??= this.#store.revision());
    const at = { at: this.#revision };
    if (need.kind === 'scan')
      return this.#keepPage(need, await this.#store.scan(collection, need.range, { ...need.options, ...at }));
    const missing = this.#missing(collection, need.keys);
    if (missing.length === 0) return [];
    return this.#keepRows(collection, missing, await this.#store.read(collection, missing, at));
  }

  /** Like `load`, but blocks the thread. */
  loadBlocking(need: Need, reads: BlockingReads): readonly CommittedRow[] {
    const { collection } = need;
    const at = { at: this.revision };
    if (need.kind === 'scan')
      return this.#keepPage(need, reads.scan(collection, need.range, { ...need.options, ...at }));
    const missing = this.#missing(collection, need.keys);
    if (missing.length === 0) return [];
    return this.#keepRows(collection, missing, reads.read(collection, missing, at));
  }

  #missing(collection: RecordCollection<unknown>, keys: readonly Key[]): readonly Key[] {
    const known = this.#rows.get(collection.name);
    return [...new Map(keys.map((key) => [encodeKey(key), key])).entries()]
      .filter(([encoded]) => known?.has(encoded) !== true)
      .map(([, key]) => key);
  }

  #keepRows(
    collection: RecordCollection<unknown>,
    keys: readonly Key[],
    found: readonly (CommittedRow | undefined)[],
  ): readonly CommittedRow[] {
    this.#expected.delete(collection);
    const rows = this.#rowsOf(collection);
    for (const [index, key] of keys.entries()) rows.set(encodeKey(key), found[index]);
    return found.filter((row) => row !== undefined);
  }

  #keepPage(
    { collection, range, options }: Extract<Need, { kind: 'scan' }>,
    page: Page<unknown>,
  ): readonly CommittedRow[] {
    this.#pages.set(scanName(collection, range, options), page);
    const rows = this.#rowsOf(collection);
    for (const entry of page.entries) rows.set(encodeKey(entry.key), entry);
    return page.entries;
  }

  #rowsOf(collection: Collection): Map<EncodedKey, CommittedRow | undefined> {
    let rows = this.#rows.get(collection.name);
    if (rows === undefined) this.#rows.set(collection.name, (rows = new Map<EncodedKey, CommittedRow | undefined>()));
    return rows;
  }
}

function scanName({ name }: Collection, range: Range, options: RowScan): string {
  const part = (key: Key | undefined): string => (key === undefined ? '-' : encodeKey(key));
  return `${name} ${part(range.prefix)} ${part(range.from)} ${part(range.to)} ${options.reverse} ${options.limit} ${options.cursor}`;
}
