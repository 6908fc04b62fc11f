// Images of memory as pages of 4 KiB that are shared by reference: an image holds the few pages that are its own, and points to
// those of another one for the rest.
import type { ImagePages } from '../../history/door.ts';
import type { Marks } from './marks.ts';

export const pageBytes = 4096;
export const wasmPageBytes = 65_536;

/** The page of zeros; every image uses this one, so that "zero" is a question of identity. */
export const zeroPage: Uint8Array = Buffer.alloc(pageBytes);

/** So many pages are compared at once where they lie in one piece, as those of the boot image do. */
export const blockPages: number = wasmPageBytes / pageBytes;
const zeroBlock = Buffer.alloc(wasmPageBytes);

/**
 * The pages of an image that lies in one run of bytes; those that are the same in `like` are shared with it. The bytes must not be
 * changed later: without `like`, the pages are parts of them.
 */
export function pagesOfBytes(bytes: Uint8Array, like: readonly Uint8Array[] | undefined): Uint8Array[] {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pageCount = bytes.length / pageBytes;
  if (like !== undefined) return pagesLike(whole, like, pageCount);
  // Without another image to share with, its pages lie in one piece, which makes comparing them quick.
  return Array.from({ length: pageCount }, (_, index) => {
    const start = index * pageBytes;
    return isSamePage(whole, start, zeroPage) ? zeroPage : whole.subarray(start, start + pageBytes);
  });
}

/**
 * The pages of boot images, made once for each, and shared between them where they are the same. Images that began with one then have
 * most of their pages in common, as the same objects.
 */
export class BootPages {
  readonly #known = new WeakMap<Uint8Array, readonly Uint8Array[]>();
  #first: readonly Uint8Array[] | undefined;

  /** @param bytes must not be changed later */
  of(bytes: Uint8Array): readonly Uint8Array[] {
    let pages = this.#known.get(bytes);
    if (pages === undefined) {
      pages = pagesOfBytes(bytes, this.#first);
      this.#first ??= pages;
      this.#known.set(bytes, pages);
    }
    return pages;
  }

  /** The pages of an image that began with a boot image. */
  ofImage({ boot, bootPages, pageCount, changed }: ImagePages): Uint8Array[] {
    const all = this.of(boot);
    const pages = Array.from({ length: pageCount }, (_, index) =>
      index < bootPages ? (all[index] ?? zeroPage) : zeroPage,
    );
    for (const [index, page] of changed) pages[index] = isZero(page) ? zeroPage : page;
    return pages;
  }
}

function isZero(page: Uint8Array): boolean {
  return Buffer.compare(page, zeroPage) === 0;
}

export type CopyPage = (memory: Buffer, start: number) => Uint8Array;

/** The pages of some memory: those of `like` where they are the same, and copies where they are not. */
export function pagesLike(memory: Buffer, like: readonly Uint8Array[], pageCount: number): Uint8Array[] {
  const pages: Uint8Array[] = [];
  for (let block = 0; block < pageCount; block += blockPages) {
    const isSame = isSameBlock(memory, like, block);
    for (let index = block; index < block + blockPages; index++) {
      const start = index * pageBytes;
      const old = like[index] ?? zeroPage;
      if (isSame || isSamePage(memory, start, old)) {
        pages.push(old);
      } else if (old !== zeroPage && isSamePage(memory, start, zeroPage)) {
        pages.push(zeroPage);
      } else {
        pages.push(newCopy(memory, start));
      }
    }
  }
  return pages;
}

export function newCopy(memory: Buffer, start: number): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(pageBytes);
  memory.copy(copy, 0, start, start + pageBytes);
  return copy;
}

export function isSamePage(memory: Buffer, start: number, page: Uint8Array): boolean {
  return memory.compare(page, 0, pageBytes, start, start + pageBytes) === 0;
}

/** Whether a block of memory equals the same block of an image; false also where the image's pages do not lie in one piece. */
export function isSameBlock(memory: Buffer, pages: readonly Uint8Array[], block: number): boolean {
  const start = block * pageBytes;
  const first = pages[block] ?? zeroPage;
  const step = first === zeroPage ? 0 : pageBytes;
  for (let index = 1; index < blockPages; index++) {
    const page = pages[block + index] ?? zeroPage;
    if (page.buffer !== first.buffer || page.byteOffset !== first.byteOffset + index * step) return false;
  }
  const whole = first === zeroPage ? zeroBlock : new Uint8Array(first.buffer, first.byteOffset, wasmPageBytes);
  return memory.compare(whole, 0, wasmPageBytes, start, start + wasmPageBytes) === 0;
}

/** Copies the marked pages of an image into memory. */
export function putBack(memory: Buffer, marks: Marks, pages: readonly Uint8Array[]): void {
  const runs = marks.runs(memory.length);
  for (let run = 0; run < runs.length; run += 2) {
    const last = Math.ceil((runs[run + 1] as number) / pageBytes);
    for (let index = Math.floor((runs[run] as number) / pageBytes); index < last; index++)
      memory.set(pages[index] ?? zeroPage, index * pageBytes);
  }
}

/**
 * Pages that lie in one piece with others are those of an image that everybody shares. The first of such a piece counts as the
 * image's own; asking for its buffer would cost ten times as much.
 */
export function isOwnPage(page: Uint8Array): boolean {
  return page.byteOffset === 0 && page !== zeroPage;
}
