// A program at rest, as pages of 4 KiB. Images share pages by reference: a new one holds the few pages that changed and points to
// the rest of the old, so a thousand images of one program cost little more than their differences.
import { createHash } from 'node:crypto';
import type { ImageDifference } from '../../language.ts';
import type { ChangedPage, ImageHeader, ProgramImage } from './engine.ts';
import { isOwnPage, pageBytes, pagesOfBytes, wasmPageBytes, zeroPage } from '../../wasm/memory-pages.ts';
import type { PagedImage } from '../../wasm/page-pool.ts';
import { EngineMisuseError, ImageRefusedError } from './errors.ts';

/** What is known of an image because it was captured from memory that equalled another one. */
export interface Captured {
  readonly since: Image;
  readonly difference: ImageDifference;
  readonly ownPages: number;
}

export class Image implements ProgramImage, PagedImage {
  readonly header: ImageHeader;
  #pages: readonly Uint8Array[] | undefined;
  /** A name for it, because holding the image it was captured from would keep every earlier one. */
  readonly #name: object = {};
  readonly #changes: { readonly since: object; readonly difference: ImageDifference } | undefined;
  #ownPages: number | undefined;

  constructor(header: ImageHeader, pages: readonly Uint8Array[], captured?: Captured) {
    this.header = header;
    this.#pages = pages;
    this.#changes = captured && { since: captured.since.#name, difference: captured.difference };
    this.#ownPages = captured?.ownPages;
  }

  get pages(): readonly Uint8Array[] {
    if (this.#pages === undefined)
      throw new EngineMisuseError('This image was replaced by a later one; load it again.');
    return this.#pages;
  }

  retire(): void {
    this.#pages = undefined;
  }

  /** The image in one run of bytes, as a file or a keyframe may hold it. Refused if it cannot be one. */
  static fromBytes(header: ImageHeader, bytes: Uint8Array): Image {
    refuseUnlessWhole(bytes.length);
    return new Image(checkHeader(header, bytes.length), pagesOfBytes(bytes, undefined));
  }

  /** From pages that others may share, but for so many. */
  static fromPages(header: ImageHeader, pages: readonly Uint8Array[], ownPages: number): Image {
    const image = new Image(checkHeader(header, pages.length * pageBytes), pages);
    image.#ownPages = ownPages;
    return image;
  }

  /** This image with some pages replaced; how a delta is applied. */
  with(header: ImageHeader, pageCount: number, changes: Iterable<ChangedPage>): Image {
    const pages = Array.from({ length: pageCount }, (_, index) => this.pages[index] ?? zeroPage);
    for (const { index, bytes } of changes) {
      if (!(index >= 0 && index < pageCount) || bytes.length !== pageBytes) {
        throw new ImageRefusedError(
          `Page ${index} with ${bytes.length} bytes does not fit an image of ${pageCount} pages.`,
          {
            index,
            bytes: bytes.length,
          },
        );
      }
      pages[index] = shared(bytes);
    }
    return new Image(checkHeader(header, pageCount * pageBytes), pages);
  }

  get pageCount(): number {
    return this.pages.length;
  }

  get byteLength(): number {
    return this.pages.length * pageBytes;
  }

  /** Pages that it alone has, or shares with images that came from it. */
  get ownPages(): number {
    this.#ownPages ??= this.pages.filter(isOwnPage).length;
    return this.#ownPages;
  }

  /** Where it differs from the image it was captured from; undefined for any other image. */
  changedSince(earlier: Image): ImageDifference | undefined {
    return earlier.#name === this.#changes?.since ? this.#changes.difference : undefined;
  }

  page(index: number): Uint8Array {
    const page = this.pages[index];
    if (page === undefined) throw new RangeError(`an image of ${this.pages.length} pages has no page ${index}`);
    return page;
  }

  *changedPages(previous?: ProgramImage): Generator<ChangedPage> {
    const { pages } = this;
    const before = previous?.pageCount ?? 0;
    for (let index = 0; index < pages.length; index++) {
      const bytes = pages[index] ?? zeroPage;
      const old = index < before ? (previous?.page(index) ?? zeroPage) : zeroPage;
      if (bytes !== old && Buffer.compare(bytes, old) !== 0) yield { index, bytes };
    }
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.byteLength);
    for (const [index, page] of this.pages.entries()) if (page !== zeroPage) bytes.set(page, index * pageBytes);
    return bytes;
  }

  hash(): string {
    const hash = createHash('sha256').update(JSON.stringify(this.header));
    for (const page of this.pages) hash.update(page);
    return hash.digest('hex');
  }
}

/** The memory of a program is a whole number of blocks of 64 KiB. */
export function refuseUnlessWhole(bytes: number): void {
  if (bytes > 0 && bytes % wasmPageBytes === 0) return;
  throw new ImageRefusedError(`An image of ${bytes} bytes is not whole: it must be a multiple of 64 KiB.`, { bytes });
}

function shared(page: Uint8Array): Uint8Array {
  return Buffer.compare(page, zeroPage) === 0 ? zeroPage : page;
}

/** Refuses a header that cannot belong to an image of that size, so that a damaged one never reaches an instance. */
function checkHeader(header: ImageHeader, byteLength: number): ImageHeader {
  // What is stored may be of a format that this version does not know.
  const format: unknown = header.format;
  const pointers = [header.stackPointer, header.entry, header.stackGetter, header.randomState, header.memoryState];
  const sound = pointers.every(
    (pointer) => Number.isInteger(pointer) && pointer > 0 && pointer % 8 === 0 && pointer < byteLength,
  );
  if (format !== 1 || !sound) {
    throw new ImageRefusedError('The header of this image is damaged or of a newer Statek.', { header });
  }
  return header;
}
