// Lists behave as arrays do, whatever is done to them in whatever order; their parts stay few, full and in bounds.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CountedParts, frozen, nameOf, randomNumbers } from './fixtures/counted-parts.ts';
import type { Children } from './list-tree.ts';
import {
  emptyList,
  listCreate,
  listDestroy,
  listGet,
  listInsert,
  listIterate,
  listRemove,
  listSet,
  listSize,
  listSlice,
  listSplice,
  type ListRoot,
} from './list.ts';
import { CollectionDamagedError } from './parts.ts';
import { inlineCapacity, partCapacity, partMinimum, totalWeight } from './weight.ts';

/** Fails unless the stored parts are exactly those under the root, within their limits, with counts that add up. */
function verify(parts: CountedParts, root: ListRoot): void {
  frozen(root);
  if ('items' in root) {
    if (totalWeight(root.items) <= inlineCapacity && parts.stored.size === 0) return;
    throw new Error('A list in its record is too large for it, or has left parts behind.');
  }
  const reached = new Set<string>();
  const leaves: number[] = [];
  let small = 0;
  let nodes = 1;
  const visit = (children: Children, height: number): number => {
    if (children.length === 0 || children.length > 128) throw new Error(`A node has ${children.length} children.`);
    let total = 0;
    let smallBefore = false;
    for (const [part, count] of children) {
      const content = parts.stored.get(nameOf([part])) as readonly unknown[] | undefined;
      if (content === undefined || reached.has(nameOf([part]))) throw new Error(`Part ${part} is missing or shared.`);
      if (part >= root.next) throw new Error(`Part ${part} will be given out again.`);
      reached.add(nameOf([part]));
      if (height > 1) nodes++;
      const found = height === 1 ? content.length : visit(content as Children, height - 1);
      if (found !== count || count === 0) throw new Error(`Part ${part} holds ${found}, its node counts ${count}.`);
      total += count;
      if (height > 1) continue;
      const weight = totalWeight(content);
      leaves.push(weight);
      if (content.length > 1 && weight > partCapacity) throw new Error(`Leaf ${part} weighs ${weight}.`);
      if (weight < partMinimum && smallBefore) small++;
      smallBefore = weight < partMinimum;
    }
    return total;
  };
  expect(visit(root.children, root.height)).toBe(root.size);
  expect(reached.size).toBe(parts.stored.size);
  // Two small leaves side by side in one node should have been merged.
  expect(small).toBe(0);
  const weight = leaves.reduce((sum, leaf) => sum + leaf, 0);
  expect(leaves.length).toBeLessThanOrEqual(2 + 2 * nodes + (8 * weight) / partCapacity);
}

type Action = readonly ['insert' | 'remove' | 'set', number, number, number];

const letters = (length: number): string => 'x'.repeat(length);

/** Applies an action to a list and to an array; positions are fractions of the size. */
function apply(parts: CountedParts, root: ListRoot, model: unknown[], [kind, place, count, length]: Action): ListRoot {
  const index = Math.min(model.length, Math.floor(place * (model.length + 1)));
  if (kind === 'remove') {
    model.splice(index, count);
    return listRemove(parts, root, index, count);
  }
  if (kind === 'set') {
    if (index === model.length) return root;
    model[index] = frozen([letters(length)]);
    return listSet(parts, root, index, model[index]);
  }
  const values = Array.from({ length: count }, (_, at) => frozen(length < 20 ? at : { at, text: letters(length) }));
  model.splice(index, 0, ...values);
  return listInsert(parts, root, index, values);
}

