// A serializable transaction over rows of the store: reads of one revision, writes held back, and the checks that make
// the commit conditional on everything that was read, ranges included.
import type { RecordCollection } from '../../store/collection.ts';
import { encodeKey, type EncodedKey, type Key } from '../../store/key.ts';
import { boundsOf, within, type Range } from '../../store/range.ts';
import type { Check, Revision, Write } from '../../store/store.ts';
import { NotLoadedError, ObjectReadOnlyError } from '../errors.ts';
import type { CommittedRow, RowSource } from './row-source.ts';

type Rows = RecordCollection<unknown>;

interface WrittenRow {
  readonly key: Key;
  /** Undefined: removed. */
  readonly value: unknown;
  /** False: it is only what this transaction sees. */
  readonly isKept: boolean;
  readonly isMeant: boolean;
  /** How many savepoints there were before it was written. */
  readonly savepoints: number;
}

interface ReadRow {
  readonly key: Key;
  /** Undefined: there was none. */
  readonly revision: Revision | undefined;
  readonly value: unknown;
}

/** How far a scan has come; what it passed must be unchanged when the transaction commits. */
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
  /** So much was read that it is checked as a whole. */
  isWhole: boolean;
}

export interface ScannedRow {
  readonly key: Key;
  readonly value: unknown;
}

// Reads past this number are checked together, so that memory stays bounded; a stricter check, never a laxer one.
const mostReads = 50_000;
const firstPage = 32;
const laterPage = 256;

export class RowTransaction {
  readonly source: RowSource;
  readonly readonly: string | undefined;
  /** Values written by this transaction that nobody else has: they may be changed in place. */
  readonly drafts = new WeakSet<object>();
  readonly #tables = new Map<string, Table>();
  /** What to do to take back each change since the beginning. */
  readonly #undo: (() => void)[] = [];
  /** Writes that somebody meant; others go along with them, or nowhere. */
  #meant = 0;
  #hasDropped = false;
  #savepoints = 0;
  #aside: 'no' | 'kept' | 'dropped' = 'no';
  #doom: Error | undefined;

  /** `readonly` says why nothing may be written. */
  constructor(source: RowSource, readonly?: string) {
    this.source = source;
    this.readonly = readonly;
  }

  get revision(): Revision {
    return this.source.revision;
  }

  /** Something was written that must be committed. */
  get hasWrites(): boolean {
    return this.#meant > 0;
  }

  /** Why this transaction can only be dropped. */
  get doom(): Error | undefined {
    return this.#doom;
  }

  get(collection: Rows, key: Key): unknown {
    this.#refuseDoomed();
    const table = this.#table(collection);
    const encoded = encodeKey(key);
    const written = table.writes.get(encoded);
    if (written !== undefined) return written.value;
    return this.#read(table, key, encoded).value;
  }

  /** Says that nothing is there, without looking: the commit will. */
  expectAbsent(collection: Rows, key: Key): void {
    this.#refuseDoomed();
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
   * Writes that follow from looking: allowed where nothing may be written, and committed only along with others, or not
   * even then unless `isKept`.
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

  /** Says that these rows are about to be read. */
  expect(collection: Rows, keys: readonly Key[]): void {
    this.source.expect(collection, keys);
  }

  /**
   * Rows of a range in order, this transaction's own changes included. What is added while it is scanned is not met, so
   * that every scan ends; what is removed is not met either.
   */
  *scan(collection: Rows, range: Range, reverse = false): Generator<ScannedRow, void, undefined> {
    this.#refuseDoomed();
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
      this.#refuseDoomed();
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
      // As it is now: it may have been written, removed or taken back since the scan began.
      const written = table.writes.get(encoded);
      const value = written === undefined ? (encoded === storedKey ? stored?.value : undefined) : written.value;
      if (value !== undefined) yield { key, value };
    }
  }

  /** A place to come back to with `rollbackTo`. */
  savepoint(): number {
    this.#savepoints++;
    return this.#undo.length;
  }

