// Rows as they are in the file. Each carries a checksum of its key and value, so that a flipped byte is an error.
import { crc32 } from 'node:zlib';
import type { StoredEntry, StoredValue } from '../stored.ts';
import { StoreCorruptError } from '../errors.ts';
import { describeEncodedKey, keyFromBytes } from '../key.ts';
import { decodeChanges, type LogRow } from '../log.ts';

export interface EntryRow {
  readonly key: Uint8Array;
  readonly revision: number;
  readonly checksum: number;
  readonly value: StoredValue;
}

export interface LogTableRow {
  readonly revision: number;
  readonly checksum: number;
  readonly changes: Uint8Array;
}

export function checksumOf(key: Uint8Array, value: StoredValue): number {
  return crc32(value, crc32(key));
}

export function entryFromRow(collection: string, row: EntryRow): StoredEntry {
  const key = keyFromBytes(row.key);
  if (checksumOf(row.key, row.value) !== row.checksum) {
    throw new StoreCorruptError(
      `The entry ${collection} ${describeEncodedKey(key)} is damaged: its checksum is wrong. Restore the store from a copy.`,
      { collection, revision: row.revision },
    );
  }
  return { key, value: row.value, revision: row.revision };
}

export function logFromRow({ revision, checksum, changes }: LogTableRow): LogRow {
  if (crc32(changes, revision >>> 0) !== checksum) {
    throw new StoreCorruptError(
      `The change log is damaged at revision ${revision}: its checksum is wrong. Restore the store from a copy.`,
      { revision },
    );
  }
  return { revision, changes: decodeChanges(revision, changes) };
}

export function logChecksum(revision: number, changes: Uint8Array): number {
  return crc32(changes, revision >>> 0);
}
