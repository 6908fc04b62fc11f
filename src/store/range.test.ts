// The encoded bounds of a range contain exactly the keys that the range means.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyKey, anyPart, anyRange, anyString } from '../../tests/support/arbitrary.ts';
import { inRange } from './conformance/model/reference-order.ts';
import { StoreArgumentError } from './errors.ts';
import { encodeParts } from './key.ts';
import { after, boundsOf, within, type Range } from './range.ts';

describe('ranges', () => {
  test('contain exactly what they mean', () => {
    fc.assert(
      fc.property(anyKey, anyRange, (key, range) => {
        expect(within(encodeParts(key), boundsOf(range))).toBe(inRange(key, range));
      }),
      { numRuns: 5000 },
    );
  });

  test('contain exactly what they mean, for keys near them', () => {
    const near = fc.tuple(fc.array(anyPart, { maxLength: 2 }), anyString, anyString, anyKey);
    fc.assert(
      fc.property(near, ([prefix, start, rest, tail]) => {
        const range = { prefix, startsWith: start };
        for (const key of [prefix, [...prefix, start], [...prefix, start + rest, ...tail], [...prefix, ...tail]]) {
          expect(within(encodeParts(key), boundsOf(range))).toBe(inRange(key, range));
          expect(within(encodeParts(key), boundsOf({ prefix }))).toBe(inRange(key, { prefix }));
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('the key after another is the first that is larger', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        const [first, second] = [encodeParts(a), encodeParts(b)];
        expect(after(first) > first).toBe(true);
        expect(second > first).toBe(second >= after(first));
      }),
    );
  });

  test('refuse members they do not have', () => {
    expect(() => boundsOf({ start: ['a'] } as Range)).toThrow(StoreArgumentError);
  });
});
