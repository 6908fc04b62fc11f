// The envelope of every stored part: magic number, version, method, uncompressed size; what is in clear, with its length; and compressed
// contents. The size is checked before decompressing, so that a forged part cannot exhaust the memory. Version 1 has nothing in clear.
// Imported as a whole: named imports would fail on an old Node before the version check can run.
import zlib from 'node:zlib';
import { HistoryDamagedError, HistoryForeignError, HistoryNewerError } from './errors.ts';
import { maxPartBytes } from './limits.ts';

const magic = 0x4b505453; // 'STPK'
const formatVersion = 2;
const method = { stored: 0, zstd: 1, deflateWithDictionary: 2 };
const frameBytes = 12;
/** Version 2: what is in clear, and before it its length. */
const maxClearBytes = 0xff;
const minChunkBytes = 256;
const maxChunkBytes = 64 * 1024;
/** Larger contents gain little from a dictionary, and zstd is faster. */
const maxDeflatedBytes = 16 * 1024;

export interface WrapOptions {
  /** Readable without the dictionary; at most 255 bytes. */
  readonly clear?: Uint8Array;
  /** The zstd level: 1 to compress fast, more for data that is read often. */
  readonly effort: number;
  /** Bytes that the contents resemble. Who reads them needs it, too. */
  readonly dictionary?: Uint8Array | undefined;
}

/** An opened part. */
export interface Envelope {
  /** Undefined in version 1. */
  readonly clear: Uint8Array | undefined;
  contents(dictionary?: Uint8Array): Uint8Array;
}

export function wrap(contents: Uint8Array, { clear, effort, dictionary }: WrapOptions): Uint8Array {
  const isDeflated = dictionary !== undefined && contents.length <= maxDeflatedBytes;
  const compressed = isDeflated ? deflate(contents, dictionary) : compress(contents, effort);
  const smaller = compressed.length < contents.length;
  const body = smaller ? compressed : contents;
  const clearLength = clear === undefined ? 0 : 1 + clear.length;
  const part = Buffer.allocUnsafe(frameBytes + clearLength + body.length);
  part.writeUInt32LE(magic, 0);
  part.writeUInt16LE(clear === undefined ? 1 : formatVersion, 4);
  part.writeUInt16LE(smaller ? (isDeflated ? method.deflateWithDictionary : method.zstd) : method.stored, 6);
  part.writeUInt32LE(contents.length, 8);
  if (clear !== undefined) {
    if (clear.length > maxClearBytes) throw new RangeError(`${clear.length} bytes are too many to be in clear.`);
    part[frameBytes] = clear.length;
    part.set(clear, frameBytes + 1);
  }
  part.set(body, frameBytes + clearLength);
  return part;
}

function compress(contents: Uint8Array, effort: number): Buffer {
  return zlib.zstdCompressSync(contents, {
    // The buffer for the result is allocated for each call; that of the usual size takes as long as compressing a small part.
    chunkSize: chunkBytes(contents.length),
    params: { [zlib.constants.ZSTD_c_compressionLevel]: effort },
  });
}

// Not zstd: of the Node versions that Statek supports, some know no dictionaries there.
function deflate(contents: Uint8Array, dictionary: Uint8Array): Buffer {
  return zlib.deflateRawSync(contents, { level: 1, dictionary, chunkSize: chunkBytes(contents.length) });
}

function chunkBytes(length: number): number {
  return Math.min(Math.max(length, minChunkBytes), maxChunkBytes);
}

/** @param where names the part in messages */
export function checkForeign(part: Uint8Array, where: string): void {
  if (part.length < frameBytes || frameOf(part).readUInt32LE(0) !== magic) {
    throw new HistoryForeignError(`${where} was not written by Statek. Restore the store from a backup.`, { where });
  }
}

export function open(part: Uint8Array, where: string): Envelope {
  checkForeign(part, where);
  const frame = frameOf(part);
  const version = frame.readUInt16LE(4);
  if (version > formatVersion) {
    throw new HistoryNewerError(
      `${where} has format ${version}; this version of Statek supports up to ${formatVersion}. Upgrade Statek.`,
      { where, version },
    );
  }
  const size = frame.readUInt32LE(8);
  if (size > maxPartBytes)
    throw damaged(where, `it claims an uncompressed size of ${size} bytes; the limit is ${maxPartBytes}`);
  const clearLength = version === 1 ? 0 : 1 + (frame[frameBytes] ?? 0);
  const body = frame.subarray(frameBytes + clearLength);
  return {
    clear: version === 1 ? undefined : frame.subarray(frameBytes + 1, frameBytes + clearLength),
    contents: (dictionary) => {
      const contents = expand(body, frame.readUInt16LE(6), size, dictionary, where);
      if (contents.length !== size) throw damaged(where, `it has ${contents.length} bytes instead of ${size}`);
      return contents;
    },
  };
}

export function damaged(where: string, why: string, cause?: unknown): HistoryDamagedError {
  return new HistoryDamagedError(
    `${where} is damaged: ${why}. Restore the store from a backup, or fork at another commit that is intact.`,
    { where, why },
    cause,
  );
}

function frameOf(part: Uint8Array): Buffer {
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

function expand(
  body: Uint8Array,
  how: number,
  size: number,
  dictionary: Uint8Array | undefined,
  where: string,
): Uint8Array {
  if (how === method.stored) return body;
  const maxOutputLength = Math.max(size, 1);
  try {
    if (how === method.zstd) return zlib.zstdDecompressSync(body, { maxOutputLength });
    if (how === method.deflateWithDictionary && dictionary !== undefined)
      return zlib.inflateRawSync(body, { maxOutputLength, dictionary, chunkSize: chunkBytes(size) });
  } catch (cause) {
    throw damaged(where, 'it cannot be decompressed', cause);
  }
  throw damaged(where, how === method.deflateWithDictionary ? 'its base is missing' : 'its compression is unknown');
}
