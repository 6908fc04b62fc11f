// The feed: each change set once, in order, without gaps, from any revision that is still known.
import assert from 'node:assert/strict';
import { recordCollection } from '../../collection.ts';
import { StoreArgumentError } from '../../errors.ts';
import type { ChangeSet, Store } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { bytes, otherRecords, records, versions, work } from './collections.ts';
import { numbers, put, refuses, remove, take, takeFrom, write } from '../model/steps.ts';

const revisions = (sets: readonly ChangeSet[]): number[] => sets.map((set) => set.revision);

export const feedCases = [
  conformanceCase('feed: it tells what each transaction changed, in order', async ({ store }) => {
    await write(store, put(records, ['a'], 1), put(bytes, [1, 'b'], new Uint8Array()));
    await store.commit([
      { writes: [put(records, ['a'], 2)] },
      { writes: [remove(records, ['a']), put(versions, [], 1)] },
    ]);
    assert.deepEqual(await take(store, 3, { since: 0 }), [
      {
        revision: 1,
        changes: [
          { kind: 'put', collection: 'suite_records', key: ['a'] },
          { kind: 'put', collection: 'suite_bytes', key: [1, 'b'] },
        ],
      },
      { revision: 2, changes: [{ kind: 'put', collection: 'suite_records', key: ['a'] }] },
      {
        revision: 3,
        changes: [
          { kind: 'remove', collection: 'suite_records', key: ['a'] },
          { kind: 'put', collection: 'suite_versions', key: [] },
        ],
      },
    ]);
  }),

  conformanceCase('feed: what was refused or only checked is not in it', async ({ store }) => {
    await write(store, put(records, ['a'], 1));
    const conflicting = { checks: [{ kind: 'absent', collection: records, key: ['a'] }] } as const;
    await store.commit([
      { ...conflicting, writes: [put(records, ['never'], 1)] },
      {},
      { writes: [put(records, ['b'], 1)] },
    ]);
    const sets = await take(store, 2, { since: 0 });
    assert.deepEqual(revisions(sets), [1, 2]);
    assert.deepEqual(sets[1]?.changes[0]?.key, ['b']);
  }),

  conformanceCase('feed: without since it begins when follow() is called', async ({ store }) => {
    await write(store, put(records, ['before'], 1));
    const changes = store.follow();
    await write(store, put(records, ['after'], 1));
    const [first] = await takeFrom(changes, 1);
    assert.deepEqual(first?.changes[0]?.key, ['after']);
  }),

  conformanceCase('feed: it resumes after the last revision seen', async ({ store }) => {
    for (const index of numbers(10)) await write(store, put(records, [index], index));
    const seen: number[] = [];
    while (seen.length < 10)
      seen.push(...revisions(await take(store, Math.min(3, 10 - seen.length), { since: seen.at(-1) ?? 0 })));
    assert.deepEqual(
      seen,
      numbers(10).map((index) => index + 1),
    );
  }),

  conformanceCase('feed: collections and ranges leave out the rest', async ({ store }) => {
    await write(store, put(records, ['a', 1], 1), put(records, ['b', 1], 1), put(otherRecords, ['a', 2], 1));
    await write(store, put(otherRecords, ['b', 1], 1));
    await write(store, put(records, ['a'], 1));
    await write(store, put(records, ['a%'], 1), put(versions, ['a_'], 1));
    const changed = async (count: number, options: object): Promise<unknown[]> =>
      (await take(store, count, { since: 0, ...options })).map((set) => [
        set.revision,
        ...set.changes.map((change) => `${change.collection.slice('suite_'.length)} ${change.key.join(' ')}`),
      ]);
    assert.deepEqual(await changed(3, { collections: [records] }), [
      [1, 'records a 1', 'records b 1'],
      [3, 'records a'],
      [4, 'records a%'],
    ]);
    assert.deepEqual(await changed(2, { range: { prefix: ['a'] } }), [
      [1, 'records a 1', 'other_records a 2'],
      [3, 'records a'],
    ]);
    assert.deepEqual(await changed(1, { range: { startsWith: 'a%' } }), [[4, 'records a%']]);
    assert.deepEqual(await changed(2, { collections: [otherRecords, versions], range: { startsWith: 'a' } }), [
      [1, 'other_records a 2'],
      [4, 'versions a_'],
    ]);
  }),

  conformanceCase('feed: undeclared collections and revisions that do not exist are refused', async ({ store }) => {
    const stranger = recordCollection('stranger');
    await refuses(StoreArgumentError, () => store.follow({ collections: [stranger] }));
    await refuses(StoreArgumentError, () => store.follow({ range: { perfix: [] } as object }));
    for (const since of [-1, 0.5, 1, Number.NaN]) {
      await refuses(StoreArgumentError, () => take(store, 1, { since }));
    }
  }),

  conformanceCase('feed: it wakes for commits of another store on the same place', async ({ store, open }) => {
    const other = await open();
    const changes = take(store, 40, { since: 0 });
    for (const index of numbers(40)) {
      await write(index % 2 === 0 ? other : store, put(records, [index], index));
    }
    assert.deepEqual(
      (await changes).map((set) => set.changes[0]?.key[0]),
      numbers(40),
    );
  }),

  conformanceCase('feed: it names collections that only another store declared', async ({ store, open }) => {
    const other = await open();
    const later = recordCollection<number>('declared_later');
    const changes = take(store, 1, { since: 0 });
    await other.declare(later);
    await write(other, put(later, ['k'], 1));
    assert.deepEqual((await changes)[0]?.changes, [{ kind: 'put', collection: 'declared_later', key: ['k'] }]);
  }),

  conformanceCase('feed: giving a lease back is in it, so that others can claim', async ({ store, open }) => {
    const other = await open();
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    const since = await store.revision();
    const [a, b] = await store.claim(work, { owner: 'o', limit: 2, leaseMilliseconds: 60_000 });
    assert.ok(a !== undefined && b !== undefined);
    const changes = take(other, 2, { collections: [work], since });
    await store.release([a.lease]);
    await store.commit([{ leases: [{ lease: b.lease, afterwards: 'release' }] }]);
    assert.deepEqual(
      (await changes).map((set) => set.changes),
      [
        [{ kind: 'released', collection: 'suite_work', key: ['a'] }],
        [{ kind: 'released', collection: 'suite_work', key: ['b'] }],
      ],
    );
  }),

  conformanceCase('feed: claims, renewals and passed-over releases are not in it', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const revision = await store.revision();
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 60_000 });
    assert.ok(claimed !== undefined);
    await store.renew([claimed.lease], 60_000);
    await store.release([{ ...claimed.lease, token: claimed.lease.token + 1 }]);
    assert.equal(await store.revision(), revision);
  }),

  conformanceCase('feed: an item that is removed is not also given back', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 60_000 });
    assert.ok(claimed !== undefined);
    await store.commit([{ leases: [{ lease: claimed.lease, afterwards: 'release' }], writes: [remove(work, ['a'])] }]);
    assert.deepEqual((await take(store, 1, { since: 1 }))[0]?.changes, [
      { kind: 'remove', collection: 'suite_work', key: ['a'] },
    ]);
  }),

  conformanceCase('feed: no gap and no duplicate while several stores write', async ({ store, open }) => {
    const stores = [store, await open(), await open()];
    const perStore = 60;
    const followers = stores.map((follower) => take(follower, perStore * stores.length, { since: 0 }));
    await Promise.all(
      stores.map(async (writer, writerIndex) => {
        for (const index of numbers(perStore)) await write(writer, put(records, [writerIndex, index], index));
      }),
    );
    for (const follower of followers) {
      const sets = await follower;
      assert.deepEqual(
        revisions(sets),
        numbers(perStore * stores.length).map((index) => index + 1),
      );
      for (const writer of numbers(stores.length)) {
        const own = sets.map((set) => set.changes[0]?.key ?? []).filter(([index]) => index === writer);
        assert.deepEqual(
          own.map(([, index]) => index),
          numbers(perStore),
        );
      }
    }
  }),

  conformanceCase(
    'feed: it goes on where it was after everything was closed',
    async ({ store, open }) => {
      await write(store, put(records, ['a'], 1));
      await write(store, put(records, ['b'], 1));
      await store.close();
      const again: Store = await open();
      await write(again, put(records, ['c'], 1));
      const sets = await take(again, 2, { since: 1 });
      assert.deepEqual(
        sets.map((set) => [set.revision, set.changes[0]?.key[0]]),
        [
          [2, 'b'],
          [3, 'c'],
        ],
      );
    },
    'durable',
  ),
];
