// The parts of lists stay few, full and in bounds, and a change or a read touches only those it must.
import { describe, expect, test } from 'vitest';
import { CountedParts, randomNumbers } from './fixtures/counted-parts.ts';
import { letters, verifyList } from './fixtures/list-checks.ts';
import {
  emptyList,
  listCreate,
  listGet,
  listInsert,
  listIterate,
  listRemove,
  listSet,
  listSize,
  listSlice,
} from './list.ts';

describe('the parts of lists', () => {
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
      if (size % 1000 === 1) verifyList(parts, root);
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
    verifyList(parts, root);
    expect(listSize(root)).toBe(100);
    expect([...parts.stored.values()]).toContainEqual([letters(50_000)]);
    // Small again: its neighbours take it back.
    root = listSet(parts, root, 50, 0);
    verifyList(parts, root);
    expect(parts.stored.size).toBeLessThanOrEqual(2);
  });

  test('elements that all become short leave fewer parts', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, Array.from({ length: 1000 }).fill(letters(9000)));
    expect(parts.stored.size).toBeGreaterThan(1000);
    for (let index = 0; index < 1000; index++) root = listSet(parts, root, index, index);
    verifyList(parts, root);
    expect(parts.stored.size).toBeLessThan(40);
  });

  test('do not fill with small leaves that huge elements left when they came and went', () => {
    const parts = new CountedParts();
    let root = listCreate(parts, Array.from({ length: 2000 }).fill(0));
    for (let index = 2; index < 2000; index += 2) {
      root = listSet(parts, root, index, letters(9000));
      verifyList(parts, root);
      root = listSet(parts, root, index, 0);
      verifyList(parts, root);
    }
    expect(parts.stored.size).toBeLessThan(80);
  });

  test('merge small leaves that come to lie in one node', () => {
    const parts = new CountedParts();
    const leaf = 128;
    const node = leaf * 128;
    // Appended, so that leaves and nodes are full and small leaves find no neighbour with room.
    let root = listInsert(parts, listCreate(parts, Array.from({ length: leaf }).fill(0)), leaf, [
      ...Array.from({ length: 3 * node }).keys(),
    ]);
    root = listRemove(parts, root, node + 1, leaf - 1);
    root = listRemove(parts, root, node - leaf + 1, leaf - 1);
    verifyList(parts, root);
    root = listRemove(parts, root, node, leaf * 60);
    verifyList(parts, root);
    root = listRemove(parts, root, 0, leaf * 100);
    verifyList(parts, root);
    expect(root).toMatchObject({ height: 2 });
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
    verifyList(parts, root);
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
    verifyList(parts, root);
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
});
