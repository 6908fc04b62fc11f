// The sorted list behaves like a plain sorted array, also when its chunks split and vanish.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SortedKeys } from './sorted-keys.ts';

function betweenIn(keys: ReadonlySet<string>, lower: string, upper: string): string[] {
  return [...keys].filter((key) => key >= lower && key < upper).toSorted((a, b) => (a < b ? -1 : 1));
}

function bothWays(sorted: SortedKeys<string>, lower: string, upper: string): string[][] {
  return [[...sorted.between(lower, upper, false)], [...sorted.between(lower, upper, true)].toReversed()];
}

const twice = (keys: string[]): string[][] => [keys, keys];

describe('sorted keys', () => {
  test('are those of a sorted array, after any additions and removals', () => {
    const anyName = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\0', '\xff'), maxLength: 3 });
    const anyStep = fc.record({ add: fc.boolean(), key: anyName });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), anyName, anyName, (steps, lower, upper) => {
        const sorted = new SortedKeys<string>();
        const keys = new Set<string>();
        for (const { add, key } of steps) {
          if (add) {
            sorted.add(key);
            keys.add(key);
          } else {
            sorted.delete(key);
            keys.delete(key);
          }
        }
        expect(bothWays(sorted, lower, upper)).toStrictEqual(twice(betweenIn(keys, lower, upper)));
        expect(bothWays(sorted, '', '\xff\xff\xff\xff')).toStrictEqual(twice(betweenIn(keys, '', '\xff\xff\xff\xff')));
      }),
      { numRuns: 500 },
    );
  });

  test('thousands of them, added and removed in any order', () => {
    const number = (index: number): string => String(index).padStart(6, '0');
    fc.assert(
      fc.property(fc.constantFrom(1, 7919, 4999, 9999), fc.constantFrom(1, 3, 10), (stride, kept) => {
        const sorted = new SortedKeys<string>();
        const keys = new Set<string>();
        const count = 5000;
        for (let index = 0; index < count; index++) {
          const key = number((index * stride) % count);
          sorted.add(key);
          sorted.add(key);
          keys.add(key);
        }
        for (let index = 0; index < count; index++) {
          if (index % kept === 0) continue;
          sorted.delete(number(index));
          keys.delete(number(index));
        }
        expect(bothWays(sorted, '', 'z')).toStrictEqual(twice(betweenIn(keys, '', 'z')));
        expect(bothWays(sorted, number(511), number(513))).toStrictEqual(
          twice(betweenIn(keys, number(511), number(513))),
        );
        expect(bothWays(sorted, number(1000), number(3000))).toStrictEqual(
          twice(betweenIn(keys, number(1000), number(3000))),
        );
        for (const key of keys) sorted.delete(key);
        expect(bothWays(sorted, '', 'z')).toStrictEqual(twice(betweenIn(new Set(), '', 'z')));
        sorted.add('again');
        expect(bothWays(sorted, '', 'z')).toStrictEqual(twice(betweenIn(new Set(['again']), '', 'z')));
      }),
    );
  });
});
