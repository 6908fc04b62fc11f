// The words that changed since an earlier image: the contents of a pack that replaces many smaller ones.
import { pageWords } from '../limits.ts';
import type { Runs } from './measure-change.ts';

const bitsPerMask = 32;
const masksPerPage = pageWords / bitsPerMask;
const pageShift = Math.log2(pageWords);

export class ChangedWords {
  readonly #pages = new Map<number, Uint32Array>();
  #count = 0;
  #keep: number;
  /** No page from this index on is marked. */
  #end = 0;
  // Runs are ordered, so the next one is usually in the same page.
  #page = -1;
  #masks: Uint32Array = new Uint32Array(0);

  /** @param keep how many pages the earlier image has */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** The number of changed words. */
  get count(): number {
    return this.#count;
  }

  /** How many pages of the earlier image were never truncated since. Later pages started as zeros. */
  get keep(): number {
    return this.#keep;
  }

  copy(): ChangedWords {
    const copy = new ChangedWords(this.#keep);
    for (const [page, masks] of this.#pages) copy.#pages.set(page, masks.slice());
    copy.#count = this.#count;
    copy.#end = this.#end;
    return copy;
  }

  add({ runs, keep }: { readonly runs: Runs; readonly keep: number }): void {
    if (keep < this.#keep) this.#keep = keep;
    this.#cutOff(keep);
    for (let run = 0; run < runs.length; run += 2) this.#addRun(runs[run] as number, runs[run + 1] as number);
  }

  runs(): Runs {
    const runs: Runs = [];
    for (const page of [...this.#pages.keys()].toSorted((a, b) => a - b)) {
      const masks = this.#pages.get(page) as Uint32Array;
      const first = page * pageWords;
      for (let index = 0; index < masksPerPage; index++) {
        let mask = masks[index] as number;
        while (mask !== 0) {
          const start = trailingZeros(mask);
          const length = trailingZeros(~(mask >>> start));
          const at = first + index * bitsPerMask + start;
          if (runs.at(-1) === at) runs[runs.length - 1] = at + length;
          else runs.push(at, at + length);
          mask = (mask & ~bits(start, length)) >>> 0;
        }
      }
    }
    return runs;
  }

  #addRun(start: number, end: number): void {
    let at = start;
    while (at < end) {
      const page = at >>> pageShift;
      const masks = page === this.#page ? this.#masks : this.#turnTo(page);
      const pageEnd = Math.min(end, (page + 1) << pageShift);
      while (at < pageEnd) {
        const index = (at & (pageWords - 1)) >>> 5;
        const shift = at & (bitsPerMask - 1);
        const length = Math.min(bitsPerMask - shift, pageEnd - at);
        const old = masks[index] as number;
        const added = bits(shift, length) & ~old;
        if (added !== 0) {
          this.#count += ones(added);
          masks[index] = old | added;
        }
        at += length;
      }
    }
  }

  #turnTo(page: number): Uint32Array {
    let masks = this.#pages.get(page);
    if (masks === undefined) this.#pages.set(page, (masks = new Uint32Array(masksPerPage)));
    if (page >= this.#end) this.#end = page + 1;
    this.#page = page;
    this.#masks = masks;
    return masks;
  }

  #cutOff(pages: number): void {
    if (pages >= this.#end) return;
    this.#end = pages;
    this.#page = -1;
    for (const [page, masks] of this.#pages) {
      if (page < pages) continue;
      for (const mask of masks) this.#count -= ones(mask);
      this.#pages.delete(page);
    }
  }
}

function bits(shift: number, length: number): number {
  return length === bitsPerMask ? 0xffffffff : (((1 << length) - 1) << shift) >>> 0;
}

function trailingZeros(mask: number): number {
  return mask === 0 ? bitsPerMask : 31 - Math.clz32(mask & -mask);
}

function ones(mask: number): number {
  let value = mask - ((mask >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
