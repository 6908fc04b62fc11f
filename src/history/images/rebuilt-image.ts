// An image rebuilt from the store: the boot image, whose bytes everybody shares, and the pages in which it differs. Programs change
// a small part of their memory, so rebuilding and holding one costs what it changed and not what it has.
import type { Image, ImagePages } from '../history.ts';
import { pageBytes, pageWords } from '../limits.ts';
import { wordsOf, type ImageCheck } from './image-check.ts';
import type { DecodedPart } from './pack.ts';

export class RebuiltImage implements ImagePages {
  readonly header: Uint8Array;
  readonly boot: Uint8Array;
  readonly bootPages: number;
  readonly pageCount: number;
  readonly changed: ReadonlyMap<number, Uint8Array>;

  constructor({ boot, bootPages, pageCount, changed, header }: ImagePages) {
    this.boot = boot;
    this.bootPages = bootPages;
    this.pageCount = pageCount;
    this.changed = changed;
    this.header = header;
  }

  get memoryBytes(): number {
    return this.changed.size * pageBytes;
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.pageCount * pageBytes);
    bytes.set(this.boot.subarray(0, this.bootPages * pageBytes));
    for (const [index, page] of this.changed) bytes.set(page, index * pageBytes);
    return bytes;
  }
}

/** The image of one checkout: its bytes are a copy of its own, made when somebody asks for them. */
export class CheckedOutImage implements Image {
  readonly pages: RebuiltImage;
  #bytes: Uint8Array | undefined;

  constructor(pages: RebuiltImage) {
    this.pages = pages;
  }

  get header(): Uint8Array {
    return this.pages.header;
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= this.pages.toBytes());
  }
}

/** An image while packs are applied to it, with its checksum. */
export class ImageInProgress {
  readonly #boot: Int32Array;
  readonly #bootBytes: Uint8Array;
  readonly #check: ImageCheck;
  readonly #changed = new Map<number, Int32Array>();
  #bootPages: number;
  #pageCount: number;
  #slab: Int32Array = noWords;
  #left = 0;

  constructor(boot: Uint8Array, check: ImageCheck) {
    this.#bootBytes = boot;
    this.#boot = wordsOf(boot);
    this.#check = check;
    this.#bootPages = this.#pageCount = boot.length / pageBytes;
  }

  get pageCount(): number {
    return this.#pageCount;
  }

  /** Cuts it off after `keep` pages, and adds zeros up to `pages`. */
  resize(keep: number, pages: number): void {
    for (let index = keep; index < this.#pageCount; index++) {
      const page = this.#page(index);
      for (let offset = 0; offset < pageWords; offset++)
        this.#check.replace(index * pageWords + offset, page[offset] as number, 0);
      this.#changed.delete(index);
    }
    this.#bootPages = Math.min(this.#bootPages, keep);
    this.#pageCount = pages;
  }

  /** Only words that packs change are added to the checksum; that of the boot image covers the rest. */
  apply({ runs, words: bytes }: DecodedPart): void {
    const words = wordsOf(new Uint8Array(bytes));
    let from = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const end = runs[run + 1] as number;
      for (let at = runs[run] as number; at < end;) {
        const index = Math.floor(at / pageWords);
        const page = this.#writable(index);
        const first = index * pageWords;
        const stop = Math.min(end, first + pageWords);
        for (; at < stop; at++) {
          const word = words[from++] as number;
          this.#check.replace(at, page[at - first] as number, word);
          page[at - first] = word;
        }
      }
    }
  }

  /** The finished image, and its checksum. */
  finish(header: Uint8Array): { readonly image: RebuiltImage; readonly check: string } {
    const changed = new Map<number, Uint8Array>();
    for (const [index, words] of this.#changed)
      changed.set(index, new Uint8Array(words.buffer, words.byteOffset, pageBytes));
    const image = new RebuiltImage({
      boot: this.#bootBytes,
      bootPages: this.#bootPages,
      pageCount: this.#pageCount,
      changed,
      header,
    });
    return { image, check: this.#check.toString() };
  }

  #page(index: number): Int32Array {
    const changed = this.#changed.get(index);
    if (changed !== undefined) return changed;
    return index < this.#bootPages ? this.#boot.subarray(index * pageWords, (index + 1) * pageWords) : noWords;
  }

  #writable(index: number): Int32Array {
    let page = this.#changed.get(index);
    if (page === undefined) {
      const before = this.#page(index);
      page = this.#room();
      page.set(before);
      this.#changed.set(index, page);
    }
    return page;
  }

  /** Allocating a page by itself takes longer than copying it. The pages of one image are mostly used, and dropped, together. */
  #room(): Int32Array {
    if (this.#left === 0) {
      this.#slab = new Int32Array(Buffer.allocUnsafeSlow(slabPages * pageBytes).buffer);
      this.#left = slabPages;
    }
    const at = --this.#left * pageWords;
    return this.#slab.subarray(at, at + pageWords);
  }
}

const slabPages = 16;

const noWords: Int32Array = new Int32Array(pageWords);
