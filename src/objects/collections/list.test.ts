// Lists behave as arrays do, whatever is done to them in whatever order.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CountedParts, nameOf, randomNumbers } from './fixtures/counted-parts.ts';
import { applyToList, verifyList, type ListAction } from './fixtures/list-checks.ts';
import {
  emptyList,
  listCreate,
  listDestroy,
  listGet,
  listInsert,
  listIterate,
  listSet,
  listSize,
  listSlice,
  listSplice,
} from './list.ts';
import { CollectionDamagedError } from './parts.ts';

const anyLength = fc.oneof({ weight: 6, arbitrary: fc.nat(40) }, fc.nat(600), fc.constantFrom(4000, 9000, 20_000));
const anyAction: fc.Arbitrary<ListAction> = fc.tuple(
  fc.constantFrom('insert', 'remove', 'set'),
  fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1)),
  fc.oneof(fc.nat(5), fc.nat(300), fc.nat(3000)),
  anyLength,
);

describe('lists', () => {
  test('behave as arrays do', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.array(anyAction, { maxLength: 25 }), fc.nat(), (size, actions, place) => {
        const parts = new CountedParts();
        const model: unknown[] = Array.from({ length: size }, (_, index) => index);
        let root = listCreate(parts, model);
        verifyList(parts, root);
        for (const action of actions) {
          const [kind, at, count, length] = action;
          // Few long elements: a list of thousands would only take time.
          const limited = length > 1000 && kind === 'insert' ? count % 10 : count;
          root = applyToList(parts, root, model, [kind, at, limited, length]);
          verifyList(parts, root);
        }
        expect(listSize(root)).toBe(model.length);
        expect([...listIterate(parts, () => root)]).toStrictEqual(model);
        const start = place % (model.length + 1);
        expect(listSlice(parts, root, start, start + 200)).toStrictEqual(model.slice(start, start + 200));
        expect(listGet(parts, root, start)).toStrictEqual(model[start]);
        listDestroy(parts, root);
        expect(parts.stored.size).toBe(0);
      }),
      {
        numRuns: 60,
        // An element that grows cuts a part in two deep below, where no count changes.
        examples: [
          [
            0,
            [
              ['insert', 0, 1537, 572],
              ['set', 0, 0, 4000],
              ['insert', 1, 40, 572],
            ],
            0,
          ],
        ],
      },
    );
  });

  test.each([1, 2, 3])('stay as arrays are while parts of them come and go at three levels (seed %i)', (seed) => {
    const random = randomNumbers(seed);
    const parts = new CountedParts();
    const model: unknown[] = [...Array.from({ length: 120_000 }).keys()];
    let root = listCreate(parts, model);
    for (let step = 0; step < 300; step++) {
      const kind = random(3) === 0 ? 'insert' : 'remove';
      const count = random(5) === 0 ? random(20_000) : random(300);
      // Often near the last place, so that what one removal left is cut again by the next.
      const place = random(2) === 0 ? 0.5 + random(40) / 1e4 : random(1000) / 1000;
      root = applyToList(parts, root, model, [kind, place, count, 0]);
      verifyList(parts, root);
    }
    expect(listSlice(parts, root, 0, Infinity)).toStrictEqual(model);
  });

  test.each([1, 2, 3])('stay as arrays are over 20,000 random operations (seed %i)', (seed) => {
    const random = randomNumbers(seed);
    const parts = new CountedParts();
    const model: unknown[] = [];
    let root = emptyList;
    for (let step = 0; step < 20_000; step++) {
      // Grows for a while, then shrinks, so that every limit is passed in both directions.
      const growing = step % 8000 < 5000;
      const kind = (['insert', 'remove', 'set'] as const)[random(10) < 2 ? 2 : random(10) < (growing ? 6 : 3) ? 0 : 1];
      const place = [0, 1, random(1000) / 1000][random(3)] as number;
      const length = random(50) === 0 ? random(3000) : random(100);
      const count = random(300) === 0 ? random(kind === 'remove' ? 2000 : 400) : random(4);
      root = applyToList(parts, root, model, [kind, place, count, length]);
      const index = random(model.length + 1);
      if (listGet(parts, root, index) !== model[index]) throw new Error(`Step ${step}: element ${index} is wrong.`);
      if (step % 400 === 0) verifyList(parts, root);
    }
    verifyList(parts, root);
    expect(listSlice(parts, root, 0, Infinity)).toStrictEqual(model);
  });

  test('may get more elements at once than a call can have arguments', () => {
    const parts = new CountedParts();
    const many = [...Array.from({ length: 300_000 }).keys()];
    let root = listInsert(parts, listCreate(parts, [1, 2]), 1, many);
    root = listInsert(parts, root, 150_000, many);
    verifyList(parts, root);
    expect(listSize(root)).toBe(600_002);
    root = listSplice(parts, root, 1, 600_000, [3]);
    expect(root).toStrictEqual({ items: [1, 3, 2] });
    expect(parts.stored.size).toBe(0);
  });

  test.each([true, false])('iterate as arrays do while they change (told of changes: %s)', (told) => {
    const random = randomNumbers(11);
    const parts = new CountedParts();
    const model: unknown[] = [...Array.from({ length: 2000 }).keys()];
    let root = listCreate(parts, model);
    let changes = 0;
    const ours = listIterate(parts, () => root, 0, told ? () => changes : undefined);
    const theirs = model[Symbol.iterator]();
    for (let step = 0; ; step++) {
      const [one, other] = [ours.next(), theirs.next()];
      expect(one.done).toBe(other.done);
      expect(one.value).toBe(other.value);
      if (one.done === true) break;
      const kind = (['set', 'insert', 'remove'] as const)[random(3)] as ListAction[0];
      root = applyToList(parts, root, model, [kind, random(1000) / 1000, random(3), random(60)]);
      changes++;
    }
  });

  test('tell when a part is missing or is not what it should be', () => {
    const parts = new CountedParts();
    const root = listCreate(parts, [...Array.from({ length: 1000 }).keys()]);
    const key = nameOf([0]);
    const leaf = parts.stored.get(key) as unknown[];
    for (const wrong of [undefined, 5, leaf.slice(1)]) {
      parts.stored.set(key, wrong);
      expect(() => listGet(parts, root, 0)).toThrow(CollectionDamagedError);
      expect(listGet(parts, root, 999)).toBe(999);
    }
  });

  test('refuse places that they do not have', () => {
    const parts = new CountedParts();
    for (const size of [3, 300]) {
      const root = listCreate(parts, Array.from({ length: size }).fill(0));
      expect(listGet(parts, root, size)).toBeUndefined();
      expect(listGet(parts, root, -1)).toBeUndefined();
      for (const index of [size, -1, 0.5, Number.NaN]) expect(() => listSet(parts, root, index, 1)).toThrow(RangeError);
      for (const index of [size + 1, -1]) expect(() => listInsert(parts, root, index, [1])).toThrow(RangeError);
    }
  });
});
