// What the load writes: a collection of each shape, and values that follow from the transaction that wrote them, so that
// a journal need not repeat them and half a value is recognised.
import { bytesCollection, recordCollection, workCollection, type Collection } from '../../src/store/collection.ts';
import type { Key } from '../../src/store/key.ts';
import { hashOf } from './random.ts';

/** A record names the transaction that wrote it. */
export interface LoadRecord {
  readonly transaction: string;
  readonly key: string;
  readonly filling: string;
}

/** Every transaction leaves one entry here, which names it. */
export const marks = recordCollection<LoadRecord>('crash_marks');
export const records = recordCollection<LoadRecord>('crash_records');
export const versions = recordCollection<LoadRecord>('crash_versions', { keeps: 'versions' });
export const bytes = bytesCollection('crash_bytes');
export const byteVersions = bytesCollection('crash_byte_versions', { keeps: 'versions' });
export const work = workCollection<LoadRecord>('crash_work');

export const everyCollection: readonly Collection[] = [marks, records, versions, bytes, byteVersions, work];

/** Keys that are always written together, in all of `twinCollections`. */
export const twinKeys: readonly Key[] = Array.from({ length: 8 }, (_, index) => ['twin', index]);
export const twinCollections = [records, versions, bytes, byteVersions] as const;

export function collectionNamed(name: string): Collection {
  const found = everyCollection.find((collection) => collection.name === name);
  if (found === undefined) throw new Error(`There is no collection '${name}' in the load.`);
  return found;
}

/** The value that a transaction puts under a key. */
export function valueFor(collection: Collection, key: Key, transaction: string): LoadRecord | Uint8Array {
  const keyText = JSON.stringify(key);
  const filling = fillingFor(`${collection.name} ${keyText} ${transaction}`);
  if (collection.holds === 'records') return { transaction, key: keyText, filling };
  return Buffer.from(`${transaction} ${keyText} ${filling}`);
}

/** Whether a value read is exactly what the transaction put. */
export function isValueFor(collection: Collection, key: Key, transaction: string, value: unknown): boolean {
  const expected = valueFor(collection, key, transaction);
  if (expected instanceof Uint8Array) return value instanceof Uint8Array && Buffer.compare(expected, value) === 0;
  return JSON.stringify(value) === JSON.stringify(expected);
}

// Mostly small, sometimes a few pages, rarely many: each is written differently.
function fillingFor(text: string): string {
  const hash = hashOf(text);
  const length = hash % 50 === 0 ? 30_000 : hash % 9 === 0 ? 5000 : hash % 400;
  return hash
    .toString(36)
    .padEnd(8, '-')
    .repeat(Math.ceil(length / 8))
    .slice(0, length);
}
