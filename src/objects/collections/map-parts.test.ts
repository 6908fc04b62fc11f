// The parts of maps stay few and in bounds, and a change or a read touches only those it must.
import { describe, expect, test } from 'vitest';
import { CountedParts } from './fixtures/counted-parts.ts';
import { filled, first, letters, verifyMap } from './fixtures/map-checks.ts';
import { mapIterate } from './map-iterate.ts';
import { emptyMap, mapDelete, mapHas, mapSet, mapSize } from './map.ts';
import { setAdd } from './set.ts';

describe('the parts of maps', () => {
  test.each([
    ['in order', (index: number) => index],
    ['backwards', (index: number) => 9999 - index],
    ['all over the place', (index: number) => (index * 7919) % 10_000],
  ])('deleted one by one %s leave nothing, and few chunks on the way', (_, pick) => {
    const pair = filled(10_000);
    for (let index = 0; index < 10_000; index++) {
      pair.delete(pick(index));
      if (index % 500 === 0) pair.check();
    }
    expect(pair.root).toMatchObject({ entries: [] });
    expect(pair.parts.stored.size).toBe(0);
  });

  test('thinned out in an iteration do not load the same chunks again and again', () => {
    const pair = filled(20_000);
    let [met, most] = [0, 0];
    pair.parts.reset();
    for (const { key } of mapIterate(pair.parts, () => pair.root)) {
      met++;
      most = Math.max(most, pair.parts.reads.length);
      if ((key as number) % 20 !== 0) pair.delete(key as number);
      pair.parts.reset();
    }
    expect(met).toBe(20_000);
    expect(most).toBeLessThanOrEqual(6);
    pair.check();
    expect(mapSize(pair.root)).toBe(1000);
    // A quarter full at least, on the average of two neighbours.
    expect(pair.parts.stored.size - 1000).toBeLessThan(70);
    pair.parts.reset();
    expect(
      first(
        mapIterate(pair.parts, () => pair.root),
        10,
      ),
    ).toHaveLength(10);
    expect(pair.parts.loaded).toBeLessThanOrEqual(3);
  });

  test.each(['shrink', 'go'])('do not fill with small chunks when huge values come and %s', (end) => {
    const pair = filled(800);
    for (let key = 2; key < 800; key += 2) {
      pair.set(key, letters(9000));
      pair.check();
      if (end === 'shrink') pair.set(key, 0);
      else pair.delete(key);
      pair.check();
    }
    expect(pair.parts.stored.size - mapSize(pair.root)).toBeLessThan(32);
  });

  test('write one chunk for a key that is there, and the key, its chunk and the record for a new one', () => {
    const { parts, root } = filled(200_000);
    parts.reset();
    expect(mapSet(parts, root, 'n100000', 100_000, 'changed')).toBe(root);
    expect(parts.writes).toHaveLength(1);
    expect(parts.loaded).toBe(2);
    parts.reset();
    expect(mapSet(parts, root, 'n100000', 100_000, 'changed')).toBe(root);
    expect(parts.writes).toHaveLength(0);
    const added = mapSet(parts, root, 'new', 'new', 1);
    expect(parts.writes.length).toBeLessThanOrEqual(3);
    parts.reset();
    const fewer = mapDelete(parts, added, 'n5000');
    expect([parts.writes.length, parts.removals.length]).toStrictEqual([1, 1]);
    expect(mapDelete(parts, fewer, 'n5000')).toBe(fewer);
    parts.reset();
    expect(
      first(
        mapIterate(parts, () => fewer),
        10,
      ).map(({ key }) => key),
    ).toStrictEqual([...Array(10).keys()]);
    expect(parts.loaded).toBe(1);
    parts.reset();
    expect(mapHas(parts, fewer, 'not there')).toBe(false);
    expect(parts.loaded).toBe(1);
  });

  test('a set writes nothing for a member that is there', () => {
    const parts = new CountedParts();
    let root = emptyMap;
    for (let member = 0; member < 1000; member++) root = setAdd(parts, root, `n${member}`, member);
    verifyMap(parts, root);
    parts.reset();
    expect(setAdd(parts, root, 'n500', 500)).toBe(root);
    expect(parts.writes).toHaveLength(0);
  });
});
