// Encodes and decodes values: JSON text for records, a copy for bytes.
import type { Collection } from './collection.ts';
import type { StoredValue } from './engine/stored.ts';
import { StoreArgumentError, StoreCorruptError } from './errors.ts';
import { encodeJson } from './json.ts';
import { describeKey, type Key } from './key.ts';

/** The maximum size of a value. Split larger ones into several entries. */
export const maxValueBytes = 64 * 1024 * 1024;

export function encodeValue(collection: Collection, key: Key, value: unknown): StoredValue {
  const where = `The value of ${collection.name} ${describeKey(key)}`;
  let stored: StoredValue;
  if (collection.holds === 'records') {
    stored = encodeJson(value, where);
  } else {
    if (!(value instanceof Uint8Array))
      throw new StoreArgumentError(`${where} must be a Uint8Array, not ${value === null ? 'null' : typeof value}.`, {
        collection: collection.name,
      });
    stored = new Uint8Array(value);
  }
  if (stored.length > maxValueBytes) {
    throw new StoreArgumentError(
      `${where} has ${stored.length} bytes; the limit is ${maxValueBytes}. Split it into several entries.`,
      { bytes: stored.length, limit: maxValueBytes },
    );
  }
  return stored;
}

export function decodeValue(collection: Collection, key: Key, stored: StoredValue): unknown {
  if (typeof stored !== 'string') return stored;
  try {
    return JSON.parse(stored) as unknown;
  } catch (cause) {
    throw new StoreCorruptError(
      `The record ${collection.name} ${describeKey(key)} is damaged: it is not JSON. Restore the store from a backup.`,
      { collection: collection.name },
      cause,
    );
  }
}