const anyLength = fc.oneof({ weight: 6, arbitrary: fc.nat(40) }, fc.nat(600), fc.constantFrom(4000, 9000, 20_000));
const anyAction: fc.Arbitrary<Action> = fc.tuple(
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
        verify(parts, root);
        for (const action of actions) {
          const [kind, at, count, length] = action;
          // Few long elements: a list of thousands would only take time.
          const limited = length > 1000 && kind === 'insert' ? count % 10 : count;
          root = apply(parts, root, model, [kind, at, limited, length]);
          verify(parts, root);
        }
        expect(listSize(root)).toBe(model.length);
        expect([...listIterate(parts, () => root)]).toStrictEqual(model);
        const start = place % (model.length + 1);
        expect(listSlice(parts, root, start, start + 200)).toStrictEqual(model.slice(start, start + 200));
        expect(listGet(parts, root, start)).toStrictEqual(model[start]);
        listDestroy(parts, root);
        expect(parts.stored.size).toBe(0);
      }),
      { numRuns: 60 },
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
      root = apply(parts, root, model, [kind, place, count, 0]);
      verify(parts, root);
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
      root = apply(parts, root, model, [kind, place, count, length]);
      const index = random(model.length + 1);
      if (listGet(parts, root, index) !== model[index]) throw new Error(`Step ${step}: element ${index} is wrong.`);
      if (step % 400 === 0) verify(parts, root);
    }
    verify(parts, root);
    expect(listSlice(parts, root, 0, Infinity)).toStrictEqual(model);
  });

  test.each([
    ['from the front', () => 0],
    ['from the back', (size: number) => size - 1],
    ['from the middle', (size: number) => size >> 1],
    ['anywhere', (size: number, random: (below: number) => number) => random(size)],
  ])('removed one by one %s leave nothing', (_, pick) => {
    const random = randomNumbers(7);
    const parts = new CountedParts();
    let root = listCreate(
      parts,
      Array.from({ length: 20_000 }, (_unused, index) => index),
    );
    for (let size = 20_000; size > 0; size--) {
      root = listRemove(parts, root, pick(size, random), 1);
      if (size % 1000 === 1) verify(parts, root);
    }
    expect(root).toStrictEqual({ items: [] });
    expect(parts.stored.size).toBe(0);
  });

  test('are kept in their record up to 64 elements or 4 KB, and again from a quarter of that', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, Array.from({ length: 64 }).fill(1));
    expect(root).toHaveProperty('items');
    root = listInsert(parts, root, 64, [1]);
    expect(root).toMatchObject({ size: 65, height: 1 });
    root = listRemove(parts, root, 0, 48);
    expect(root).toMatchObject({ size: 17 });
    root = listRemove(parts, root, 0, 1);
    expect(root).toStrictEqual({ items: Array.from({ length: 16 }).fill(1) });
    expect(listCreate(parts, [letters(5000)])).toMatchObject({ size: 1 });
  });

  test('a huge element has a leaf of its own', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, [...Array.from({ length: 100 }).keys()]);
    root = listSet(parts, root, 50, letters(50_000));
    verify(parts, root);
    expect(listSize(root)).toBe(100);
    expect([...parts.stored.values()]).toContainEqual([letters(50_000)]);
    // Small again: its neighbours take it back.
    root = listSet(parts, root, 50, 0);
    verify(parts, root);
    expect(parts.stored.size).toBeLessThanOrEqual(2);
  });

  test('elements that all become short leave fewer parts', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, Array.from({ length: 1000 }).fill(letters(9000)));
    expect(parts.stored.size).toBeGreaterThan(1000);
    for (let index = 0; index < 1000; index++) root = listSet(parts, root, index, index);
    verify(parts, root);
    expect(parts.stored.size).toBeLessThan(40);
  });

  test('do not fill with small leaves that huge elements left when they came and went', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, Array.from({ length: 2000 }).fill(0));
    for (let index = 2; index < 2000; index += 2) {
      root = listSet(parts, root, index, letters(9000));
      verify(parts, root);
      root = listSet(parts, root, index, 0);
      verify(parts, root);
    }
    expect(parts.stored.size).toBeLessThan(80);
  });

  test('may get more elements at once than a call can have arguments', () => {
    const parts = new CountedParts();
    const many = [...Array.from({ length: 300_000 }).keys()];
    let root = listInsert(parts, listCreate(parts, [1, 2]), 1, many);
    root = listInsert(parts, root, 150_000, many);
    verify(parts, root);
    expect(listSize(root)).toBe(600_002);
    root = listSplice(parts, root, 1, 600_000, [3]);
    expect(root).toStrictEqual({ items: [1, 3, 2] });
    expect(parts.stored.size).toBe(0);
  });

  test('of a million elements write one part for one changed and load a few for ten read', () => {
    const parts = new CountedParts();
    const built = listCreate(parts, [...Array.from({ length: 1_000_000 }).keys()]);
    expect(parts.stored.size).toBeLessThan(1_000_000 / 100);
    parts.reset();
    expect(listSet(parts, built, 500_000, -1)).toBe(built);
    expect(parts.writes).toHaveLength(1);
    expect(parts.loaded).toBeLessThanOrEqual(2);

    parts.reset();
    expect(listSlice(parts, built, 700_000, 700_010)).toStrictEqual(
      [...Array.from({ length: 10 }).keys()].map((n) => 700_000 + n),
    );
    expect(parts.loaded).toBeLessThanOrEqual(4);
    expect(parts.writes).toHaveLength(0);

    parts.reset();
    let root = listInsert(parts, built, 1_000_000, ['last']);
    expect(parts.writes.length).toBeLessThanOrEqual(2);
    parts.reset();
    root = listInsert(parts, root, 400_000, ['middle']);
    expect(parts.writes.length).toBeLessThanOrEqual(3);
    parts.reset();
    root = listRemove(parts, root, 0, 1);
    expect(parts.writes.length).toBeLessThanOrEqual(3);
    expect(listGet(parts, root, 399_999)).toBe('middle');
    verify(parts, root);
  });

  test('pushed one by one fill their leaves', () => {
    const parts = new CountedParts();
    let root = emptyList;
    let most = 0;
    for (let index = 0; index < 30_000; index++) {
      parts.reset();
      root = listInsert(parts, root, index, [index]);
      most = Math.max(most, parts.writes.length);
    }
    verify(parts, root);
    expect(parts.stored.size).toBeLessThan(30_000 / 120);
    expect(most).toBeLessThanOrEqual(4);
  });

  test('read a part once in an iteration that is told of changes', () => {
    const parts = new CountedParts();
    const root = listCreate(parts, [...Array.from({ length: 5000 }).keys()]);
    parts.reset();
    const seen = [
      ...listIterate(
        parts,
        () => root,
        10,
        () => 0,
      ),
    ];
    expect(seen).toHaveLength(4990);
    expect(parts.reads).toHaveLength(parts.loaded);
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
      const kind = (['set', 'insert', 'remove'] as const)[random(3)] as Action[0];
      root = apply(parts, root, model, [kind, random(1000) / 1000, random(3), random(60)]);
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
