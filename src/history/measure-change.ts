// Compares an image with the one before it, word by word and in place.
import { HistoryArgumentError } from './errors.ts';
import type { ImageChange } from './history.ts';
import { changedPages } from './image.ts';
import { wordsOf, type ImageCheck } from './image-check.ts';
import { pageBytes, pageWords } from './limits.ts';

/** Ranges of words as start, end, start, end …: ascending, `end` not included. */
export type Runs = number[];

export interface MeasuredChange {
  readonly pages: number;
  /** How many pages of the image before are still there, changed or not. */
  readonly keep: number;
  readonly runs: Runs;
  /** How many words the runs cover. */
  readonly words: number;
  readonly changedPages: readonly number[];
  /** The check of the image after the change. */
  readonly check: ImageCheck;
}

export function measureChange(change: ImageChange, checkBefore: ImageCheck, verifyDirtyPages: boolean): MeasuredChange {
  const before = wordsOf(change.previous);
  const after = wordsOf(change.current);
  const check = checkBefore.copy();
  const runs: Runs = [];
  const changed: number[] = [];
  let words = 0;
  let end = -1;
  for (const page of candidates(change, verifyDirtyPages)) {
    const first = page * pageWords;
    const known = first < before.length;
    const wordsBefore = words;
    for (let index = first; index < first + pageWords; index++) {
      const old = known ? (before[index] as number) : 0;
      const now = after[index] as number;
      if (old === now) continue;
      check.replace(index, old, now);
      if (index === end) runs[runs.length - 1] = index + 1;
      else runs.push(index, index + 1);
      end = index + 1;
      words++;
    }
    if (words > wordsBefore) changed.push(page);
  }
  for (let index = after.length; index < before.length; index++) check.replace(index, before[index] as number, 0);
  return {
    pages: change.current.length / pageBytes,
    keep: Math.min(change.previous.length, change.current.length) / pageBytes,
    runs,
    words,
    changedPages: changed,
    check,
  };
}

/** Pages of the current image to look at, ascending: those that may differ, and all that are new. */
function candidates({ previous, current, dirtyPages }: ImageChange, verifyDirtyPages: boolean): readonly number[] {
  const pages = current.length / pageBytes;
  if (dirtyPages === undefined) return changedPages(previous, current).filter((page) => page < pages);
  const shared = Math.min(previous.length, current.length) / pageBytes;
  const listed: number[] = [];
  let last = -1;
  for (const page of dirtyPages) {
    if (!Number.isInteger(page) || page <= last || page >= pages) {
      throw new HistoryArgumentError(
        `Dirty pages must be whole numbers from 0 to ${pages - 1}, ascending; ${page} came after ${last}.`,
        { page, pages },
      );
    }
    last = page;
    if (page < shared) listed.push(page);
  }
  if (verifyDirtyPages) refuseUnlisted(listed, previous, current, shared);
  for (let page = shared; page < pages; page++) listed.push(page);
  return listed;
}

function refuseUnlisted(listed: readonly number[], previous: Uint8Array, current: Uint8Array, shared: number): void {
  const known = new Set(listed);
  const lost = changedPages(previous, current).filter((page) => page < shared && !known.has(page));
  if (lost.length > 0) {
    throw new HistoryArgumentError(
      `${lost.length} changed pages are missing from the dirty pages, the first is ${lost[0]}. The producer must list every page it changed.`,
      { pages: lost.slice(0, 100) },
    );
  }
}
