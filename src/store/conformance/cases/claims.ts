// Claims: each item goes to one owner at a time, in key order, until its lease runs out or is given back.
import assert from 'node:assert/strict';
import type { Claimed, Store } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { work } from './collections.ts';
import { numbers, put, remove, revisionOf, write } from '../model/steps.ts';

const hour = 3_600_000;

function claim(store: Store, limit: number, owner = 'owner', range = {}): Promise<readonly Claimed<unknown>[]> {
  return store.claim(work, { owner, limit, leaseMilliseconds: hour, range });
}

const names = (claims: readonly Claimed<unknown>[]): unknown[] => claims.map(({ entry }) => entry.key[0]);
const leases = (claims: readonly Claimed<unknown>[]) => claims.map(({ lease }) => lease);

export const claimCases = [
  conformanceCase('claims: items come in key order, each once', async ({ store }) => {
    await write(store, ...[3, 1, 2, 10, 5].map((index) => put(work, [index], { index })));
    assert.deepEqual(names(await claim(store, 2)), [1, 2]);
    assert.deepEqual(names(await claim(store, 2)), [3, 5]);
    assert.deepEqual(names(await claim(store, 2)), [10]);
    assert.deepEqual(await claim(store, 2), []);
  }),

  conformanceCase('claims: a claim shows the entry and the lease', async ({ store }) => {
    const revision = await write(store, put(work, ['a', 1], { title: 'work' }));
    const [claimed] = await claim(store, 1, 'Ann');
    assert.deepEqual(claimed?.entry, { key: ['a', 1], value: { title: 'work' }, revision });
    const { token, expiresAt, ...rest } = claimed.lease;
    assert.deepEqual(rest, { collection: 'suite_work', key: ['a', 1], owner: 'Ann' });
    assert.ok(Number.isInteger(token) && token > 0);
    assert.ok(Number.isFinite(expiresAt));
    assert.equal(await revisionOf(store, work, ['a', 1]), revision, 'claiming changes no entry');
    assert.equal(await store.revision(), revision);
  }),

  conformanceCase('claims: only items in the range', async ({ store }) => {
    await write(store, ...['a', 'b', 'c'].flatMap((queue) => [1, 2].map((index) => put(work, [queue, index], 0))));
    assert.deepEqual(names(await claim(store, 10, 'o', { prefix: ['b'] })), ['b', 'b']);
    assert.deepEqual(names(await claim(store, 10, 'o', { from: ['a', 2], to: ['c', 2] })), ['a', 'c']);
    assert.deepEqual(names(await claim(store, 10, 'o', { prefix: ['z'] })), []);
    assert.deepEqual(names(await claim(store, 10)), ['a', 'c']);
  }),

  conformanceCase('claims: many claimers on two stores never share an item', async ({ store, open }) => {
    const stores = [store, await open()];
    const count = 200;
    await write(store, ...numbers(count).map((index) => put(work, [index], index)));
    const taken = await Promise.all(
      numbers(10).map(async (claimer) => {
        const own: Claimed<unknown>[] = [];
        for (;;) {
          const claims = await claim(stores[claimer % 2] as Store, 1 + (claimer % 7), `owner ${claimer}`);
          if (claims.length === 0) return own;
          own.push(...claims);
        }
      }),
    );
    const all = taken.flat();
    assert.deepEqual(
      names(all).toSorted((a, b) => Number(a) - Number(b)),
      numbers(count),
    );
    assert.equal(new Set(all.map(({ lease }) => lease.token)).size, count, 'no token twice');
  }),

  conformanceCase('claims: tokens grow over the whole store', async ({ store, open, advance }) => {
    const other = await open();
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    let last = 0;
    for (const step of numbers(8)) {
      const claims = await claim(step % 2 === 0 ? store : other, 1 + (step % 2));
      assert.ok(claims.length > 0);
      for (const { lease } of claims) {
        assert.ok(lease.token > last, 'a later claim has a larger token');
        last = lease.token;
      }
      if (step % 3 === 0) await advance(2 * hour);
      else await store.release(leases(claims));
    }
  }),

  conformanceCase('claims: tokens do not repeat after removal and return of an item', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const tokens = [];
    for (const round of numbers(4)) {
      const [claimed] = await claim(store, 1);
      assert.ok(claimed !== undefined, 'a new item under an old key can be claimed');
      tokens.push(claimed.lease.token);
      await store.commit([{ writes: [remove(work, ['a'])] }, { writes: [put(work, ['a'], round)] }]);
    }
    assert.deepEqual(
      tokens,
      [...new Set(tokens)].toSorted((a, b) => a - b),
    );
  }),

  conformanceCase('claims: what was given back can be claimed again, at its place in the order', async ({ store }) => {
    await write(store, ...numbers(4).map((index) => put(work, [index], index)));
    const claims = await claim(store, 3);
    await store.release(leases(claims.slice(1, 2)));
    assert.deepEqual(names(await claim(store, 10)), [1, 3]);
    await store.release([]);
    await store.release(leases(claims.slice(1, 2)));
    assert.deepEqual(await claim(store, 10), [], 'an old lease gives nothing back');
  }),

  conformanceCase('claims: an item that was not given back is told apart', async ({ store, advance }) => {
    await write(store, put(work, ['a'], 0), put(work, ['b'], 0));
    const first = await claim(store, 2);
    assert.deepEqual(
      first.map(({ takenOver }) => takenOver),
      [false, false],
    );
    await store.release(leases(first.slice(0, 1)));
    await advance(hour);
    const second = await claim(store, 2);
    assert.deepEqual(
      second.map(({ takenOver }) => takenOver),
      [false, true],
    );
  }),

  conformanceCase('claims: an item whose lease ran out can be claimed by another', async ({ store, advance }) => {
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    const first = await claim(store, 1, 'Ann');
    await advance(hour / 2);
    assert.deepEqual(names(await claim(store, 2, 'Ben')), ['b']);
    await advance(hour);
    const again = await claim(store, 2, 'Cleo');
    assert.deepEqual(names(again), ['a', 'b']);
    assert.ok((again[0]?.lease.token ?? 0) > (first[0]?.lease.token ?? 0));
  }),

  conformanceCase(
    'claims: a lease runs out at the very millisecond it says',
    async ({ store, advance }) => {
      await write(store, put(work, ['a'], 1));
      const [first] = await claim(store, 1);
      await advance(hour - 1);
      assert.deepEqual(await claim(store, 1), []);
      await advance(1);
      const [second] = await claim(store, 1);
      assert.equal(second?.lease.expiresAt, (first?.lease.expiresAt ?? 0) + hour);
    },
    'stillClock',
  ),

  conformanceCase(
    'claims: who holds what is told in key order, also after leases have run out',
    async ({ store, advance }) => {
      await write(store, put(work, ['a'], 1), put(work, ['b'], 1), put(work, ['c'], 1));
      assert.deepEqual(await store.holders(work), []);
      const [first] = await claim(store, 1);
      await claim(store, 1, 'other');
      const held = await store.holders(work);
      assert.deepEqual(
        held.map(({ key, token }) => [key, token > 0]),
        [
          [['a'], true],
          [['b'], true],
        ],
      );
      assert.deepEqual(held[0], { ...first?.lease, isExpired: false });
      assert.deepEqual((await store.holders(work, { prefix: ['b'] })).length, 1);
      await advance(2 * hour);
      assert.deepEqual(
        (await store.holders(work)).map(({ isExpired }) => isExpired),
        [true, true],
      );
      await store.release(held);
      assert.deepEqual(await store.holders(work), []);
    },
  ),

  conformanceCase('claims: writing an item keeps its lease, removing it does not', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const [claimed] = await claim(store, 1);
    assert.ok(claimed !== undefined);
    await write(store, put(work, ['a'], 2));
    assert.deepEqual(await claim(store, 1), []);
    assert.equal((await store.renew([claimed.lease], hour))[0]?.status, 'renewed');
    await write(store, remove(work, ['a']));
    assert.equal((await store.renew([claimed.lease], hour))[0]?.status, 'lost');
    await write(store, put(work, ['a'], 3));
    const [again] = await claim(store, 1);
    assert.equal(again?.entry.value, 3);
    assert.equal((await store.renew([claimed.lease], hour))[0]?.status, 'lost');
  }),

  conformanceCase(
    'claims: leases and tokens survive closing',
    async ({ store, open, advance }) => {
      await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
      const [claimed] = await claim(store, 1);
      assert.ok(claimed !== undefined);
      await store.close();
      const again = await open();
      assert.deepEqual(names(await claim(again, 2)), ['b']);
      assert.equal((await again.renew([claimed.lease], hour))[0]?.status, 'renewed');
      await advance(2 * hour);
      const later = await claim(again, 2);
      assert.ok(later.every(({ lease }) => lease.token > claimed.lease.token));
    },
    'durable',
  ),
];
