// A file of frames: a mark of what it is, and frames one after another.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreCorruptError, StoreNewerError } from '../errors.ts';
import { frameAt, type FrameSource } from '../journal/frame.ts';

const mark = 'STATEKJ';
const version = 1;
export const markBytes = 8;
const windowBytes = 4 * 1024 * 1024;

export function fileMark(): Buffer {
  return Buffer.from(`${mark}${String.fromCharCode(version)}`, 'latin1');
}

/** Where the whole frames of a file end, and what comes after them. */
export interface FramesRead {
  /** Where the last whole frame ends. */
  readonly end: number;
  readonly frames: number;
  /** Why there is no frame after the last whole one; undefined at the end of the file. */
  readonly trouble: string | undefined;
  /** A whole frame follows the one that is in trouble, so the trouble is not the end of an interrupted write. */
  readonly isFollowed: boolean;
}

/** Reads a file frame by frame, with one window of it in memory. */
export function readFrames(path: string, file: number, take: (payload: Buffer, end: number) => void): FramesRead {
  const descriptor = openSync(path, 'r');
  try {
    const source = new WindowSource(descriptor);
    if (source.size < markBytes) return { end: 0, frames: 0, trouble: 'it has no beginning', isFollowed: false };
    checkMark(path, source.bytes(0, markBytes));
    let end = markBytes;
    let frames = 0;
    while (end < source.size) {
      const found = frameAt(source, end, file, frames);
      if (found.status === 'whole') {
        take(found.payload, found.end);
        end = found.end;
        frames++;
        continue;
      }
      const trouble = found.status === 'cut off' ? 'its last piece is cut off' : found.why;
      return { end, frames, trouble, isFollowed: hasFrameAfter(source, end, file, frames) };
    }
    return { end, frames, trouble: undefined, isFollowed: false };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the next frame is whole, if the length that this one states is right. */
function hasFrameAfter(source: FrameSource, position: number, file: number, sequence: number): boolean {
  if (source.size - position < 16) return false;
  const next = position + 16 + source.bytes(position, 4).readUInt32LE(0);
  return next < source.size && frameAt(source, next, file, sequence + 1).status === 'whole';
}

function checkMark(path: string, found: Buffer): void {
  if (found.toString('latin1', 0, mark.length) !== mark)
    throw new StoreCorruptError(
      `${path} is damaged: it does not begin as a journal does. Restore the folder from a backup.`,
      {
        file: path,
      },
    );
  const newer = found[mark.length] as number;
  if (newer !== version)
    throw new StoreNewerError(
      `${path} was written in format ${newer}, and this Statek reads format ${version}. Use a newer Statek.`,
      {
        file: path,
        format: newer,
      },
    );
}

/** A file of which one window is in memory. */
export class WindowSource implements FrameSource {
  readonly size: number;
  readonly #descriptor: number;
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.size = fstatSync(descriptor).size;
  }

  bytes(position: number, length: number): Buffer {
    if (position < this.#start || position + length > this.#start + this.#window.length) {
      const window = Buffer.allocUnsafe(Math.min(Math.max(windowBytes, length), this.size - position));
      let filled = 0;
      while (filled < window.length) {
        const count = readSync(this.#descriptor, window, filled, window.length - filled, position + filled);
        if (count === 0) throw new StoreCorruptError('A journal became shorter while it was read.');
        filled += count;
      }
      this.#window = window;
      this.#start = position;
    }
    const offset = position - this.#start;
    return this.#window.subarray(offset, offset + length);
  }
}
