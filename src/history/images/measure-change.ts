// Compares an image with the previous one, word by word and in place.
import { HistoryArgumentError } from '../errors.ts';
import type { ImageChange } from '../history.ts';
import { wordsOf, type ImageCheck } from './image-check.ts';
import { pageWords } from '../limits.ts';
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
  const check = checkBefore.copy();
  const runs: Runs = [];
  const changed: number[] = [];
  let words = 0;
  let end = -1;
  for (const page of candidates(change, verifyDirtyPages)) {
    const first = page * pageWords;
    const before = page < previous.pageCount ? wordsOf(previous.page(page)) : zeroWords;
    const after = wordsOf(current.page(page));
    const wordsBefore = words;
    for (let offset = 0; offset < pageWords; offset++) {
      const old = before[offset] as number;
      const now = after[offset] as number;
      if (old === now) continue;
      const index = first + offset;
      check.replace(index, old, now);
      if (index === end) runs[runs.length - 1] = index + 1;
      else runs.push(index, index + 1);
      end = index + 1;
      words++;
    }
    if (words > wordsBefore) changed.push(page);
  }
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

const zeroWords: Int32Array = new Int32Array(pageWords);

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
