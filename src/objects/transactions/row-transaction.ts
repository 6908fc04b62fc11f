// A serializable transaction over rows of the store: reads at one revision, buffered writes, and checks that make the
// commit conditional on everything read, including ranges.
import {
  boundsOf,
  encodeKey,
  within,
  type Check,
  type EncodedKey,
  type Key,
  type Range,
  type RecordCollection,
  type Revision,
  type Write,
} from '../../store/door.ts';
import { NotLoadedError, ObjectReadOnlyError } from '../errors.ts';
import type { CommittedRow, RowSource } from './row-source.ts';

type Rows = RecordCollection<unknown>;

interface WrittenRow {
  readonly key: Key;
  /** Undefined: removed. */
  readonly value: unknown;
  /** False: visible only to this transaction and never committed. */
  readonly isKept: boolean;
  readonly isIntended: boolean;
  /** The number of savepoints when it was written. */
  readonly savepoints: number;
}

interface ReadRow {
  readonly key: Key;
  /** Undefined: the row did not exist. */
  readonly revision: Revision | undefined;
  readonly value: unknown;
}

/** The progress of a scan; the scanned range must be unchanged at commit. */
interface ScannedRange {
  readonly range: Range;
  reached: Key | undefined;
  ended: boolean;
  readonly reverse: boolean;
}

interface Table {
  readonly collection: Rows;
  readonly reads: Map<EncodedKey, ReadRow>;
  readonly writes: Map<EncodedKey, WrittenRow>;
  readonly ranges: ScannedRange[];
  /** So many rows were read that the collection is checked as a whole. */
  isWhole: boolean;
}

export interface ScannedRow {
  readonly key: Key;
  readonly value: unknown;
}

// Beyond this number of reads the whole collection is checked, to bound memory; that is stricter, never laxer.
const maxReads = 50_000;
const firstPage = 32;
const laterPage = 256;

export class RowTransaction {
  readonly source: RowSource;
  readonly readonly: string | undefined;
  /** Values owned by this transaction, which may be changed in place. */
  readonly drafts = new WeakSet<object>();
  readonly #tables = new Map<string, Table>();
  /** Undoes each change since the beginning. */
  readonly #undo: (() => void)[] = [];
  /** The number of intended writes; side writes are committed only together with these. */
  #intended = 0;
  #hasDropped = false;
  #savepoints = 0;
  #aside: 'no' | 'kept' | 'dropped' = 'no';
  #doom: Error | undefined;

  /** `readonly` is the reason why writes fail. */
  constructor(source: RowSource, readonly?: string) {
    this.source = source;
    this.readonly = readonly;
  }

  get revision(): Revision {
    return this.source.revision;
  }

  /** There are writes to commit. */
  get hasWrites(): boolean {
    return this.#intended > 0;
  }

  /** Why this transaction cannot be committed. */
  get doom(): Error | undefined {
    return this.#doom;
  }

  get(collection: Rows, key: Key): unknown {
    this.#checkNotDoomed();
    const table = this.#table(collection);
    const encoded = encodeKey(key);
    const written = table.writes.get(encoded);
    if (written !== undefined) return written.value;
    return this.#read(table, key, encoded).value;
  }

  /** Assumes that a row is absent without reading it; the commit checks that. */
  expectAbsent(collection: Rows, key: Key): void {
    this.#checkNotDoomed();
    const table = this.#table(collection);
    const encoded = encodeKey(key);
    if (!table.reads.has(encoded)) table.reads.set(encoded, { key, revision: undefined, value: undefined });
  }

  put(collection: Rows, key: Key, value: unknown): void {
    this.#write(collection, key, value);
  }

  remove(collection: Rows, key: Key): void {
    this.#write(collection, key, undefined);
  }

  /**
   * Side writes that follow from reading: allowed in read-only transactions, and committed only together with intended
   * writes, and only if `isKept`.
   */
  aside<Result>(action: () => Result, isKept = true): Result {
    const outer = this.#aside;
    this.#aside = isKept && outer !== 'dropped' ? 'kept' : 'dropped';
    try {
      return action();
    } finally {
      this.#aside = outer;
    }
  }

