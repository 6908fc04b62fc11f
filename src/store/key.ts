// Keys are tuples, and their encoding preserves their order: comparing encoded keys byte by byte compares the tuples part
// by part. So every engine that orders bytes orders keys.
import { StoreArgumentError, StoreCorruptError } from './errors.ts';

/** One part of a key. Parts of different kinds sort in this order: null, boolean, number, bigint, Date, string, bytes. */
export type KeyPart = null | boolean | number | bigint | Date | string | Uint8Array;

/** A tuple of parts. A shorter tuple sorts before longer ones that start with it. */
export type Key = readonly KeyPart[];

/**
 * An encoded key: a string whose characters are bytes (0–255). Strings compare, hash and cross threads cheaply, and
 * `Buffer.from(key, 'latin1')` gives the bytes.
 */
export type EncodedKey = string & { readonly encodedKey: true };

/** The longest encoded key. PostgreSQL cannot index entries much longer than this. */
export const maxKeyBytes = 1024;

// All tags are below 0xff, so that prefix + '\xff' sorts after every key that starts with the prefix.
const tag = { null: 0x02, false: 0x03, true: 0x04, number: 0x10, bigint: 0x18, date: 0x20, string: 0x30, bytes: 0x38 };

export function encodeKey(key: Key): EncodedKey {
  const encoded = encodeParts(key);
  if (encoded.length > maxKeyBytes) {
    throw new StoreArgumentError(
      `A key is too long: ${encoded.length} encoded bytes, the limit is ${maxKeyBytes}. Store the long part in the value and its hash in the key.`,
      { bytes: encoded.length, limit: maxKeyBytes },
    );
  }
  return encoded;
}

/** Encodes a key or a prefix of one, without the length limit. */
export function encodeParts(parts: Key): EncodedKey {
  if (!Array.isArray(parts)) throw refused(parts, undefined, 'a key must be an array of parts');
  let encoded = '';
  for (let index = 0; index < parts.length; index++) encoded += encodePart(parts[index], index);
  return encoded as EncodedKey;
}

/** The encoding of a string part without its terminator: a prefix of all strings that start with `text`. */
export function encodeStringStart(text: string): string {
  return byte(tag.string) + escape(stringBytes(text));
}

function encodePart(part: unknown, index: number): string {
  switch (typeof part) {
    case 'string':
      return byte(tag.string) + escape(stringBytes(part)) + '\0';
    case 'number':
      if (Number.isNaN(part)) throw refused(part, index, 'NaN has no order');
      return byte(tag.number) + encodeDouble(part);
    case 'boolean':
      return byte(part ? tag.true : tag.false);
    case 'bigint':
      return byte(tag.bigint) + encodeBigint(part, index);
    default:
      if (part === null) return byte(tag.null);
      if (part instanceof Date) {
        if (Number.isNaN(part.getTime())) throw refused(part, index, 'the date is invalid');
        return byte(tag.date) + encodeDouble(part.getTime());
      }
      if (part instanceof Uint8Array) return byte(tag.bytes) + escape(latin1(part)) + '\0';
      throw refused(part, index, 'only strings, numbers, bigints, booleans, null, dates and bytes can be parts');
  }
}

export function decodeKey(encoded: string): Key {
  const parts: KeyPart[] = [];
  let position = 0;
  const fail = (): never => {
    throw new StoreCorruptError(`A stored key is damaged at byte ${position}: ${hex(encoded)}.`, { key: hex(encoded) });
  };
  const take = (count: number): string => {
    if (position + count > encoded.length) fail();
    position += count;
    return encoded.slice(position - count, position);
  };
  const takeEscaped = (): string => {
    const start = position;
    for (;;) {
      const zero = encoded.indexOf('\0', position);
      if (zero < 0) fail();
      position = zero + 1;
      if (encoded.charCodeAt(position) !== 0xff) {
        const escaped = encoded.slice(start, zero);
        return escaped.includes('\0') ? escaped.replaceAll('\0\xff', '\0') : escaped;
      }
      position++;
    }
  };
  while (position < encoded.length) {
    switch (encoded.charCodeAt(position++)) {
      case tag.null:
        parts.push(null);
        break;
      case tag.false:
        parts.push(false);
        break;
      case tag.true:
        parts.push(true);
        break;
      case tag.number:
        parts.push(decodeDouble(take(8)));
        break;
      case tag.date:
        parts.push(new Date(decodeDouble(take(8))));
        break;
      case tag.bigint: {
        const length = encoded.charCodeAt(position++);
        if (Number.isNaN(length)) fail();
        parts.push(
          length >= 0x80 ? decodeMagnitude(take(length - 0x80)) : ~decodeMagnitude(invert(take(0x7f - length))),
        );
        break;
      }
      case tag.string:
        parts.push(stringFrom(takeEscaped()));
        break;
      case tag.bytes:
        parts.push(new Uint8Array(Buffer.from(takeEscaped(), 'latin1')));
        break;
      default:
        position--;
        fail();
    }
  }
  return parts;
}

