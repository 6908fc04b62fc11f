// Paths: short as stored, and the same when read back.
import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { readPath, storePath } from './path.ts';

it('gives back any path', () => {
  const segment = record({
    chain: constantFrom('a', 'b', 'c'),
    steps: array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
  });
  assert(
    property(array(segment, { maxLength: 5 }), (segments) => {
      const path = segments.flatMap(({ chain, steps }) => {
        let sequence = 0;
        return steps.map((step) => ({ chain, sequence: (sequence += step) }));
      });
      expect(readPath(storePath(path))).toEqual(path);
    }),
  );
});

it('stores regular distances as one run', () => {
  const path = [32, 64, 96, 97, 98, 99].map((sequence) => ({ chain: 'a', sequence }));
  expect(storePath(path)).toEqual([['a', 32, 32, 3, 97, 1, 3]]);
});
