// Postings come back as they were written.
import { assert, property, uniqueArray, nat, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { chunkSize, codedLengths, decodePostings, encodePostings, lengthCode } from './postings.ts';

it('keeps every posting', () => {
  const postings = uniqueArray(tuple(nat(chunkSize - 1), nat(0xfffe), nat(255)), { selector: ([offset]) => offset });
  assert(
    property(postings, (given) => {
      const sorted = given
        .map(([offset, count, code]) => ({ offset, count: count + 1, lengthCode: code }))
        .toSorted((a, b) => a.offset - b.offset);
      expect(decodePostings(encodePostings(sorted))).toEqual(sorted);
    }),
  );
});

it('keeps lengths within five per cent', () => {
  for (let words = 10; words < 1_000_000; words = Math.ceil(words * 1.3)) {
    const coded = codedLengths[lengthCode(words)] as number;
    expect(Math.abs(coded - words) / words).toBeLessThan(0.06);
  }
});