  get isAside(): boolean {
    return this.#aside !== 'no';
  }

  /** Announces that these rows will be read. */
  expect(collection: Rows, keys: readonly Key[]): void {
    this.source.expect(collection, keys);
  }

  /**
   * Rows of a range in order, including the changes of this transaction. Rows added during the scan are not visited, so
   * that every scan ends; neither are removed ones.
   */
  *scan(collection: Rows, range: Range, reverse = false): Generator<ScannedRow, void, undefined> {
    this.#checkNotDoomed();
    const table = this.#table(collection);
    const scanned: ScannedRange = { range, reached: undefined, ended: false, reverse };
    table.ranges.push(scanned);
    const bounds = boundsOf(range);
    const isAfter = (a: EncodedKey, b: EncodedKey): boolean => (reverse ? a < b : a > b);
    const own = [...table.writes].filter(([key]) => within(key, bounds));
    own.sort(([a], [b]) => (a === b ? 0 : isAfter(a, b) ? 1 : -1));
    let ownPosition = 0;
    let page: readonly CommittedRow[] = [];
    let position = 0;
    let cursor: string | undefined;
    let isLastPage = false;
    for (;;) {
      this.#checkNotDoomed();
      while (position >= page.length && !isLastPage) {
        const limit = cursor === undefined ? firstPage : laterPage;
        const next = this.#doomedByFault(() => this.source.scan(collection, range, { reverse, limit, cursor }));
        page = next.entries;
        position = 0;
        cursor = next.cursor;
        isLastPage = cursor === undefined;
      }
      const stored = page[position];
      const storedKey = stored && encodeKey(stored.key);
      const mine = own[ownPosition];
      if (mine === undefined && storedKey === undefined) {
        scanned.ended = true;
        return;
      }
      const isMine = mine !== undefined && (storedKey === undefined || !isAfter(mine[0], storedKey));
      const encoded = isMine ? mine[0] : (storedKey as EncodedKey);
      if (isMine) ownPosition++;
      if (encoded === storedKey) position++;
      const { key } = isMine ? mine[1] : (stored as CommittedRow);
      scanned.reached = key;
      // Reads the current value, which may have changed since the scan began.
      const written = table.writes.get(encoded);
      const value = written === undefined ? (encoded === storedKey ? stored?.value : undefined) : written.value;
      if (value !== undefined) yield { key, value };
    }
  }

  /** For `rollbackTo`. */
  savepoint(): number {
    this.#savepoints++;
    return this.#undo.length;
  }

