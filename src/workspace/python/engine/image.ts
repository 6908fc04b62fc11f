// A Python program at rest, as pages of 4 KiB that images share by reference, and what must be known beside them to go on.
import { createHash } from 'node:crypto';
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import { isOwnPage, pageBytes } from '../../wasm/memory-pages.ts';
import type { ImageDifference, StoredImage } from '../../language.ts';
import type { Pointer } from './exports.ts';

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

/** How an image came from the one that its memory was made equal to before. */
export interface Captured {
  readonly since: PythonImage;
  /** The pages in which they differ. */
  readonly pages: readonly number[];
  /** The pages that were copied into one buffer. */
  readonly together: readonly number[];
}

export class PythonImage {
  readonly header: PythonHeader;
  readonly pages: readonly Uint8Array[];
  #ownPages: number | undefined;
  /** A name for it, because holding the image it was captured from would keep every earlier one. */
  readonly #name: object = {};
  readonly #changes: { readonly since: object; readonly pages: readonly number[] } | undefined;
  /** Pages that lie in one buffer that no other image has. */
  readonly pagesTogether: readonly number[];

  constructor(header: PythonHeader, pages: readonly Uint8Array[], captured?: Captured) {
    this.header = header;
    this.pages = pages;
    this.#changes = captured && { since: captured.since.#name, pages: captured.pages };
    this.pagesTogether = captured?.together ?? [];
  }

  /** From pages that others may share, but for so many. */
  static fromPages(header: PythonHeader, pages: readonly Uint8Array[], ownPages: number): PythonImage {
    checkHeader(header, pages.length * pageBytes);
    const image = new PythonImage(header, pages);
    image.#ownPages = ownPages;
    return image;
  }

  get pageCount(): number {
    return this.pages.length;
  }

  /** Its own pages; those of the boot image lie in one large piece and are everybody's. */
  get memoryBytes(): number {
    this.#ownPages ??= this.pages.filter(isOwnPage).length + this.pagesTogether.length;
    return this.#ownPages * pageBytes;
  }

  get byteLength(): number {
    return this.pages.length * pageBytes;
  }

  changedSince(earlier: StoredImage): ImageDifference | undefined {
    if (this.#changes === undefined || !(earlier instanceof PythonImage)) return undefined;
    return earlier.#name === this.#changes.since ? this.#changes : undefined;
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

/** What a damaged image may hold where a header allows one value only. */
interface StoredHeader {
  readonly format: unknown;
  readonly language: unknown;
  readonly suspended?: PythonHeader['suspended'] | undefined;
}

/** Refuses a header that cannot belong to an image of that size, so that a damaged one never reaches an instance. */
function checkHeader(header: PythonHeader, byteLength: number): void {
  const { format, language, suspended } = header as StoredHeader;
  const pointers = [
    ...[header.runStep, header.control, header.callBack, header.interpreter, header.mainThread, header.stepThread],
    ...[header.stackEnd, header.stepStack, header.mainStack, header.aside, header.zoneName],
    ...(suspended === null ? [] : [suspended?.deepest, suspended?.outermost]),
  ];
  const sound =
    format === 1 &&
    language === 'python' &&
    pointers.every((pointer = 0) => Number.isInteger(pointer) && pointer > 0 && pointer < byteLength) &&
    header.stackEnd < header.stepStack &&
    header.stepStack < header.mainStack &&
    header.aside + header.asideBytes <= byteLength;
  if (!sound) throw new ImageRefusedError('The header of this image is damaged or of a newer Statek.', { header });
}
