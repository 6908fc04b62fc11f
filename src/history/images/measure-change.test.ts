// What a producer says of where an image changed makes measuring quicker, and nothing else.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pageBytes, pageWords } from '../limits.ts';
import { ImageCheck, wordsOf } from './image-check.ts';
import { measureChange } from './measure-change.ts';

const header = new Uint8Array(1);
const eightWords = 32;

it('finds the same with ranges of bytes as without', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.nat(4 * pageWords - 1), fc.nat(20), fc.integer()), { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat((4 * pageBytes) / eightWords - 1), fc.nat(200)), { maxLength: 4 }),
      (pagesBefore, pagesAfter, writes, more) => {
        const previous = new Uint8Array(pagesBefore * pageBytes).fill(3);
        const current = new Uint8Array(pagesAfter * pageBytes);
        current.set(previous.subarray(0, current.length));
        const words = wordsOf(current);
        const eights = new Set<number>();
        for (const [word, count, value] of writes)
          for (let index = word; index <= word + count && index < words.length; index++) {
            words[index] = value;
            eights.add(Math.floor(index / 8));
          }
        // A producer may list more than what changed.
        for (const [first, count] of more) for (let index = first; index <= first + count; index++) eights.add(index);
        const dirtyRanges: number[] = [];
        for (const eight of [...eights].toSorted((a, b) => a - b)) {
          if (dirtyRanges.at(-1) === eight * eightWords) dirtyRanges.pop();
          else dirtyRanges.push(eight * eightWords);
          dirtyRanges.push((eight + 1) * eightWords);
        }
        const dirtyPages = [...Array(Math.min(pagesBefore, pagesAfter)).keys()];
        const check = ImageCheck.of(previous);
        const whole = measureChange({ previous, current, header }, check, false);
        const change = { previous, current, header, dirtyPages, dirtyRanges };
        expect(measureChange(change, check, false)).toEqual(whole);
        expect(measureChange(change, check, true)).toEqual(whole);
        expect(whole.check.toString()).toBe(ImageCheck.of(current).toString());
      },
    ),
  );
});
