// Compares an image with the previous one, word by word and in place.
import { HistoryArgumentError } from '../errors.ts';
import type { ImageChange } from '../history.ts';
import { wordsOf, type ImageCheck } from './image-check.ts';
import { pageBytes, pageWords, wordBytes } from '../limits.ts';
import { differingPages, pagesOf, type Pages } from './pages.ts';

/** Ranges of words as start, end, start, end …: ascending, `end` not included. */
export type Runs = number[];

export interface MeasuredChange {
  readonly pages: number;
  /** How many pages of the previous image still exist, changed or not. */
  readonly keep: number;
  readonly runs: Runs;
  /** How many words the runs cover. */
  readonly words: number;
  readonly changedPages: readonly number[];
  /** The check of the image after the change. */
  readonly check: ImageCheck;
}

export function measureChange(change: ImageChange, checkBefore: ImageCheck, verifyDirtyPages: boolean): MeasuredChange {
  const previous = pagesOf(change.previous);
  const current = pagesOf(change.current);
  const comparison = new Comparison(checkBefore.copy());
  const changed: number[] = [];
  // New pages are compared whole, and so are all pages if what the producer says is to be verified.
  const ranges = verifyDirtyPages ? undefined : change.dirtyRanges;
  let range = 0;
  for (const page of candidates(change, verifyDirtyPages)) {
    const before = page < previous.pageCount ? wordsOf(previous.page(page)) : zeroWords;
    const after = wordsOf(current.page(page));
    const wordsBefore = comparison.words;
    if (ranges === undefined || page >= previous.pageCount) {
      comparison.compare(page, before, after, 0, pageWords);
    } else {
      const start = page * pageBytes;
      while (range < ranges.length && (ranges[range + 1] as number) <= start) range += 2;
      for (let part = range; part < ranges.length && (ranges[part] as number) < start + pageBytes; part += 2) {
        const from = Math.max((ranges[part] as number) - start, 0) / wordBytes;
        const to = Math.min((ranges[part + 1] as number) - start, pageBytes) / wordBytes;
        comparison.compare(page, before, after, from, to);
      }
    }
    if (comparison.words > wordsBefore) changed.push(page);
  }
  const { check, runs, words } = comparison;
  if (verifyDirtyPages && change.dirtyRanges !== undefined)
    verifyRanges(runs, change.dirtyRanges, previous.pageCount * pageBytes);
  for (let page = current.pageCount; page < previous.pageCount; page++) {
    const before = wordsOf(previous.page(page));
    for (let offset = 0; offset < pageWords; offset++)
      check.replace(page * pageWords + offset, before[offset] as number, 0);
  }
  return {
    pages: current.pageCount,
    keep: Math.min(previous.pageCount, current.pageCount),
    runs,
    words,
    changedPages: changed,
    check,
  };
}

/** What was found to differ so far. */
class Comparison {
  readonly check: ImageCheck;
  readonly runs: Runs = [];
  words = 0;
  #end = -1;

  constructor(check: ImageCheck) {
    this.check = check;
  }

  /** Compares words of a page, from one multiple of eight to another. */
  compare(page: number, before: Int32Array, after: Int32Array, from: number, to: number): void {
    const { check, runs } = this;
    const first = page * pageWords;
    for (let eight = from; eight < to; eight += 8) {
      // Most words are the same, and looking at eight at once takes a third of the time.
      if (isSameEight(before, after, eight)) continue;
      for (let offset = eight; offset < eight + 8; offset++) {
        const old = before[offset] as number;
        const now = after[offset] as number;
        if (old === now) continue;
        const index = first + offset;
        check.replace(index, old, now);
        if (index === this.#end) runs[runs.length - 1] = index + 1;
        else runs.push(index, index + 1);
        this.#end = index + 1;
        this.words++;
      }
    }
  }
}

function verifyRanges(runs: Runs, ranges: readonly number[], bytesBefore: number): void {
  let range = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const start = (runs[run] as number) * wordBytes;
    const end = (runs[run + 1] as number) * wordBytes;
    while (range < ranges.length && (ranges[range + 1] as number) <= start) range += 2;
    // A run may go on from one range to the next, where they touch.
    let covered = start;
    for (let part = range; part < ranges.length && (ranges[part] as number) <= covered && covered < end; part += 2)
      covered = ranges[part + 1] as number;
    if (covered >= Math.min(end, bytesBefore)) continue;
    throw new HistoryArgumentError(
      `Byte ${covered} changed, and is missing from the dirty ranges. List every changed byte in dirtyRanges.`,
      { byte: covered },
    );
  }
}

const zeroWords: Int32Array = new Int32Array(pageWords);

function isSameEight(before: Int32Array, after: Int32Array, at: number): boolean {
  const differences =
    ((before[at] as number) ^ (after[at] as number)) |
    ((before[at + 1] as number) ^ (after[at + 1] as number)) |
    ((before[at + 2] as number) ^ (after[at + 2] as number)) |
    ((before[at + 3] as number) ^ (after[at + 3] as number)) |
    ((before[at + 4] as number) ^ (after[at + 4] as number)) |
    ((before[at + 5] as number) ^ (after[at + 5] as number)) |
    ((before[at + 6] as number) ^ (after[at + 6] as number)) |
    ((before[at + 7] as number) ^ (after[at + 7] as number));
  return differences === 0;
}

/** Pages of the current image to compare, ascending: those that may differ, and all new ones. */
function candidates(change: ImageChange, verifyDirtyPages: boolean): readonly number[] {
  const previous = pagesOf(change.previous);
  const current = pagesOf(change.current);
  const pages = current.pageCount;
  if (change.dirtyPages === undefined) {
    const isShared = !(change.previous instanceof Uint8Array || change.current instanceof Uint8Array);
    if (isShared) return otherPages(previous, current);
    return differingPages(previous, current).filter((page) => page < pages);
  }
  const shared = Math.min(previous.pageCount, pages);
  const listed: number[] = [];
  let last = -1;
  for (const page of change.dirtyPages) {
    if (!Number.isInteger(page) || page <= last || page >= pages) {
      throw new HistoryArgumentError(
        `Dirty pages must be whole numbers from 0 to ${pages - 1}, ascending; ${page} came after ${last}.`,
        { page, pages },
      );
    }
    last = page;
    if (page < shared) listed.push(page);
  }
  if (verifyDirtyPages) checkDirtyPages(listed, previous, current, shared);
  for (let page = shared; page < pages; page++) listed.push(page);
  return listed;
}

/** Pages that are not the same object. Nearly all of them differ, so comparing their words finds the few that do not. */
function otherPages(previous: Pages, current: Pages): readonly number[] {
  const others: number[] = [];
  for (let index = 0; index < current.pageCount; index++)
    if (index >= previous.pageCount || previous.page(index) !== current.page(index)) others.push(index);
  return others;
}

function checkDirtyPages(listed: readonly number[], previous: Pages, current: Pages, shared: number): void {
  const known = new Set(listed);
  const lost = differingPages(previous, current).filter((page) => page < shared && !known.has(page));
  if (lost.length > 0) {
    throw new HistoryArgumentError(
      `${lost.length} changed pages are missing from the dirty pages, the first is ${lost[0]}. List every changed page in dirtyPages.`,
      { pages: lost.slice(0, 100) },
    );
  }
}
