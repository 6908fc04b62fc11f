// Committed rows overlaid with the pending writes of this process, which are not durable yet.
import {
  boundsOf,
  encodeKey,
  within,
  type EncodedKey,
  type Key,
  type Page,
  type Range,
  type RecordCollection,
  type Revision,
} from '../../store/door.ts';
import type { CommittedRow, RowScan, RowSource } from './row-source.ts';
import type { RowTransaction } from './row-transaction.ts';

export interface PendingWrites {
  readonly number: number;
  readonly transaction: RowTransaction;
  committed: Revision | undefined;
  failure: Error | undefined;
  /** Rows dropped because another process created the same singleton: their revisions, if the content is equal. */
  replaced?: ReadonlyMap<string, Revision | undefined>;
}

/** Uncommitted rows have the negative number of their transaction as revision. */
export function isPending(revision: Revision): boolean {
  return revision < 0;
}

export class PendingSource implements RowSource {
  readonly pending: readonly PendingWrites[];
  readonly #base: RowSource;

  constructor(base: RowSource, pending: readonly PendingWrites[]) {
    this.#base = base;
    this.pending = pending;
  }

  get revision(): Revision {
    return this.#base.revision;
  }

  read(collection: RecordCollection<unknown>, key: Key, encoded: EncodedKey): CommittedRow | undefined {
    for (const { number, transaction } of this.pending.toReversed()) {
      const written = transaction.written(collection, encoded);
      if (written !== undefined)
        return written.value === undefined ? undefined : { key, value: written.value, revision: -number };
    }
    return this.#base.read(collection, key, encoded);
  }

  expect(collection: RecordCollection<unknown>, keys: readonly Key[]): void {
    this.#base.expect(collection, keys);
  }

  scan(collection: RecordCollection<unknown>, range: Range, options: RowScan): Page<unknown> {
    const own = this.#written(collection, range);
    if (own.size === 0) return this.#base.scan(collection, range, options);
    const after = options.cursor === undefined ? undefined : (JSON.parse(options.cursor) as [string | null, string]);
    const page: Page<unknown> =
      after !== undefined && after[0] === null
        ? { entries: [], cursor: undefined, revision: this.revision }
        : this.#base.scan(collection, range, { ...options, cursor: after?.[0] ?? undefined });
    const passed = (key: EncodedKey, mark: string): boolean => (options.reverse ? key >= mark : key <= mark);
    const lastEntry = page.entries.at(-1);
    // Rows beyond this page come with the next one.
    const end = page.cursor === undefined || lastEntry === undefined ? undefined : encodeKey(lastEntry.key);
    const rows = new Map(page.entries.map((entry): [EncodedKey, CommittedRow] => [encodeKey(entry.key), entry]));
    for (const [key, row] of own) {
      if ((after !== undefined && passed(key, after[1])) || (end !== undefined && !passed(key, end))) continue;
      if (row === undefined) rows.delete(key);
      else rows.set(key, row);
    }
    const entries = [...rows].toSorted(([a], [b]) => (a === b ? 0 : a > b !== options.reverse ? 1 : -1));
    return {
      entries: entries.map(([, row]) => row),
      cursor: end === undefined ? undefined : JSON.stringify([page.cursor ?? null, end]),
      revision: page.revision,
    };
  }

  writesOf(revision: Revision): PendingWrites {
    return this.pending.find(({ number }) => number === -revision) as PendingWrites;
  }

  /** A failed transaction whose rows a scan of this range has read. */
  failedIn(collection: RecordCollection<unknown>, range: Range): PendingWrites | undefined {
    const bounds = boundsOf(range);
    return this.pending.find(
      ({ failure, transaction }) =>
        failure !== undefined && [...transaction.writtenRows(collection).keys()].some((key) => within(key, bounds)),
    );
  }

  #written(collection: RecordCollection<unknown>, range: Range): Map<EncodedKey, CommittedRow | undefined> {
    const bounds = boundsOf(range);
    const rows = new Map<EncodedKey, CommittedRow | undefined>();
    for (const { number, transaction } of this.pending)
      for (const [encoded, { key, value }] of transaction.writtenRows(collection))
        if (within(encoded, bounds))
          rows.set(encoded, value === undefined ? undefined : { key, value, revision: -number });
    return rows;
  }
}
