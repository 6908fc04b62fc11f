// Synchronous reads: the same answers, at once, also about what others committed.
import assert from 'node:assert/strict';
import { StoreArgumentError, StoreRevisionGoneError } from '../errors.ts';
import type { Store, SynchronousReads } from '../store.ts';
import { conformanceCase } from './case.ts';
import { bytes, records, versions } from './collections.ts';
import { numbers, put, remove, write } from './steps.ts';

function reads(store: Store): SynchronousReads {
  assert.ok(store.synchronous !== undefined);
  return store.synchronous;
}

export const synchronousCases = [
  conformanceCase(
    'synchronous: the same answers as the other reads',
    async ({ store }) => {
      await write(store, ...numbers(30).map((index) => put(versions, [index], { index })));
      await write(store, put(bytes, ['b'], new Uint8Array([1])), remove(versions, [3]), put(records, ['r'], null));
      const now = reads(store);
      assert.equal(now.revision(), await store.revision());
      for (const at of [undefined, 0, 1, 2]) {
        const keys = [[3], [5], ['none']];
        assert.deepEqual(now.read(versions, keys, { at }), await store.read(versions, keys, { at }));
        for (const options of [{ at }, { at, limit: 4 }, { at, reverse: true, limit: 7 }]) {
          const page = now.scan(versions, { from: [2] }, options);
          assert.deepEqual(page, await store.scan(versions, { from: [2] }, options));
          if (page.cursor === undefined) continue;
          const next = { ...options, cursor: page.cursor };
          assert.deepEqual(now.scan(versions, { from: [2] }, next), await store.scan(versions, { from: [2] }, next));
        }
      }
      assert.deepEqual(now.read(bytes, [['b']])[0]?.value, new Uint8Array([1]));
      now.read(bytes, [['b']])[0]?.value.fill(9);
      assert.deepEqual(now.read(bytes, [['b']])[0]?.value, new Uint8Array([1]));
    },
    'synchronousReads',
  ),

  conformanceCase(
    'synchronous: they see everything committed so far, by any store',
    async ({ store, open }) => {
      const other = await open();
      for (const index of numbers(20)) {
        await write(index % 2 === 0 ? store : other, put(records, ['k'], index));
        for (const reader of [store, other]) {
          assert.equal(reads(reader).revision(), index + 1);
          assert.equal(reads(reader).read(records, [['k']])[0]?.value, index);
          assert.equal(reads(reader).scan(records, {}).entries[0]?.value, index);
        }
      }
    },
    'synchronousReads',
  ),

  conformanceCase(
    'synchronous: what is not committed yet is not seen',
    async ({ store }) => {
      await write(store, put(records, ['k'], 1));
      const committing = write(store, put(records, ['k'], 2));
      assert.ok([1, 2].includes(reads(store).read(records, [['k']])[0]?.value as number));
      await committing;
      assert.equal(reads(store).read(records, [['k']])[0]?.value, 2);
    },
    'synchronousReads',
  ),

  conformanceCase(
    'synchronous: they refuse what the other reads refuse',
    async ({ store }) => {
      for (const index of numbers(5)) await write(store, put(versions, ['k'], index));
      await store.prune(3);
      const now = reads(store);
      assert.throws(() => now.read(versions, [['k']], { at: 2 }), StoreRevisionGoneError);
      assert.throws(() => now.scan(versions, {}, { at: 2 }), StoreRevisionGoneError);
      assert.throws(() => now.read(versions, [['k']], { at: 6 }), StoreArgumentError);
      assert.throws(() => now.read(records, [['k']], { at: 5 }), StoreArgumentError);
      assert.throws(() => now.scan(versions, {}, { limit: 0 }), StoreArgumentError);
      assert.throws(() => now.scan(versions, {}, { cursor: '!' }), StoreArgumentError);
      assert.throws(() => now.read(versions, [[Number.NaN]]), StoreArgumentError);
    },
    'synchronousReads',
  ),
];
