// Pages are shared where they are the same and copied where they are not, wherever the pages they are compared with lie.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockPages, pageBytes, pagesLike, pagesOfBytes, zeroPage } from './memory-pages.ts';

const pageCount = 3 * blockPages;

/** A page by the number that fills it; 0 is the page of zeros. */
const contents = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: pageCount, maxLength: pageCount });

function memoryOf(numbers: readonly number[]): Buffer {
  const memory = Buffer.alloc(numbers.length * pageBytes);
  for (const [index, number] of numbers.entries()) memory.fill(number, index * pageBytes, (index + 1) * pageBytes);
  return memory;
}

it('compares with an image whose pages lie in one piece or each by itself', () => {
  fc.assert(
    fc.property(contents, contents, contents, (first, second, third) => {
      // Pages of the second image are partly those of the first, which lie in one piece.
      const base = pagesOfBytes(memoryOf(first), undefined);
      const like = pagesLike(memoryOf(second), base, pageCount);
      const memory = memoryOf(third);
      const pages = pagesLike(memory, like, pageCount);
      const changed = [...pages.keys()].filter((index) => pages[index] !== like[index]);
      expect(Buffer.concat(pages).equals(memory)).toBe(true);
      for (const index of changed)
        expect(
          memory.compare(like[index] as Uint8Array, 0, pageBytes, index * pageBytes, (index + 1) * pageBytes),
        ).not.toBe(0);
      const zeros = [...pages.keys()].filter((index) => memory[index * pageBytes] === 0);
      expect(zeros.every((index) => pages[index] === zeroPage)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('fills up an image that was smaller', () => {
  const like = pagesOfBytes(memoryOf([1, 2]), undefined);
  const pages = pagesLike(memoryOf([1, 2, 0, 3, ...Array<number>(blockPages - 4).fill(0)]), like, blockPages);
  expect([...pages.keys()].filter((index) => pages[index] !== (like[index] ?? zeroPage))).toEqual([3]);
  expect(pages.length).toBe(blockPages);
  expect(pages[2]).toBe(zeroPage);
});