  /** Undoes all writes since the savepoint. Reads are still checked. */
  rollbackTo(savepoint: number): void {
    while (this.#undo.length > savepoint) (this.#undo.pop() as () => void)();
  }

  /** From now on every use throws `reason`, and nothing can be committed. */
  doomWith(reason: Error): void {
    this.#doom ??= reason;
  }

  checks(): Check[] {
    const checks: Check[] = [];
    for (const { collection, reads, ranges, isWhole } of this.#tables.values()) {
      if (isWhole) {
        checks.push({ kind: 'unchanged', collection, range: {}, since: this.revision });
        // This also covers rows that were expected to be absent.
        continue;
      }
      for (const { key, revision } of reads.values())
        checks.push(
          revision === undefined
            ? { kind: 'absent', collection, key }
            : { kind: 'revision', collection, key, revision },
        );
      for (const scanned of ranges) {
        const range = rangePassed(scanned);
        if (range !== undefined) checks.push({ kind: 'unchanged', collection, range, since: this.revision });
      }
    }
    return checks;
  }

  writes(): Write[] {
    const writes: Write[] = [];
    if (!this.hasWrites) return writes;
    for (const { collection, writes: written } of this.#tables.values()) {
      for (const { key, value, isKept } of written.values()) {
        if (!isKept) continue;
        writes.push(
          value === undefined ? { kind: 'remove', collection, key } : { kind: 'put', collection, key, value },
        );
      }
    }
    return writes;
  }

  /** The keys read, to load them ahead next time. */
  keysRead(collection: Rows): Key[] {
    return [...(this.#tables.get(collection.name)?.reads.values() ?? [])].map(({ key }) => key);
  }

  /** Whether this transaction already depends on the existence of the row, or has written it. */
  knows(collection: Rows, key: Key): boolean {
    const table = this.#tables.get(collection.name);
    const encoded = encodeKey(key);
    const written = table?.writes.get(encoded);
    return written === undefined ? table?.reads.get(encoded)?.value !== undefined : written.value !== undefined;
  }

  /** The row as written by this transaction, if it wrote it. */
  written(collection: Rows, encoded: EncodedKey): WrittenRow | undefined {
    const written = this.#tables.get(collection.name)?.writes.get(encoded);
    return written?.isKept === true ? written : undefined;
  }

  /** The rows of a collection this transaction wrote. */
  writtenRows(collection: Rows): ReadonlyMap<EncodedKey, WrittenRow> {
    const written = this.#tables.get(collection.name)?.writes ?? new Map<EncodedKey, WrittenRow>();
    return this.#hasDropped ? new Map([...written].filter(([, { isKept }]) => isKept)) : written;
  }

  /** Records a change in place of a value owned by this transaction, and how to undo it. */
  changed(takeBack: () => void): void {
    this.#intended++;
    this.#undo.push(() => {
      this.#intended--;
      takeBack();
    });
  }

  #write(collection: Rows, key: Key, value: unknown): void {
    this.#checkNotDoomed();
    const isIntended = !this.isAside;
    if (this.readonly !== undefined && isIntended) throw new ObjectReadOnlyError(this.readonly);
    const { writes } = this.#table(collection);
    const encoded = encodeKey(key);
    const before = writes.get(encoded);
    const savepoints = this.#savepoints;
    // Writes since the last savepoint cannot be restored individually, so no undo is recorded.
    if (before?.savepoints !== savepoints || before.isIntended !== isIntended) {
      this.#undo.push(() => {
        if (isIntended) this.#intended--;
        if (before === undefined) writes.delete(encoded);
        else writes.set(encoded, before);
      });
      if (isIntended) this.#intended++;
    }
    const isKept = this.#aside !== 'dropped';
    this.#hasDropped ||= !isKept;
    writes.set(encoded, { key, value, isKept, isIntended, savepoints });
  }

  #read(table: Table, key: Key, encoded: EncodedKey): ReadRow {
    let read = table.reads.get(encoded);
    if (read === undefined) {
      const row = this.#committed(table.collection, key, encoded);
      read = { key, revision: row?.revision, value: row?.value };
      if (table.reads.size >= maxReads) {
        table.isWhole = true;
        table.reads.clear();
      }
      table.reads.set(encoded, read);
    }
    return read;
  }

  #committed(collection: Rows, key: Key, encoded: EncodedKey): CommittedRow | undefined {
    return this.#doomedByFault(() => this.source.read(collection, key, encoded));
  }

  // Code that catches a fault must not continue with incomplete data.
  #doomedByFault<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      // Outside a transaction, the application may handle NotLoadedError itself.
      if (!(error instanceof NotLoadedError)) this.doomWith(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  #checkNotDoomed(): void {
    if (this.#doom !== undefined) throw this.#doom;
  }

  #table(collection: Rows): Table {
    let table = this.#tables.get(collection.name);
    if (table === undefined) {
      table = { collection, reads: new Map(), writes: new Map(), ranges: [], isWhole: false };
      this.#tables.set(collection.name, table);
    }
    return table;
  }
}

function rangePassed({ range, reached, ended, reverse }: ScannedRange): Range | undefined {
  if (ended) return range;
  if (reached === undefined) return undefined;
  // No key sorts between a key and the same key followed by null, so this includes `reached` and nothing after it.
  return reverse ? { ...range, from: reached } : { ...range, to: [...reached, null] };
}
