// Rows that the application has loaded from a store without synchronous reads. Using any other row is an error.
import {
  encodeKey,
  type EncodedKey,
  type Key,
  type Page,
  type RecordCollection,
  type Revision,
} from '../../store/door.ts';
import { NotLoadedError } from '../errors.ts';
import type { CommittedRow, RowSource } from './row-source.ts';
import { objectCollections } from '../rows.ts';
import type { RowTransaction } from './row-transaction.ts';

const maxRows = 100_000;

export class LoadedRows implements RowSource {
  readonly #rows = new Map<string, CommittedRow | undefined>();
  readonly revision: Revision = 0;
  readonly #isNeeded: boolean;

  /** `isNeeded`: the store has no synchronous reads. */
  constructor(isNeeded: boolean) {
    this.#isNeeded = isNeeded;
  }

  read(collection: RecordCollection<unknown>, _key: Key, encoded: EncodedKey): CommittedRow | undefined {
    const name = `${collection.name} ${encoded}`;
    if (this.#rows.has(name)) return this.#rows.get(name);
    throw new NotLoadedError(
      'This object is not loaded, and the store has no synchronous reads. Use it inside kit.transaction(() => …), or load it first with await kit.load(object).',
      { collection: collection.name },
    );
  }

  scan(): Page<unknown> {
    throw new NotLoadedError('The store has no synchronous reads. Query objects inside kit.transaction(() => …).');
  }

  expect(): void {
    // Only loaded rows can be read.
  }

  keep(collection: RecordCollection<unknown>, key: Key, row: CommittedRow | undefined): void {
    const name = `${collection.name} ${encodeKey(key)}`;
    this.#rows.delete(name);
    this.#rows.set(name, row);
    if (this.#rows.size <= maxRows) return;
    const [oldest] = this.#rows.keys();
    this.#rows.delete(oldest as string);
  }

  /** Rows written by a committed transaction need not be loaded. */
  wrote(transaction: RowTransaction, revision: Revision): void {
    if (!this.#isNeeded) return;
    for (const collection of objectCollections)
      for (const [, { key, value }] of transaction.writtenRows(collection))
        this.keep(collection, key, value === undefined ? undefined : { key, value, revision });
  }
}