  /** Takes back every write since the savepoint. What was read stays read. */
  rollbackTo(savepoint: number): void {
    while (this.#undo.length > savepoint) (this.#undo.pop() as () => void)();
  }

  /** From here on every use throws `reason`, and nothing of this can be committed. */
  condemn(reason: Error): void {
    this.#doom ??= reason;
  }

  checks(): Check[] {
    const checks: Check[] = [];
    const since = this.revision;
    for (const { collection, reads, ranges, isWhole } of this.#tables.values()) {
      if (isWhole) {
        checks.push({ kind: 'unchanged', collection, range: {}, since });
        // A new row among those that were expected to be absent is a change, too.
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
        if (range !== undefined) checks.push({ kind: 'unchanged', collection, range, since });
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

  /** Keys that were read, for loading them ahead next time. */
  keysRead(collection: Rows): Key[] {
    return [...(this.#tables.get(collection.name)?.reads.values() ?? [])].map(({ key }) => key);
  }

  /** Whether this transaction depends on the row being there already, or has put it there. */
  knows(collection: Rows, key: Key): boolean {
    const table = this.#tables.get(collection.name);
    const encoded = encodeKey(key);
    const written = table?.writes.get(encoded);
    return written === undefined ? table?.reads.get(encoded)?.value !== undefined : written.value !== undefined;
  }

  /** What this transaction leaves in a row, if it wrote it. */
  written(collection: Rows, encoded: EncodedKey): WrittenRow | undefined {
    const written = this.#tables.get(collection.name)?.writes.get(encoded);
    return written?.isKept === true ? written : undefined;
  }

  /** The rows of a collection this transaction wrote. */
  writtenRows(collection: Rows): ReadonlyMap<EncodedKey, WrittenRow> {
    const written = this.#tables.get(collection.name)?.writes ?? new Map<EncodedKey, WrittenRow>();
    return this.#hasDropped ? new Map([...written].filter(([, { isKept }]) => isKept)) : written;
  }

  /** Says that a value which this transaction alone has was changed in place, and how to take that back. */
  changed(takeBack: () => void): void {
    this.#meant++;
    this.#undo.push(() => {
      this.#meant--;
      takeBack();
    });
  }

  #write(collection: Rows, key: Key, value: unknown): void {
    this.#refuseDoomed();
    const isMeant = !this.isAside;
    if (this.readonly !== undefined && isMeant) throw new ObjectReadOnlyError(this.readonly);
    const { writes } = this.#table(collection);
    const encoded = encodeKey(key);
    const before = writes.get(encoded);
    const savepoints = this.#savepoints;
    // Nobody can come back to what was written since the last savepoint, so it is not held.
    if (before?.savepoints !== savepoints || before.isMeant !== isMeant) {
      this.#undo.push(() => {
        if (isMeant) this.#meant--;
        if (before === undefined) writes.delete(encoded);
        else writes.set(encoded, before);
      });
      if (isMeant) this.#meant++;
    }
    const isKept = this.#aside !== 'dropped';
    this.#hasDropped ||= !isKept;
    writes.set(encoded, { key, value, isKept, isMeant, savepoints });
  }

  #read(table: Table, key: Key, encoded: EncodedKey): ReadRow {
    let read = table.reads.get(encoded);
    if (read === undefined) {
      const row = this.#committed(table.collection, key, encoded);
      read = { key, revision: row?.revision, value: row?.value };
      if (table.reads.size >= mostReads) {
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

  // Whoever catches a fault must not go on with half an answer.
  #doomedByFault<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      // What is not loaded outside a transaction is the application's to deal with.
      if (!(error instanceof NotLoadedError)) this.condemn(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  #refuseDoomed(): void {
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
  // No key lies between one and the same with null after it, so this takes in `reached` and nothing behind it.
  return reverse ? { ...range, from: reached } : { ...range, to: [...reached, null] };
}
