// Postings come back as they were written.
import { assert, pre, property, uniqueArray, nat, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { appendPostings, chunkSize, codedLengths, decodePostings, encodePostings, lengthCode } from './postings.ts';

const postings = uniqueArray(tuple(nat(chunkSize - 1), nat(0xfffe), nat(255)), { selector: ([offset]) => offset });
const sortedPostings = postings.map((given) =>
  given
    .map(([offset, count, code]) => ({ offset, count: count + 1, lengthCode: code }))
    .toSorted((a, b) => a.offset - b.offset),
);

it('keeps every posting', () => {
  assert(
    property(sortedPostings, (sorted) => {
      expect(decodePostings(encodePostings(sorted))).toEqual(sorted);
    }),
  );
});

it('appends what comes behind, and nothing else', () => {
  assert(
    property(sortedPostings, nat(), (sorted, cut) => {
      pre(sorted.length > 1);
      const at = 1 + (cut % (sorted.length - 1));
      const [before, added] = [encodePostings(sorted.slice(0, at)), encodePostings(sorted.slice(at))];
      expect(appendPostings(before, sorted.slice(at))).toEqual(encodePostings(sorted));
      expect(appendPostings(added, sorted.slice(0, at))).toBeUndefined();
      expect(appendPostings(encodePostings([]), sorted)).toEqual(encodePostings(sorted));
    }),
  );
});

it('keeps lengths within five per cent', () => {
  for (let words = 10; words < 1_000_000; words = Math.ceil(words * 1.3)) {
    const coded = codedLengths[lengthCode(words)] as number;
    expect(Math.abs(coded - words) / words).toBeLessThan(0.06);
  }
});
