// Pruning: the past before the horizon is forgotten, and is then refused instead of guessed at.
import assert from 'node:assert/strict';
import { StoreRevisionGoneError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { byteVersions, records, versions } from './collections.ts';
import { attempt, keysIn, numbers, put, refuses, remove, take, valueOf, write } from '../model/steps.ts';

const key = ['k'];

/** Revisions 1 to 12, each with its own value of one key. */
async function twelve(store: Store): Promise<void> {
  for (const index of numbers(12)) await write(store, put(versions, key, index + 1));
}

export const pruningCases = [
  conformanceCase('pruning: 12 revisions pruned before 10 leave 10, 11 and 12', async ({ store, open }) => {
    await twelve(store);
    assert.equal(await store.prune(10), 10);
    for (const reader of [store, await open()]) {
      const readable = [];
      for (const at of numbers(13)) {
        try {
          readable.push(await valueOf(reader, versions, key, at));
          assert.equal((await reader.scan(versions, {}, { at })).entries[0]?.value, at);
        } catch (error) {
          assert.ok(error instanceof StoreRevisionGoneError, String(error));
          await refuses(StoreRevisionGoneError, () => reader.scan(versions, {}, { at }));
        }
      }
      assert.deepEqual(readable, [10, 11, 12]);
    }
  }),

  conformanceCase('pruning: the horizon never goes back and never passes the latest revision', async ({ store }) => {
    assert.equal(await store.prune(0), 0);
    assert.equal(await store.prune(5), 0);
    await twelve(store);
    assert.equal(await store.prune(0), 0);
    assert.equal(await store.prune(7), 7);
    assert.equal(await store.prune(3), 7);
    assert.equal(await store.prune(7), 7);
    assert.equal(await store.prune(1_000_000), 12);
    assert.equal(await valueOf(store, versions, key, 12), 12);
    assert.equal(await write(store, put(versions, key, 13)), 13);
    assert.equal(await valueOf(store, versions, key, 12), 12);
    await refuses(StoreRevisionGoneError, () => store.read(versions, [key], { at: 11 }));
  }),

  conformanceCase('pruning: the latest values stay, and the past that is kept stays whole', async ({ store }) => {
    await write(store, put(versions, ['old'], 'kept'), put(versions, ['gone'], 1), put(records, ['r'], 1));
    await write(store, put(byteVersions, ['b'], new Uint8Array([1])), put(versions, ['later'], 1));
    await write(store, remove(versions, ['gone']), put(versions, ['later'], 2));
    await write(store, put(versions, ['gone'], 2), put(byteVersions, ['b'], new Uint8Array([2])));
    await store.prune(3);
    const state = async (at?: number): Promise<unknown[]> =>
      Promise.all(['old', 'gone', 'later'].map((name) => valueOf(store, versions, [name], at)));
    assert.deepEqual(await state(3), ['kept', undefined, 2]);
    assert.deepEqual(await state(4), ['kept', 2, 2]);
    assert.deepEqual(await state(), ['kept', 2, 2]);
    assert.deepEqual(await valueOf(store, byteVersions, ['b'], 3), new Uint8Array([1]));
    assert.deepEqual(await keysIn(store, versions, {}, { at: 3 }), [['later'], ['old']]);
    assert.equal(await valueOf(store, records, ['r']), 1);
  }),

  conformanceCase('pruning: a key removed before the horizon is gone for good', async ({ store }) => {
    await write(store, put(versions, key, 1));
    await write(store, remove(versions, key));
    await write(store, put(records, ['x'], 1));
    await store.prune(3);
    assert.equal(await valueOf(store, versions, key, 3), undefined);
    assert.equal(await attempt(store, { checks: [{ kind: 'absent', collection: versions, key }] }), 'committed');
    assert.deepEqual((await store.verify()).problems, []);
  }),

  conformanceCase('pruning: changes before the horizon can no longer be followed', async ({ store }) => {
    await twelve(store);
    await store.prune(10);
    await refuses(StoreRevisionGoneError, () => take(store, 1, { since: 9 }));
    await refuses(StoreRevisionGoneError, () => take(store, 1, { since: 0 }));
    const sets = await take(store, 2, { since: 10 });
    assert.deepEqual(
      sets.map((set) => set.revision),
      [11, 12],
    );
  }),

  conformanceCase('pruning: a range check from before the horizon is a conflict', async ({ store }) => {
    await twelve(store);
    await store.prune(10);
    const since = (revision: number) =>
      attempt(store, { checks: [{ kind: 'unchanged', collection: records, range: {}, since: revision }] });
    assert.deepEqual([await since(9), await since(10), await since(12)], ['unchanged', 'committed', 'committed']);
    const check = { kind: 'revision', collection: versions, key, revision: 12 } as const;
    assert.equal(await attempt(store, { checks: [check] }), 'committed');
  }),

  conformanceCase('pruning: a second store sees the horizon at once', async ({ store, open }) => {
    const other = await open();
    await twelve(store);
    assert.equal(await valueOf(other, versions, key, 3), 3);
    await store.prune(11);
    await refuses(StoreRevisionGoneError, () => other.read(versions, [key], { at: 3 }));
    assert.equal(await valueOf(other, versions, key, 11), 11);
  }),

  conformanceCase('pruning: several at once, while others write', async ({ store, open }) => {
    const other = await open();
    await twelve(store);
    const writes = numbers(20).map((index) => write(other, put(versions, key, index + 13)));
    const horizons = await Promise.all([store.prune(5), other.prune(8), store.prune(3), other.prune(10)]);
    await Promise.all(writes);
    assert.ok(horizons.every((horizon) => horizon >= 3 && horizon <= 10));
    assert.equal(await store.prune(0), 10);
    assert.equal(await valueOf(store, versions, key, 10), 10);
    assert.equal(await valueOf(store, versions, key), 32);
  }),

  conformanceCase(
    'pruning: the horizon survives closing',
    async ({ store, open }) => {
      await twelve(store);
      await store.prune(10);
      await store.close();
      const again = await open();
      assert.equal(await again.prune(0), 10);
      await refuses(StoreRevisionGoneError, () => again.read(versions, [key], { at: 9 }));
      assert.equal(await valueOf(again, versions, key, 10), 10);
    },
    'durable',
  ),
];
