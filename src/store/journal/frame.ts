// Frames: how a journal keeps pieces apart and notices damage. A frame has a header with a checksum of its own, so that a frame
// that was cut off can be told from one whose bytes have changed.
import { crc32 } from 'node:zlib';

export const frameHeaderBytes = 16;

/** @param file seeds the checksum, so that a frame of another file is not taken for one of this */
export function frameOf(file: number, sequence: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(sequence >>> 0, 4);
  frame.writeUInt32LE(crc32(payload, file >>> 0), 8);
  frame.writeUInt32LE(crc32(frame.subarray(0, 12), file >>> 0), 12);
  frame.set(payload, frameHeaderBytes);
  return frame;
}

export type FrameFound =
  | { readonly status: 'whole'; readonly payload: Buffer; readonly end: number }
  /** The bytes end before the frame does. */
  | { readonly status: 'cut off' }
  | { readonly status: 'damaged'; readonly why: string };

/** Bytes that frames are read from. */
export interface FrameSource {
  readonly size: number;
  bytes(position: number, length: number): Buffer;
}

/** The frame at a position. */
export function frameAt(source: FrameSource, position: number, file: number, sequence: number): FrameFound {
  if (source.size - position < frameHeaderBytes) return { status: 'cut off' };
  const header = source.bytes(position, frameHeaderBytes);
  if (crc32(header.subarray(0, 12), file >>> 0) !== header.readUInt32LE(12))
    return { status: 'damaged', why: 'the checksum of a header is wrong' };
  if (header.readUInt32LE(4) !== sequence >>> 0)
    return { status: 'damaged', why: `piece ${header.readUInt32LE(4)} is where ${sequence} should be` };
  const length = header.readUInt32LE(0);
  const checksum = header.readUInt32LE(8);
  const start = position + frameHeaderBytes;
  if (start + length > source.size) return { status: 'cut off' };
  const payload = source.bytes(start, length);
  if (crc32(payload, file >>> 0) !== checksum) return { status: 'damaged', why: 'a checksum is wrong' };
  return { status: 'whole', payload, end: start + length };
}
