// Images as producers hand them in: checked once at the edge, so that everything inside may rely on their shape.
import { createHash } from 'node:crypto';
import { HistoryArgumentError, HistoryTooLargeError } from '../errors.ts';
import type { BootHash, BootImage, Image } from '../history.ts';
import { pageBytes, wordBytes, type HistoryLimits } from '../limits.ts';

/** Names a boot image. Chains can be created from it afterwards. */
export function bootImage(image: Image): BootImage {
  refuseOddSize('The boot image', image.bytes);
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

/** Copies whole pages from one image to another of at least the same length. */
export function copyPages(from: Uint8Array, to: Uint8Array, pages: Iterable<number>): void {
  for (const page of pages) {
    const start = page * pageBytes;
    to.set(from.subarray(start, start + pageBytes), start);
  }
}

export function refuseImage(what: string, { bytes, header }: Image, limits: HistoryLimits): void {
  refuseOddSize(what, bytes);
  refuseLarge(what, 'imageBytes', bytes.length, limits);
  refuseHeader(what, header, limits);
}

export function refuseHeader(what: string, header: Uint8Array, limits: HistoryLimits): void {
  if (!(header instanceof Uint8Array)) throw new HistoryArgumentError(`${what}: the header must be a Uint8Array.`);
  refuseLarge(`The header of ${what.toLowerCase()}`, 'headerBytes', header.length, limits);
}

export function refuseOddSize(what: string, bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw new HistoryArgumentError(`${what} must be a Uint8Array.`);
  if (bytes.length % pageBytes !== 0) {
    throw new HistoryArgumentError(
      `${what} has ${bytes.length} bytes; an image is a whole number of ${pageBytes}-byte pages. Pad it with zeros.`,
      { bytes: bytes.length },
    );
  }
  if (bytes.byteOffset % wordBytes !== 0) {
    throw new HistoryArgumentError(
      `${what} begins at byte ${bytes.byteOffset} of its buffer; it must begin at a multiple of ${wordBytes}.`,
      { byteOffset: bytes.byteOffset },
    );
  }
}

export function refuseLarge(what: string, limit: keyof HistoryLimits, bytes: number, limits: HistoryLimits): void {
  if (bytes > limits[limit]) {
    throw new HistoryTooLargeError(
      `${what} has ${bytes} bytes; ${limits[limit]} are allowed. Keep less in it, or raise the limit '${limit}'.`,
      { bytes, limit: limits[limit], option: limit },
    );
  }
}

const zeroPage = Buffer.alloc(pageBytes);

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
