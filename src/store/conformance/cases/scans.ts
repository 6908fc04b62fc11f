// Scans: pages, limits and cursors show every key once, in either direction, however large the collection is.
import assert from 'node:assert/strict';
import { StoreArgumentError } from '../../errors.ts';
import type { Page, ScanOptions, Store } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { bytes, records, versions } from './collections.ts';
import { keysIn, numbers, put, refuses, remove, write } from '../model/steps.ts';

export const scanCases = [
  conformanceCase('scans: every page size shows every key once', async ({ store }) => {
    const all = numbers(23).map((index) => [index]);
    await write(store, ...all.map((key) => put(records, key, key[0])));
    for (const limit of [1, 2, 3, 7, 22, 23, 24, 10_000]) {
      assert.deepEqual(await keysIn(store, records, {}, { limit }), all);
      assert.deepEqual(await keysIn(store, records, {}, { limit, reverse: true }), all.toReversed());
    }
  }),

  conformanceCase('scans: there is a cursor exactly while there is more', async ({ store }) => {
    await write(store, ...numbers(5).map((index) => put(records, [index], index)), put(records, [9, 'outside'], 0));
    for (const reverse of [false, true]) {
      const sizes = [];
      for (const limit of [4, 5, 6]) {
        const page = await store.scan(records, { to: [9] }, { limit, reverse });
        sizes.push([page.entries.length, page.cursor !== undefined]);
      }
      assert.deepEqual(sizes, [
        [4, true],
        [5, false],
        [5, false],
      ]);
    }
  }),

  conformanceCase('scans: a page has 1,000 entries by default', async ({ store }) => {
    await write(store, ...numbers(1001).map((index) => put(records, [index], null)));
    const first = await store.scan(records, {});
    assert.equal(first.entries.length, 1000);
    const second = await store.scan(records, {}, { cursor: first.cursor });
    assert.deepEqual(
      second.entries.map((entry) => entry.key),
      [[1000]],
    );
    assert.equal(second.cursor, undefined);
  }),

  conformanceCase('scans: limits that make no sense are refused', async ({ store }) => {
    const wrong: readonly unknown[] = [0, -1, 1.5, 10_001, Number.NaN, Infinity, '5'];
    for (const limit of wrong) {
      await refuses(StoreArgumentError, () => store.scan(records, {}, { limit: limit as number }));
    }
  }),

  conformanceCase('scans: entries carry key, value and revision, and pages theirs', async ({ store }) => {
    const first = await write(store, put(records, ['a'], { n: 1 }));
    const second = await write(store, put(records, ['b'], { n: 2 }));
    assert.deepEqual(await store.scan(records, {}), {
      entries: [
        { key: ['a'], value: { n: 1 }, revision: first },
        { key: ['b'], value: { n: 2 }, revision: second },
      ],
      cursor: undefined,
      revision: second,
    });
  }),

  conformanceCase('scans: a cursor goes on although its key is gone or others came', async ({ store }) => {
    await write(store, ...[1, 3, 5, 7].map((index) => put(records, [index], index)));
    for (const reverse of [false, true]) {
      const page = await store.scan(records, {}, { limit: 2, reverse });
      const last = page.entries.at(-1)?.key ?? [];
      const next = reverse ? 2.5 : 3.5;
      await write(store, remove(records, last), put(records, [next], 'new'));
      const rest = await store.scan(records, {}, { cursor: page.cursor, reverse });
      assert.deepEqual(
        rest.entries.map((entry) => entry.key[0]),
        reverse ? [3, 2.5, 1] : [3.5, 5, 7],
      );
      await write(store, remove(records, [next]), put(records, [3], 3), put(records, [5], 5));
    }
  }),

  conformanceCase('scans: a cursor after the empty key goes on', async ({ store }) => {
    await write(store, put(records, [], 'empty'), put(records, [null], 'null'));
    const first = await store.scan(records, {}, { limit: 1 });
    assert.deepEqual(first.entries[0]?.key, []);
    assert.notEqual(first.cursor, undefined);
    const second = await store.scan(records, {}, { limit: 1, cursor: first.cursor });
    assert.deepEqual(second.entries[0]?.key, [null]);
    assert.equal(second.cursor, undefined);
  }),

  conformanceCase('scans: a cursor from elsewhere is refused', async ({ store }) => {
    await write(store, ...['a', 'b', 'c', 'd'].map((text) => put(records, [text, 1], text)));
    const { cursor } = await store.scan(records, {}, { limit: 2 });
    assert.ok(cursor !== undefined);
    for (const range of [{ prefix: ['a'] }, { from: ['c'] }, { to: ['b'] }, { prefix: [], startsWith: 'd' }]) {
      await refuses(StoreArgumentError, () => store.scan(records, range, { cursor }));
    }
    for (const nonsense of ['!', 'not a cursor', '....', `${cursor}=`, `${cursor}AAAA`, '/w', 'é', 5, null, {}]) {
      await refuses(StoreArgumentError, () => store.scan(records, {}, { cursor: nonsense as string }));
    }
  }),

  conformanceCase('scans: a page ends before it grows far past 16 MiB', async ({ store }) => {
    const megabytes = 5;
    const size = megabytes * 1024 * 1024;
    for (const index of numbers(6)) await write(store, put(bytes, [index], new Uint8Array(size).fill(index)));
    for (const reverse of [false, true]) {
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page: Page<Uint8Array> = await store.scan(bytes, {}, { cursor, reverse });
        assert.ok(page.entries.length > 0, 'a page that is not the last one has entries');
        assert.ok(page.entries.length * megabytes <= 16 + megabytes, 'a page stays near its limit');
        for (const { key, value } of page.entries) {
          assert.deepEqual([value.length, value[0], value.at(-1)], [size, key[0], key[0]]);
          found.push(key[0]);
        }
        ({ cursor } = page);
      } while (cursor !== undefined);
      assert.deepEqual(found, reverse ? [5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5]);
    }
  }),

  conformanceCase('scans: 100,000 keys, in order, in both directions and in part', async ({ store }) => {
    const count = 100_000;
    const perTransaction = 5_000;
    for (let start = 0; start < count; start += perTransaction) {
      const writes = numbers(perTransaction).map((offset) => {
        // Scattered, so that the order is the store's work and not the writer's.
        const index = ((start + offset) * 7919) % count;
        return put(versions, [Math.floor(index / 1000), `item ${index % 1000}`], index);
      });
      await write(store, ...writes);
    }
    assert.equal(await countPages(store, {}), count);
    assert.equal(await countPages(store, { reverse: true }), count);
    const part = await keysIn(store, versions, { prefix: [42], startsWith: 'item 99' }, { limit: 10 });
    const expected = ['item 99', ...numbers(10).map((digit) => `item 99${digit}`)];
    assert.deepEqual(
      part.map((key) => key[1]),
      expected,
    );
  }),
];

/** Counts the entries of the large collection, and checks their order. */
async function countPages(store: Store, options: ScanOptions): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  let previous = '';
  do {
    const page: Page<unknown> = await store.scan(versions, {}, { ...options, limit: 10_000, cursor });
    for (const { key } of page.entries) {
      const name = `${String(key[0]).padStart(3, '0')} ${String(key[1])}`;
      assert.ok(count === 0 || (options.reverse === true ? name < previous : name > previous), 'keys come in order');
      previous = name;
      count++;
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
  return count;
}
