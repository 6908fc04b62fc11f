// Records as bytes: JSON text or MessagePack, compressed or not. Every packed record says how it was packed, so that records that
// were written with different settings can be read side by side.
// Imported as a whole: named imports would fail on an old Node before the version check can run.
import zlib from 'node:zlib';
import { decode, encode } from '@msgpack/msgpack';
import { StoreCorruptError } from '../errors.ts';
import { maxValueBytes } from '../value.ts';

export interface Packing {
  readonly format: 'json' | 'msgpack';
  readonly compression: 'none' | 'gzip' | 'zstd';
}

export interface Packed {
  /** How it is packed: the format in the low four bits, the compression above them. */
  readonly code: number;
  readonly bytes: Uint8Array;
}

const formats = { json: 1, msgpack: 2, bytes: 3 } as const;
const compressions = { none: 0, gzip: 1, zstd: 2 } as const;

/** What is shorter does not become smaller. */
const minCompressedBytes = 128;

/** A character of a record takes up to three bytes, a short number in MessagePack up to nine. More is an attack or damage. */
const maxUnpackedBytes = 4 * maxValueBytes;

const maxDepth = 256;

/** Packs JSON text. */
export function packText(text: string, { format, compression }: Packing): Packed {
  const binary = format === 'msgpack' ? messagePack(text) : undefined;
  return binary === undefined
    ? compress(formats.json, Buffer.from(text, 'utf8'), compression)
    : compress(formats.msgpack, binary, compression);
}

/** Packs bytes, which have no format. */
export function packBytes(bytes: Uint8Array, { compression }: Packing): Packed {
  return compress(formats.bytes, bytes, compression);
}

/** The JSON text or bytes that were packed. Throws `StoreCorruptError` if they cannot have been. */
export function unpack({ code, bytes }: Packed, maxBytes = maxUnpackedBytes): string | Uint8Array {
  const plain = decompress(code >>> 4, bytes, maxBytes);
  switch (code & 0x0f) {
    case formats.json:
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString('utf8');
    case formats.msgpack:
      return textOf(plain);
    case formats.bytes:
      return new Uint8Array(plain);
    default:
      throw damaged(`its format ${code & 0x0f} is unknown`);
  }
}

function compress(format: number, bytes: Uint8Array, compression: Packing['compression']): Packed {
  if (compression !== 'none' && bytes.length >= minCompressedBytes) {
    const smaller = compression === 'gzip' ? zlib.gzipSync(bytes) : zlib.zstdCompressSync(bytes);
    if (smaller.length < bytes.length) return { code: format | (compressions[compression] << 4), bytes: smaller };
  }
  return { code: format, bytes };
}

function decompress(compression: number, bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    if (compression === compressions.none) return bytes;
    if (compression === compressions.gzip) return zlib.gunzipSync(bytes, { maxOutputLength });
    if (compression === compressions.zstd) return zlib.zstdDecompressSync(bytes, { maxOutputLength });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw damaged(isTooLarge ? `it becomes larger than ${maxOutputLength} bytes` : 'it cannot be decompressed', cause);
  }
  throw damaged(`its compression ${compression} is unknown`);
}

/** Undefined for what MessagePack cannot hold: half a surrogate pair, and a member that is called __proto__. */
function messagePack(text: string): Uint8Array | undefined {
  if (/\\ud[89a-f]|__proto__/i.test(text)) return undefined;
  return encode(JSON.parse(text), { maxDepth });
}

function textOf(bytes: Uint8Array): string {
  const limit = bytes.length;
  try {
    return JSON.stringify(
      // Lengths that are larger than what is there would reserve memory before they are found wrong.
      decode(bytes, {
        maxArrayLength: limit,
        maxMapLength: limit,
        maxStrLength: limit,
        maxBinLength: 0,
        maxExtLength: 0,
      }),
    );
  } catch (cause) {
    throw damaged('it is not MessagePack', cause);
  }
}

function damaged(why: string, cause?: unknown): StoreCorruptError {
  return new StoreCorruptError(`A packed value is damaged: ${why}. Restore the store from a backup.`, { why }, cause);
}
