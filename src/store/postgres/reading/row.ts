// Encodes and decodes table rows. Each has a checksum of its key and value, to detect corruption.
import { crc32 } from 'node:zlib';
import { StoreCorruptError } from '../../errors.ts';
import { decodedKey, describeEncodedKey, keyBytes, type EncodedKey } from '../../key.ts';
import { decodeChanges, encodeChanges, type LogRow } from '../../engine/log.ts';
import type { Revision } from '../../store.ts';
import type { StoredEntry, StoredValue } from '../../engine/stored.ts';
import { bigintArray, bytesArray, integerArray, keysArray, textArray } from './binary.ts';
import { acceptableJson, readableKey } from './readable.ts';

/** A version of an entry as it goes into a table. */
export interface NewRow {
  readonly key: EncodedKey;
  readonly revision: number;
  readonly value: StoredValue;
  /** For a current row, the revision that superseded the previous one; for a superseded row, the one that replaced it. */
  readonly until: number;
}

/** One array per column, in the order `put` and `putPast` take them; revisions as distances from `origin`. */
export function rowParameters(rows: readonly NewRow[], origin: Revision): Buffer[] {
  const parameters = [
    keysArray(rows.map(({ key }) => key)),
    textArray(rows.map(({ key }) => readableKey(key))),
    bigintArray(rows.map(({ revision }) => revision - origin)),
    integerArray(rows.map(({ value }) => value.length)),
    bigintArray(rows.map(({ key, value }) => checksumOf(key, value))),
    bigintArray(rows.map(({ until }) => until - origin)),
  ];
  if (typeof rows[0]?.value !== 'string')
    return [...parameters, bytesArray(rows.map(({ value }) => value as Uint8Array))];
  const exact = rows.map(({ value }) => value as string);
  const readable = exact.map((json) => {
    const accepted = acceptableJson(json);
    return accepted === json ? '' : accepted;
  });
  return [...parameters, textArray(exact), textArray(readable)];
}

export function entryFrom(
  collection: string,
  key: EncodedKey,
  [revision, checksum, stored]: readonly unknown[],
): StoredEntry {
  const value = stored as string | Buffer;
  if (checksumOf(key, value) !== checksum) {
    throw new StoreCorruptError(
      `The entry ${collection} ${describeEncodedKey(key)} is damaged: its checksum is wrong. Restore the store from a backup.`,
      { collection, key: decodedKey(key), revision },
    );
  }
  return {
    key,
    revision: revision as number,
    value: typeof value === 'string' ? value : new Uint8Array(value),
  };
}

/** One array per column: distance from `origin`, checksum of the changes alone, changes. */
export function logParameters(rows: readonly LogRow[], origin: Revision): Buffer[] {
  const changes = rows.map((row) => encodeChanges(row.changes));
  return [
    bigintArray(rows.map(({ revision }) => revision - origin)),
    bigintArray(changes.map((bytes) => crc32(bytes))),
    bytesArray(changes),
  ];
}

export function logFrom([revision, checksum, changes]: readonly unknown[]): LogRow {
  const [number, bytes] = [revision as number, changes as Buffer];
  if (logChecksum(number, bytes, checksum as number) !== checksum) {
    throw new StoreCorruptError(
      `The change log is damaged at revision ${number}: its checksum is wrong. Restore the store from a backup.`,
      { revision: number },
    );
  }
  return { revision: number, changes: decodeChanges(number, bytes) };
}

function checksumOf(key: EncodedKey, value: StoredValue): number {
  return crc32(value, crc32(keyBytes(key)));
}

const revisionAdded = 2 ** 32;

// The server adds the revision, which only it knows; above 32 bits it says so. Format 1 started the checksum with it.
function logChecksum(revision: number, changes: Uint8Array, stored: number): number {
  if (stored < revisionAdded) return crc32(changes, revision >>> 0);
  return ((crc32(changes) ^ (revision % revisionAdded)) >>> 0) + revisionAdded;
}