/** A key as text, for messages. */
export function describeKey(key: Key): string {
  return `[${key
    .map((part) =>
      part instanceof Uint8Array
        ? `bytes ${Buffer.from(part).toString('hex')}`
        : part instanceof Date
          ? part.toISOString()
          : typeof part === 'bigint'
            ? `${part}n`
            : JSON.stringify(part),
    )
    .join(', ')}]`;
}

/** Like `describeKey`, but never throws: a corrupt key is shown in hexadecimal. */
export function describeEncodedKey(encoded: string): string {
  try {
    return describeKey(decodeKey(encoded));
  } catch {
    return `bytes ${hex(encoded)}`;
  }
}

/** The key of a damaged entry, for the details of its error; undefined if it is damaged, too. */
export function decodedKey(encoded: string): Key | undefined {
  try {
    return decodeKey(encoded);
  } catch {
    return undefined;
  }
}

export function keyBytes(encoded: string): Buffer {
  return Buffer.from(encoded, 'latin1');
}

export function keyFromBytes(bytes: Uint8Array): EncodedKey {
  return latin1(bytes) as EncodedKey;
}

// Doubles: with the sign bit flipped for positive and all bits for negative numbers, byte order is numeric order.
const scratch = new DataView(new ArrayBuffer(8));

function encodeDouble(value: number): string {
  scratch.setFloat64(0, value === 0 ? 0 : value);
  const high = scratch.getUint32(0);
  const low = scratch.getUint32(4);
  return high >>> 31 ? word(~high) + word(~low) : word(high ^ 0x80000000) + word(low);
}

function decodeDouble(text: string): number {
  const high = unword(text, 0);
  const low = unword(text, 4);
  const positive = high >>> 31;
  scratch.setUint32(0, positive ? high ^ 0x80000000 : ~high);
  scratch.setUint32(4, positive ? low : ~low);
  return scratch.getFloat64(0);
}

function word(value: number): string {
  return String.fromCharCode((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function unword(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) << 24) |
      (text.charCodeAt(at + 1) << 16) |
      (text.charCodeAt(at + 2) << 8) |
      text.charCodeAt(at + 3)) >>>
    0
  );
}

// Bigints: the length first (longer is larger, and for negative numbers smaller), then the magnitude, inverted below zero.
function encodeBigint(value: bigint, index: number): string {
  const magnitude = value < 0n ? ~value : value;
  const digits = magnitude === 0n ? '' : magnitude.toString(16);
  const bytes = latin1(Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex'));
  if (bytes.length > 0x7f) throw refused(value, index, 'a bigint in a key may have at most 127 bytes');
  return value < 0n ? byte(0x7f - bytes.length) + invert(bytes) : byte(0x80 + bytes.length) + bytes;
}

function decodeMagnitude(bytes: string): bigint {
  return bytes === '' ? 0n : BigInt(`0x${hex(bytes)}`);
}

function invert(bytes: string): string {
  let inverted = '';
  for (let index = 0; index < bytes.length; index++) inverted += byte(~bytes.charCodeAt(index) & 0xff);
  return inverted;
}

// Strings are UTF-8, so they sort by code point. JavaScript strings may contain lone surrogates, which UTF-8 cannot
// encode: they are written as the three bytes their code point would take (WTF-8).
function stringBytes(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/^[\x01-\x7f]*$/.test(text)) return text;
  if (text.isWellFormed()) return latin1(Buffer.from(text, 'utf8'));
  let bytes = '';
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    bytes +=
      point >= 0xd800 && point <= 0xdfff
        ? byte(0xed) + byte(0x80 | ((point >> 6) & 0x3f)) + byte(0x80 | (point & 0x3f))
        : latin1(Buffer.from(character, 'utf8'));
  }
  return bytes;
}

function stringFrom(bytes: string): string {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes;
  return bytes
    .split(/(\xed[\xa0-\xbf][\x80-\xbf])/)
    .map((piece, index) =>
      index % 2
        ? String.fromCharCode(0xd000 | ((piece.charCodeAt(1) & 0x3f) << 6) | (piece.charCodeAt(2) & 0x3f))
        : Buffer.from(piece, 'latin1').toString('utf8'),
    )
    .join('');
}

// A zero byte inside a string or byte part would end it early, so it is followed by 0xff.
function escape(bytes: string): string {
  return bytes.includes('\0') ? bytes.replaceAll('\0', '\0\xff') : bytes;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function hex(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex');
}

function byte(value: number): string {
  return String.fromCharCode(value);
}

function refused(part: unknown, index: number | undefined, why: string): StoreArgumentError {
  const where = index === undefined ? 'A key' : `Part ${index} of a key`;
  const kind = part === null ? 'null' : typeof part;
  return new StoreArgumentError(`${where} cannot be stored (${kind}): ${why}.`, { index, kind });
}
