// Rows of the file. Each has a checksum of its contents and its collection, to detect flipped bytes and misplaced pages.
import type { SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { KnownCollection } from '../engine/engine.ts';
import type { CollectionId, StoredEntry, StoredValue } from '../engine/stored.ts';
import { StoreCorruptError } from '../errors.ts';
import { decodedKey, describeEncodedKey, keyFromBytes } from '../key.ts';
import { decodeChanges, type LogRow } from '../engine/log.ts';
import type { Revision } from '../store.ts';

/** What `node:sqlite` calls a row. The types below are aliases, so that a row can be read as one of them. */
type SqliteRow = Readonly<Record<string, SQLOutputValue>>;

export type EntryRow = {
  readonly key: Uint8Array;
  readonly revision: number;
  readonly checksum: number;
  readonly value: StoredValue;
};

type LogTableRow = {
  readonly revision: number;
  readonly checksum: number;
  readonly changes: Uint8Array;
};

/** The state of the whole store. */
export interface StoreState {
  readonly head: Revision;
  readonly horizon: Revision;
  readonly token: number;
}

export function checksumOf(collection: CollectionId, key: Uint8Array, revision: Revision, value: StoredValue): number {
  // Seeding the checksum costs nothing; the factor keeps collections and revisions apart.
  return crc32(value, crc32(key, (Math.imul(collection, 0x9e3779b1) ^ revision) >>> 0));
}

export function entryFromRow({ id, definition }: KnownCollection, row: EntryRow): StoredEntry {
  const { key, revision, value } = row;
  // A corrupt row may have columns of any type.
  const isValid =
    key instanceof Uint8Array &&
    (definition.holds === 'bytes' ? value instanceof Uint8Array : typeof value === 'string') &&
    checksumOf(id, key, revision, value) === row.checksum;
  if (!isValid) {
    const encoded = key instanceof Uint8Array ? keyFromBytes(key) : undefined;
    const where = encoded === undefined ? 'with an invalid key' : describeEncodedKey(encoded);
    throw new StoreCorruptError(
      `The entry ${definition.name} ${where} is damaged: its checksum is wrong. Restore the store from a backup.`,
      { collection: definition.name, key: encoded && decodedKey(encoded), revision },
    );
  }
  return { key: keyFromBytes(key), value, revision };
}

export function logChecksum(revision: Revision, changes: Uint8Array): number {
  return crc32(changes, revision >>> 0);
}

export function logFromRow(row: SqliteRow): LogRow {
  const { revision, checksum, changes } = row as LogTableRow;
  if (!(changes instanceof Uint8Array) || logChecksum(revision, changes) !== checksum) {
    throw new StoreCorruptError(
      `The change log is damaged at revision ${revision}: its checksum is wrong. Restore the store from a backup.`,
      { revision },
    );
  }
  return { revision, changes: decodeChanges(revision, changes) };
}

export function stateChecksum(horizon: Revision, token: number): number {
  return crc32(`${horizon} ${token}`);
}

export function stateFromRow(row: Record<string, unknown> | undefined): StoreState {
  const { horizon, token, checksum, head } = (row ?? {}) as Partial<StoreState & { checksum: number }>;
  if (
    horizon === undefined ||
    token === undefined ||
    head === undefined ||
    stateChecksum(horizon, token) !== checksum
  ) {
    throw new StoreCorruptError(
      "The store's own record of its horizon and leases is damaged: its checksum is wrong. Restore the store from a backup.",
    );
  }
  return { head, horizon, token };
}
