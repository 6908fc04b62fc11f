// A Python program at rest, as pages of 4 KiB that images share by reference, and what must be known beside them to go on.
import { createHash } from 'node:crypto';
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import type { Pointer } from './exports.ts';

export const pageBytes = 4096;
export const wasmPageBytes = 65_536;

/** The page of zeros; every image uses this one, so that "zero" is a question of identity. */
export const zeroPage: Uint8Array = Buffer.alloc(pageBytes);

/** Facts about an image that are not in its pages. Small, and plain JSON. */
export interface PythonHeader {
  readonly format: 1;
  readonly language: 'python';
  /** sha256 of the engine's WASM. */
  readonly engine: string;
  /** Where boot code's functions are: what runs a step, what does something with the program's state, what calls back. */
  readonly runStep: Pointer;
  readonly control: Pointer;
  readonly callBack: Pointer;
  /** The thread states of control calls and of steps, and the interpreter they belong to. */
  readonly interpreter: Pointer;
  readonly mainThread: Pointer;
  readonly stepThread: Pointer;
  /** The C stack: its lowest address, where steps begin, where control calls begin. It grows downwards. */
  readonly stackEnd: Pointer;
  readonly stepStack: Pointer;
  readonly mainStack: Pointer;
  /** Where a stack that was put aside is kept, and how much room there is. */
  readonly aside: Pointer;
  readonly asideBytes: number;
  readonly zoneName: Pointer;
  /** A step that was put aside: the stack pointer at its deepest and when it is taken up again. */
  readonly suspended: { readonly deepest: Pointer; readonly outermost: Pointer } | null;
  /** What the clock that only goes forward has shown last, in milliseconds. */
  readonly elapsed: number;
}

export class PythonImage {
  readonly header: PythonHeader;
  readonly pages: readonly Uint8Array[];
  #ownPages: number | undefined;

  constructor(header: PythonHeader, pages: readonly Uint8Array[]) {
    this.header = header;
    this.pages = pages;
  }

  /** From one run of bytes. Pages that are the same in `like` are shared with it. */
  static fromBytes(header: PythonHeader, bytes: Uint8Array, like?: PythonImage): PythonImage {
    if (bytes.length === 0 || bytes.length % wasmPageBytes !== 0) {
      throw new ImageRefusedError(`An image of ${bytes.length} bytes is not whole: it must be a multiple of 64 KiB.`, {
        bytes: bytes.length,
      });
    }
    checkHeader(header, bytes.length);
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (like !== undefined) return new PythonImage(header, pagesLike(whole, like.pages, bytes.length / pageBytes));
    // Without another image to share with, its pages lie in one piece, which makes comparing them quick.
    const copy = Buffer.from(whole);
    const pages = Array.from({ length: copy.length / pageBytes }, (_, index) => {
      const start = index * pageBytes;
      return isSamePage(copy, start, zeroPage) ? zeroPage : copy.subarray(start, start + pageBytes);
    });
    return new PythonImage(header, pages);
  }

  get pageCount(): number {
    return this.pages.length;
  }

  /** Its own pages; those of the boot image lie in one large piece and are everybody's. */
  get memoryBytes(): number {
    this.#ownPages ??= this.pages.reduce(
      (sum, { buffer }) => sum + (buffer.byteLength <= wasmPageBytes && buffer !== zeroPage.buffer ? 1 : 0),
      0,
    );
    return this.#ownPages * pageBytes;
  }

  get byteLength(): number {
    return this.pages.length * pageBytes;
  }

  get headerBytes(): Uint8Array {
    return Buffer.from(JSON.stringify(this.header));
  }

  page(index: number): Uint8Array {
    const page = this.pages[index];
    if (page === undefined) throw new RangeError(`an image of ${this.pages.length} pages has no page ${index}`);
    return page;
  }

  /** sha256 over header and pages: equal for equal programs, wherever they were made. */
  hash(): string {
    const hash = createHash('sha256').update(this.headerBytes);
    for (const page of this.pages) hash.update(page);
    return hash.digest('hex');
  }
}

/** So many pages are compared at once where they lie in one piece, as those of the boot image do. */
export const blockPages: number = wasmPageBytes / pageBytes;
const zeroBlock = Buffer.alloc(wasmPageBytes);
/** Changed pages are copied in runs of this many; one small allocation for each would cost more than the copying. */
const slabPages = 16;

/** The pages of some memory: those of `like` where they are the same, and copies where they are not. */
export function pagesLike(
  memory: Buffer,
  like: readonly Uint8Array[],
  pageCount: number,
  isDead?: (start: number) => boolean,
): Uint8Array[] {
  const pages: Uint8Array[] = [];
  let slab = Buffer.alloc(0);
  for (let block = 0; block < pageCount; block += blockPages) {
    if (isDead?.(block * pageBytes) === true) {
      for (let index = 0; index < blockPages; index++) pages.push(zeroPage);
      continue;
    }
    const isSame = isSameBlock(memory, like, block);
    for (let index = block; index < block + blockPages; index++) {
      const start = index * pageBytes;
      const old = like[index] ?? zeroPage;
      if (isSame || isSamePage(memory, start, old)) {
        pages.push(old);
      } else if (old !== zeroPage && isSamePage(memory, start, zeroPage)) {
        pages.push(zeroPage);
      } else {
        if (slab.length === 0) slab = Buffer.allocUnsafeSlow(slabPages * pageBytes);
        memory.copy(slab, 0, start, start + pageBytes);
        pages.push(slab.subarray(0, pageBytes));
        slab = slab.subarray(pageBytes);
      }
    }
  }
  return pages;
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

/** Refuses a header that cannot belong to an image of that size, so that a damaged one never reaches an instance. */
function checkHeader(header: PythonHeader, byteLength: number): void {
  const pointers = [
    ...[header.runStep, header.control, header.callBack, header.interpreter, header.mainThread, header.stepThread],
    ...[header.stackEnd, header.stepStack, header.mainStack, header.aside, header.zoneName],
    ...(header.suspended === null ? [] : [header.suspended?.deepest, header.suspended?.outermost]),
  ];
  const sound =
    header.format === 1 &&
    header.language === 'python' &&
    pointers.every((pointer) => Number.isInteger(pointer) && pointer > 0 && pointer < byteLength) &&
    header.stackEnd < header.stepStack &&
    header.stepStack < header.mainStack &&
    header.aside + header.asideBytes <= byteLength;
  if (!sound) throw new ImageRefusedError('The header of this image is damaged or of a newer Statek.', { header });
}
