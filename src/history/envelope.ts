// The outermost form of every stored part: a magic, a version, the size it expands to, and the compressed contents.
// The size is checked against a limit before anything is expanded, so a forged part cannot fill the memory.
// As a whole: an old Node has no such names, and would fail before it could say that it is too old.
import zlib from 'node:zlib';
import { HistoryDamagedError, HistoryForeignError, HistoryNewerError } from './errors.ts';
import { maxPartBytes } from './limits.ts';

const magic = 0x4b505453; // 'STPK'
const formatVersion = 1;
const method = { stored: 0, zstd: 1 };
const frameBytes = 12;

/** @param effort the zstd level: 1 for what must be quick, more for what is read often */
export function wrap(contents: Uint8Array, effort: number): Uint8Array {
  const compressed = zlib.zstdCompressSync(contents, { params: { [zlib.constants.ZSTD_c_compressionLevel]: effort } });
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
export function refuseForeign(part: Uint8Array, where: string): void {
  if (part.length < frameBytes || frameOf(part).readUInt32LE(0) !== magic) {
    throw new HistoryForeignError(`${where} was not written by Statek. Restore the store from a backup.`, { where });
  }
}

export function unwrap(part: Uint8Array, where: string): Uint8Array {
  refuseForeign(part, where);
  const frame = frameOf(part);
  const version = frame.readUInt16LE(4);
  if (version > formatVersion) {
    throw new HistoryNewerError(
      `${where} has format ${version}; this Statek reads formats up to ${formatVersion}. Use the version that wrote it, or a newer one.`,
      { where, version },
    );
  }
  const size = frame.readUInt32LE(8);
  if (size > maxPartBytes) throw damaged(where, `it claims to expand to ${size} bytes; ${maxPartBytes} are allowed`);
  const body = frame.subarray(frameBytes);
  const contents = frame.readUInt16LE(6) === method.stored ? body : expand(body, size, where);
  if (contents.length !== size) throw damaged(where, `it has ${contents.length} bytes instead of ${size}`);
  return contents;
}

export function damaged(where: string, why: string, cause?: unknown): HistoryDamagedError {
  return new HistoryDamagedError(
    `${where} is damaged: ${why}. Other commits may be intact; restore the store from a backup, or fork at one that loads.`,
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
    throw damaged(where, 'it cannot be expanded', cause);
  }
}
