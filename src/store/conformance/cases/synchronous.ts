// Synchronous reads: the same answers, at once, also about what others committed.
import assert from 'node:assert/strict';
import { StoreArgumentError, StoreRevisionGoneError } from '../../errors.ts';
import type { Changes, ChangeSet, ChangesOptions, Store, SynchronousReads } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { bytes, records, versions } from './collections.ts';
import { numbers, put, remove, write } from '../model/steps.ts';

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
    'synchronous: changes since a revision, by any store, as a follower gets them',
    async ({ store, open }) => {
      const other = await open();
      await write(store, put(records, ['a'], 1), put(versions, ['b'], 2));
      await write(other, remove(records, ['a']), put(bytes, ['c'], new Uint8Array([3])));
      await write(store, put(bytes, ['c'], new Uint8Array([4])));
      await write(other, put(versions, ['d'], 5));
      const followed: ChangeSet[] = [];
      for await (const set of store.follow({ collections: [records, versions], since: 0 })) {
        followed.push(set);
        if (set.revision === 4) break;
      }
      for (const reader of [store, other]) {
        const changes = (options: ChangesOptions): Changes => reads(reader).changes([records, versions], options);
        assert.deepEqual(changes({ since: 0, limit: 100 }), { sets: followed, revision: 4 });
        assert.deepEqual(changes({ since: 1, limit: 2 }), { sets: [followed[1]], revision: 3 });
        assert.deepEqual(changes({ since: 1, until: 2, limit: 100 }), { sets: [followed[1]], revision: 2 });
        assert.deepEqual(changes({ since: 2, until: 3, limit: 100 }), { sets: [], revision: 3 });
        assert.deepEqual(changes({ since: 4, limit: 1 }), { sets: [], revision: 4 });
      }
      await write(other, put(versions, ['e'], 6));
      const { sets } = reads(store).changes([versions], { since: 4, limit: 1 });
      assert.deepEqual(sets, [{ revision: 5, changes: [{ kind: 'put', collection: versions.name, key: ['e'] }] }]);
    },
    'synchronousReads',
  ),

  conformanceCase(
    'synchronous: reads at a revision stay what they are while others commit',
    async ({ store, open }) => {
      const other = await open();
      await write(store, put(versions, ['k'], 1), put(versions, ['gone'], 1));
      const now = reads(store);
      const at = now.revision();
      // Begun before the commit and used after it, in the same turn and in later ones.
      assert.equal(now.read(versions, [['k']], { at })[0]?.value, 1);
      const committing = write(other, put(versions, ['k'], 2), remove(versions, ['gone']), put(versions, ['new'], 2));
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(
          now.read(versions, [['k'], ['gone'], ['new']], { at }).map((entry) => entry?.value),
          [1, 1, undefined],
        );
        assert.equal(now.scan(versions, {}, { at }).entries.length, 2);
        await (round === 0 ? committing : undefined);
      }
      assert.equal(now.revision(), at + 1);
      assert.equal(now.read(versions, [['k']])[0]?.value, 2);
      assert.deepEqual(
        now.scan(versions, {}, { at: at + 1 }).entries.map(({ value }) => value),
        [2, 2],
      );
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
      assert.throws(() => now.changes([versions], { since: 2, limit: 10 }), StoreRevisionGoneError);
      assert.throws(() => now.changes([versions], { since: 6, limit: 10 }), StoreArgumentError);
      assert.throws(() => now.changes([versions], { since: 4, until: 3, limit: 10 }), StoreArgumentError);
      assert.throws(() => now.changes([versions], { since: 4, until: 9, limit: 10 }), StoreArgumentError);
      assert.throws(() => now.changes([versions], { since: 4, limit: 0 }), StoreArgumentError);
      assert.throws(() => now.changes([versions], { since: -1, limit: 1 }), StoreArgumentError);
    },
    'synchronousReads',
  ),
];
