// Validates images from producers at the boundary, so that everything inside can rely on their shape.
import { createHash } from 'node:crypto';
import { HistoryArgumentError, HistoryTooLargeError } from '../errors.ts';
import type { BootHash, BootImage, Image } from '../history.ts';
import { pageBytes, wordBytes, type HistoryLimits } from '../limits.ts';

/** Hashes a boot image, so that chains can be created from it. */
export function bootImage(image: Image): BootImage {
  checkSize('The boot image', image.bytes);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(image.header.length));
  const hash = createHash('sha256').update(size).update(image.header).update(image.bytes).digest('hex') as BootHash;
  return { hash, bytes: image.bytes, header: image.header };
}

/** Pages that differ between two images, ascending. Pages that only one of them has count if they are not all zeros. */
export function changedPages(previous: Uint8Array, current: Uint8Array): number[] {
  const before = bufferOf(previous);
  const after = bufferOf(current);
  const shared = Math.min(before.length, after.length);
  const changed: number[] = [];
  for (let start = 0; start < shared; start += pageBytes) {
    if (before.compare(after, start, start + pageBytes, start, start + pageBytes) !== 0) {
      changed.push(start / pageBytes);
    }
  }
  const longer = before.length > shared ? before : after;
  for (let start = shared; start < longer.length; start += pageBytes) {
    if (longer.compare(zeroPage, 0, pageBytes, start, start + pageBytes) !== 0) changed.push(start / pageBytes);
  }
  return changed;
}

/** Pages that are not all zeros, ascending. */
export function pagesInUse(bytes: Uint8Array): number[] {
  return changedPages(new Uint8Array(0), bytes);
}

/** Copies whole pages to an image of at least the same length. */
export function copyPages(from: Uint8Array, to: Uint8Array, pages: Iterable<number>): void {
  for (const page of pages) {
    const start = page * pageBytes;
    to.set(from.subarray(start, start + pageBytes), start);
  }
}

export function checkImage(what: string, { bytes, header }: Image, limits: HistoryLimits): void {
  checkSize(what, bytes);
  checkLimit(what, 'imageBytes', bytes.length, limits);
  checkHeader(what, header, limits);
}

export function checkHeader(what: string, header: Uint8Array, limits: HistoryLimits): void {
  if (!(header instanceof Uint8Array)) throw new HistoryArgumentError(`${what}: the header must be a Uint8Array.`);
  checkLimit(`The header of ${what.toLowerCase()}`, 'headerBytes', header.length, limits);
}

export function checkSize(what: string, bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw new HistoryArgumentError(`${what} must be a Uint8Array.`);
  if (bytes.length % pageBytes !== 0) {
    throw new HistoryArgumentError(
      `${what} has ${bytes.length} bytes; an image is a whole number of ${pageBytes}-byte pages. Pad it with zeros.`,
      { bytes: bytes.length },
    );
  }
  if (bytes.byteOffset % wordBytes !== 0) {
    throw new HistoryArgumentError(
      `${what} starts at byte ${bytes.byteOffset} of its buffer; it must start at a multiple of ${wordBytes}. Copy it to a new buffer.`,
      { byteOffset: bytes.byteOffset },
    );
  }
}

export function checkLimit(what: string, limit: keyof HistoryLimits, bytes: number, limits: HistoryLimits): void {
  if (bytes > limits[limit]) {
    throw new HistoryTooLargeError(
      `${what} has ${bytes} bytes; the limit is ${limits[limit]}. Store less in it, or raise the limit '${limit}'.`,
      { bytes, limit: limits[limit], option: limit },
    );
  }
}

const zeroPage = Buffer.alloc(pageBytes);

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
