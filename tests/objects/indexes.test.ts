// Sorted indexes: ranges, order, missing keys, compound keys, and objects that are gone.
import { describe, expect, test } from 'vitest';
import { InvalidOptionError } from '../../src/base/options.ts';
import { Durable } from '../../src/objects/durable.ts';
import { exists, find, idOf, index, pin, remove, transaction } from '../../src/objects/graph.ts';
import type { IndexKey, ObjectIndex } from '../../src/objects/queries/object-index.ts';
import { indexRows, rootRows } from '../../src/objects/rows.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { openObjects, reopen } from './support/open.ts';

class Item extends Durable {
  name: string;
  list: number[] = [];

  constructor(name: string) {
    super();
    this.name = name;
  }
}
class Catalog extends Durable {
  byKey = index<Item>();
}

const names = (items: Iterable<Item>): string => [...items].map(({ name }) => name).join('');

async function catalog(entries: readonly [string, IndexKey][]): Promise<ObjectIndex<Item>> {
  await openObjects([Item, Catalog]);
  const { byKey } = new Catalog();
  for (const [name, key] of entries) byKey.add(key, new Item(name));
  return byKey;
}

describe('an index', () => {
  test('selects ranges in order', async () => {
    const byKey = await catalog([
      ['c', 3],
      ['a', -1.5],
      ['z', null],
      ['b', 2],
      ['y', null],
      ['d', 1e9],
    ]);
    expect(names(byKey)).toBe('zyabcd');
    expect(names(byKey.select(undefined, undefined, { nulls: 'last' }))).toBe('abcdzy');
    expect(names(byKey.select(undefined, undefined, { nulls: 'none' }))).toBe('abcd');
    expect(names(byKey.select(undefined, undefined, { descending: true }))).toBe('yzdcba');
    expect(names(byKey.select(undefined, undefined, { descending: true, nulls: 'last', limit: 5 }))).toBe('dcbay');
    expect(names(byKey.select(2))).toBe('bcd');
    expect(names(byKey.select(2, 3))).toBe('b');
    expect(names(byKey.select(undefined, 3))).toBe('ab');
    expect(names(byKey.select(2, undefined, { descending: true }))).toBe('dcb');
    expect(names(byKey.select(3, 2))).toBe('');
    expect(names(byKey.select(2, 2))).toBe('');
    expect(names(byKey.select(undefined, undefined, { limit: 0 }))).toBe('');
    expect([byKey.count(), byKey.count(2), byKey.count(4, 5)]).toEqual([6, 3, 0]);
  });

  test('takes dates, texts, bigints, and several parts of them', async () => {
    const byKey = await catalog([
      ['a', ['ann', new Date('2024-01-02')]],
      ['b', ['ann', new Date('2023-01-02')]],
      ['c', ['bob', null]],
      ['d', ['bob', 5n]],
      ['e', ['bo', true]],
      ['f', 'zoe'],
    ]);
    expect(names(byKey)).toBe('baecdf');
    expect(names(byKey.select('ann', 'bo'))).toBe('ba');
    expect(names(byKey.select(['ann', new Date('2023-06-01')], 'bob'))).toBe('ae');
    expect(names(byKey.select(['bob']))).toBe('cdf');
    expect(() => byKey.add(Number.NaN, new Item('n'))).toThrow(/NaN/);
    expect(() => byKey.add([], new Item('n'))).toThrow(/at least one part/);
    expect(() => byKey.add('x'.repeat(800), new Item('n'))).toThrow(/700 bytes/);
    expect(() => byKey.add(1, {} as Item)).toThrow(InvalidOptionError);
    expect(() => [...byKey.select(1, 2, { limt: 1 } as object)]).toThrow(/limt/);
    expect(() => [...byKey.select(1, 2, { limit: Number.NaN })]).toThrow(/limit/);
    expect(() => [...byKey.select(1, 2, { nulls: 'middle' as 'first' })]).toThrow(/nulls/);
  });

  test('forgets entries, skips objects that are gone, and goes with its own entries', async () => {
    const byKey = await catalog([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    const [a, b] = [...byKey] as [Item, Item];
    byKey.add(1, a);
    expect(names(byKey)).toBe('abc');
    expect([byKey.remove(1, a), byKey.remove(1, a), byKey.remove(9, b)]).toEqual([true, false, false]);
    remove(b);
    expect([names(byKey), byKey.count()]).toEqual(['c', 1]);
    byKey.add(7, a);
    expect(names(byKey)).toBe('ca');
    remove(byKey);
    expect(() => [...byKey]).toThrow(/is gone/);
    expect(() => byKey.add(1, a)).toThrow(/is gone/);
    expect([exists(a), exists(byKey)]).toEqual([true, false]);
  });

  test('leaves no rows behind when it is removed', async () => {
    const objects = await openObjects([Item, Catalog]);
    const { byKey } = new Catalog();
    byKey.add(1, new Item('a'));
    pin(byKey);
    await objects.plainWrites.flush();
    remove(byKey);
    await objects.plainWrites.flush();
    expect((await objects.store.scan(indexRows, {})).entries).toEqual([]);
    expect((await objects.store.scan(rootRows, {})).entries).toEqual([]);
  });

  test('takes collections too, and sorts what a query finds', async () => {
    const byKey = await catalog([
      ['a', 3],
      ['b', 2],
      ['c', 1],
    ]);
    const items = [...byKey];
    tags(items[0] as Item).add('x');
    tags(items[2] as Item).add('x');
    expect(names(byKey.sort(find(Item, 'x')))).toBe('ca');
    expect(names(byKey.sort(find(Item, 'x'), { descending: true, limit: 1 }))).toBe('a');
    const list = (items[0] as Item).list as unknown as Item;
    byKey.add(0, list);
    expect([...byKey][0]).toBe(list);
  });

  test('ends when entries move while it is gone through', async () => {
    const byKey = await catalog([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    await transaction(() => {
      let [met, key] = ['', 1];
      for (const item of byKey) {
        met += item.name;
        byKey.remove(key, item);
        byKey.add(key + 10, item);
        key++;
      }
      expect(met).toBe('abc');
      expect(names(byKey.select(11))).toBe('abc');
      expect(byKey.count(undefined, 11)).toBe(0);
    });
  });

  test('is there after reopening, as the same object', async () => {
    const objects = await openObjects([Item, Catalog]);
    const made = new Catalog();
    made.byKey.add('k', new Item('a'));
    const again = (await reopen(objects, [Item, Catalog])).find(idOf(made)) as Catalog;
    expect(names(again.byKey)).toBe('a');
    expect(again.byKey).toBe(again.byKey);
    expect(idOf(again.byKey)).toBe(idOf(made.byKey));
  });
});
