// Encodes and decodes what Redis stores. An entry is text and bytes: its revision, a colon, a checksum of key and value in
// hexadecimal, and the value. A row of the log is a checksum and the changes.
import { crc32 } from 'node:zlib';
import type { Collection } from '../../collection.ts';
import { decodeChanges, encodeChanges, type LoggedChange, type LogRow } from '../../engine/log.ts';
import type { StoredEntry, StoredValue } from '../../engine/stored.ts';
import { StoreCorruptError } from '../../errors.ts';
import { decodedKey, describeEncodedKey, keyBytes, type EncodedKey } from '../../key.ts';

const checksumLength = 8;
const colon = 0x3a;

/** A value as it is sent; the script puts the revision before it. */
export function encodeEntry(key: EncodedKey, value: StoredValue): string | Buffer {
  const checksum = hexadecimal(checksumOf(key, value));
  return typeof value === 'string' ? checksum + value : Buffer.concat([Buffer.from(checksum), value]);
}

export function decodeEntry(
  { name, holds }: Collection,
  key: EncodedKey,
  stored: Buffer | null,
  version = '',
): StoredEntry {
  const damaged = (why: string): StoreCorruptError =>
    new StoreCorruptError(
      `The entry ${name} ${describeEncodedKey(key)}${version} is damaged: ${why}. Restore the store from a backup.`,
      { collection: name, key: decodedKey(key) },
    );
  if (stored === null) throw damaged('its value is missing');
  const end = stored.indexOf(colon);
  const revision = Number(stored.toString('latin1', 0, Math.max(0, end)));
  if (end < 1 || !Number.isSafeInteger(revision) || revision < 1) throw damaged('it has no revision');
  const start = end + 1 + checksumLength;
  const bytes = stored.subarray(start);
  if (hexadecimal(checksumOf(key, bytes)) !== stored.toString('latin1', end + 1, start))
    throw damaged('its checksum is wrong');
  return { key, revision, value: holds === 'records' ? bytes.toString() : new Uint8Array(bytes) };
}

export function encodeRow(changes: readonly LoggedChange[]): Buffer {
  const bytes = encodeChanges(changes);
  return Buffer.concat([Buffer.from(hexadecimal(crc32(bytes))), bytes]);
}

export function decodeRow(id: Buffer, stored: Buffer | null): LogRow {
  const revision = revisionFrom(id);
  const bytes = stored?.subarray(checksumLength);
  if (bytes === undefined || hexadecimal(crc32(bytes)) !== stored?.toString('latin1', 0, checksumLength))
    throw new StoreCorruptError(
      `The change log is damaged at revision ${revision}: its checksum is wrong. Restore the store from a backup.`,
      { revision },
    );
  return { revision, changes: decodeChanges(revision, bytes) };
}

/** The revision in the id of a stream entry. */
export function revisionFrom(id: Buffer): number {
  return Number.parseInt(id.toString('latin1'), 10);
}

function checksumOf(key: EncodedKey, value: StoredValue): number {
  return crc32(value, crc32(keyBytes(key)));
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(checksumLength, '0');
}

/** A key as an argument: as text where that has the same bytes, because it is cheaper to send. */
export function keyArgument(key: EncodedKey): string | Buffer {
  // eslint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(key) ? key : keyBytes(key);
}
