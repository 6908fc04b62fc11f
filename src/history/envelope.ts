// The envelope of every stored part: magic number, version, uncompressed size, and compressed contents. The size is
// checked before decompressing, so that a forged part cannot exhaust the memory.
// Imported as a whole: named imports would fail on an old Node before the version check can run.
import zlib from 'node:zlib';
import { HistoryDamagedError, HistoryForeignError, HistoryNewerError } from './errors.ts';
import { maxPartBytes } from './limits.ts';

const magic = 0x4b505453; // 'STPK'
const formatVersion = 1;
const method = { stored: 0, zstd: 1 };
const frameBytes = 12;
const minChunkBytes = 256;
const maxChunkBytes = 64 * 1024;

/** @param effort the zstd level: 1 to compress fast, more for data that is read often */
export function wrap(contents: Uint8Array, effort: number): Uint8Array {
  const compressed = zlib.zstdCompressSync(contents, {
    // The buffer for the result is allocated for each call; that of the usual size takes as long as compressing a small part.
    chunkSize: Math.min(Math.max(contents.length, minChunkBytes), maxChunkBytes),
    params: { [zlib.constants.ZSTD_c_compressionLevel]: effort },
  });
  const smaller = compressed.length < contents.length;
  const body = smaller ? compressed : contents;
  const part = Buffer.allocUnsafe(frameBytes + body.length);
  part.writeUInt32LE(magic, 0);
  part.writeUInt16LE(formatVersion, 4);
  part.writeUInt16LE(smaller ? method.zstd : method.stored, 6);
  part.writeUInt32LE(contents.length, 8);
  part.set(body, frameBytes);
  return part;
}

/** @param where names the part in messages */
export function checkForeign(part: Uint8Array, where: string): void {
  if (part.length < frameBytes || frameOf(part).readUInt32LE(0) !== magic) {
    throw new HistoryForeignError(`${where} was not written by Statek. Restore the store from a backup.`, { where });
  }
}

export function unwrap(part: Uint8Array, where: string): Uint8Array {
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
  const body = frame.subarray(frameBytes);
  const contents = frame.readUInt16LE(6) === method.stored ? body : expand(body, size, where);
  if (contents.length !== size) throw damaged(where, `it has ${contents.length} bytes instead of ${size}`);
  return contents;
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

function expand(body: Uint8Array, size: number, where: string): Uint8Array {
  try {
    return zlib.zstdDecompressSync(body, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw damaged(where, 'it cannot be decompressed', cause);
  }
}
