// The change log: one row per committed transaction, with the keys it changed. The change feed and range checks read it.
// A row is a compact sequence of collection number, kind and key.
import type { CollectionId } from './stored.ts';
import { StoreCorruptError } from '../errors.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';

export interface LoggedChange {
  readonly kind: 'put' | 'remove' | 'released';
  readonly collection: CollectionId;
  readonly key: EncodedKey;
}

export interface LogRow {
  readonly revision: Revision;
  readonly changes: readonly LoggedChange[];
}

const kinds = ['put', 'remove', 'released'] as const;

export function encodeChanges(changes: readonly LoggedChange[]): Buffer {
  let text = '';
  for (const { kind, collection, key } of changes) {
    text += number(collection) + String.fromCharCode(kinds.indexOf(kind)) + number(key.length) + key;
  }
  return Buffer.from(text, 'latin1');
}

export function decodeChanges(revision: Revision, bytes: Uint8Array): readonly LoggedChange[] {
  const changes: LoggedChange[] = [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let position = 0;
  const damaged = (): StoreCorruptError =>
    new StoreCorruptError(`The change log is damaged at revision ${revision}.`, { revision });
  const takeNumber = (): number => {
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = text.charCodeAt(position++);
      if (Number.isNaN(byte)) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw damaged();
  };
  while (position < text.length) {
    const collection = takeNumber();
    const kind = kinds[text.charCodeAt(position++)];
    const length = takeNumber();
    if (kind === undefined || position + length > text.length) throw damaged();
    changes.push({ kind, collection, key: text.slice(position, position + length) as EncodedKey });
    position += length;
  }
  return changes;
}

// LEB128: seven bits per byte, lowest first; the high bit marks that more follow.
function number(value: number): string {
  let text = '';
  while (value > 0x7f) {
    text += String.fromCharCode((value & 0x7f) | 0x80);
    value >>>= 7;
  }
  return text + String.fromCharCode(value);
}
