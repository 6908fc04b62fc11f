// Images as pages. Producers may have an image in one piece or as shared pages; comparing and packing only sees pages.
import { pageBytes } from '../limits.ts';

/** An image as pages of 4 KiB. A page that is the same object in two images is not compared. */
export interface Pages {
  readonly pageCount: number;
  /** Aligned to four bytes, and not changed while the history reads it. */
  page(index: number): Uint8Array;
}

export function pagesOf(image: Uint8Array | Pages): Pages {
  if (!(image instanceof Uint8Array)) return image;
  return {
    pageCount: image.length / pageBytes,
    page: (index) => image.subarray(index * pageBytes, (index + 1) * pageBytes),
  };
}

/** Pages that differ, ascending. Pages that only one of them has count if they are not all zeros. */
export function differingPages(previous: Pages, current: Pages): number[] {
  const differing: number[] = [];
  for (let index = 0; index < Math.max(previous.pageCount, current.pageCount); index++) {
    const before = index < previous.pageCount ? previous.page(index) : zeroPage;
    const after = index < current.pageCount ? current.page(index) : zeroPage;
    if (before !== after && Buffer.compare(before, after) !== 0) differing.push(index);
  }
  return differing;
}

const zeroPage = Buffer.alloc(pageBytes);
