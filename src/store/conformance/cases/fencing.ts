// Fencing: only who holds the lease now can renew it, give it back, or commit under it.
import assert from 'node:assert/strict';
import type { Lease, Store, Transaction } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { records, work } from './collections.ts';
import { attempt, keysIn, outcome, put, remove, valueOf, write } from '../model/steps.ts';

const hour = 3_600_000;

async function claimOne(store: Store, owner = 'owner'): Promise<Lease> {
  const [claimed] = await store.claim(work, { owner, limit: 1, leaseMilliseconds: hour });
  assert.ok(claimed !== undefined, 'there is something to claim');
  return claimed.lease;
}

const under = (lease: Lease, afterwards: 'keep' | 'release' = 'keep', value: unknown = 'done'): Transaction => ({
  leases: [{ lease, afterwards }],
  writes: [put(records, ['result'], value)],
});

export const fencingCases = [
  conformanceCase('fencing: the holder commits, and keeps the lease or gives it back', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const lease = await claimOne(store);
    assert.equal(await attempt(store, under(lease)), 'committed');
    assert.equal(await attempt(store, under(lease)), 'committed');
    assert.deepEqual(await store.claim(work, { owner: 'x', limit: 1, leaseMilliseconds: hour }), []);
    assert.equal(await attempt(store, under(lease, 'release')), 'committed');
    assert.equal(await attempt(store, under(lease)), 'lease');
    assert.ok((await claimOne(store, 'next')).token > lease.token);
  }),

  conformanceCase(
    'fencing: a stale token’s commit is refused and nothing of it happens',
    async ({ store, advance }) => {
      await write(store, put(work, ['a'], 1));
      const stale = await claimOne(store, 'Ann');
      await advance(2 * hour);
      const fresh = await claimOne(store, 'Ben');
      const [result] = await store.commit([under(stale)]);
      assert.ok(result?.status === 'conflict');
      assert.deepEqual([result.conflict.kind, result.conflict.collection], ['lease', 'suite_work']);
      assert.deepEqual(await keysIn(store, records), []);
      assert.equal(await attempt(store, under(stale, 'release')), 'lease');
      assert.equal((await store.renew([stale], hour))[0]?.status, 'lost');
      await store.release([stale]);
      assert.equal(await attempt(store, under(fresh)), 'committed', 'the fresh lease is untouched by all that');
    },
  ),

  conformanceCase(
    'fencing: a lease that ran out is good until another one claims the item',
    async ({ store, advance }) => {
      await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
      const kept = await claimOne(store);
      const taken = await claimOne(store);
      await advance(2 * hour);
      assert.equal(await attempt(store, under(kept)), 'committed');
      const [renewed] = await store.renew([kept], hour);
      assert.equal(renewed?.status, 'renewed');
      const next = await claimOne(store, 'next');
      assert.deepEqual(next.key, ['b'], 'the one that was renewed cannot be claimed');
      assert.equal(await attempt(store, under(taken)), 'lease');
      assert.equal((await store.renew([taken], hour))[0]?.status, 'lost');
      await store.release([taken]);
      assert.equal(await attempt(store, under(next)), 'committed');
    },
  ),

  conformanceCase(
    'fencing: others may claim from the very millisecond the lease ends',
    async ({ store, advance }) => {
      await write(store, put(work, ['a'], 1));
      const lease = await claimOne(store);
      await advance(hour - 1);
      const [renewed] = await store.renew([lease], 500);
      assert.equal(renewed?.lease.expiresAt, lease.expiresAt - 1 + 500, 'from now, and shorter if asked');
      const claim = { owner: 'x', limit: 1, leaseMilliseconds: hour };
      await advance(499);
      assert.deepEqual(await store.claim(work, claim), []);
      await advance(1);
      assert.equal(await attempt(store, under(lease)), 'committed');
      assert.equal((await store.claim(work, claim)).length, 1);
      assert.equal(await attempt(store, under(lease)), 'lease');
    },
    'stillClock',
  ),

  conformanceCase('fencing: renewing makes a lease last', async ({ store, advance }) => {
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    const kept = await claimOne(store);
    const dropped = await claimOne(store);
    for (let round = 0; round < 3; round++) {
      await advance(hour / 2);
      const [result] = await store.renew([kept], hour);
      assert.equal(result?.status, 'renewed');
      assert.ok(result.lease.expiresAt >= kept.expiresAt);
      assert.deepEqual([result.lease.token, result.lease.key], [kept.token, ['a']]);
    }
    const next = await claimOne(store);
    assert.deepEqual(next.key, dropped.key);
    const results = await store.renew([dropped, kept, { ...kept, token: kept.token + 1000 }], hour);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['lost', 'renewed', 'lost'],
    );
    assert.deepEqual(await store.renew([], hour), []);
    assert.equal(await attempt(store, under(kept)), 'committed');
  }),

  conformanceCase('fencing: it holds through another store on the same place', async ({ store, open }) => {
    const other = await open();
    await write(store, put(work, ['a'], 1));
    const lease = await claimOne(store);
    assert.equal(await attempt(other, under(lease, 'release')), 'committed');
    assert.equal(await attempt(store, under(lease)), 'lease');
    const next = await claimOne(other);
    assert.equal(await attempt(store, under(next)), 'committed');
  }),

  conformanceCase('fencing: finishing an item removes it and its lease together', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const lease = await claimOne(store);
    const finish: Transaction = { leases: [{ lease, afterwards: 'release' }], writes: [remove(work, ['a'])] };
    assert.equal(await attempt(store, finish), 'committed');
    assert.equal(await attempt(store, finish), 'lease');
    assert.deepEqual(await keysIn(store, work), []);
    await write(store, put(work, ['a'], 2));
    assert.equal(await attempt(store, under(lease)), 'lease', 'the old lease is not one on the new item');
    await claimOne(store);
  }),

  conformanceCase('fencing: within one batch', async ({ store }) => {
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    const a = await claimOne(store);
    const b = await claimOne(store);
    const results = await store.commit([
      under(a, 'keep', 1),
      under(a, 'release', 2),
      under(a, 'keep', 'never'),
      under(a, 'release', 'never'),
      { writes: [remove(work, ['b'])] },
      under(b, 'keep', 'never'),
      { writes: [put(work, ['b'], 2)] },
      under(b, 'release', 'never'),
    ]);
    assert.deepEqual(results.map(outcome), [
      'committed',
      'committed',
      'lease',
      'lease',
      'committed',
      'lease',
      'committed',
      'lease',
    ]);
    assert.equal(await valueOf(store, records, ['result']), 2);
    const again = await store.claim(work, { owner: 'x', limit: 5, leaseMilliseconds: hour });
    assert.deepEqual(
      again.map(({ entry }) => entry.key),
      [['a'], ['b']],
    );
  }),

  conformanceCase('fencing: several leases in one transaction, all or none', async ({ store }) => {
    await write(store, put(work, ['a'], 1), put(work, ['b'], 1));
    const a = await claimOne(store);
    const b = await claimOne(store);
    await store.release([b]);
    const both: Transaction = {
      leases: [
        { lease: a, afterwards: 'release' },
        { lease: b, afterwards: 'release' },
      ],
    };
    assert.equal(await attempt(store, both), 'lease');
    assert.equal(await attempt(store, under(a)), 'committed', 'the one that held was not given back');
  }),

  conformanceCase('fencing: a conflict of another kind gives nothing back', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const lease = await claimOne(store);
    const checks = [{ kind: 'absent', collection: work, key: ['a'] }] as const;
    assert.equal(await attempt(store, { ...under(lease, 'release'), checks }), 'absent');
    assert.equal(await attempt(store, under(lease)), 'committed');
  }),

  conformanceCase('fencing: a lease that nobody gave out is refused', async ({ store }) => {
    await write(store, put(work, ['a'], 1));
    const invented: Lease = {
      collection: 'suite_work',
      key: ['a'],
      owner: 'me',
      token: 1,
      expiresAt: Number.MAX_SAFE_INTEGER,
    };
    for (const token of [0, -1, 1]) {
      const lease = { ...invented, token };
      assert.equal(await attempt(store, under(lease)), 'lease');
      assert.equal((await store.renew([lease], hour))[0]?.status, 'lost');
      await store.release([lease]);
    }
    assert.equal(await store.revision(), 1, 'giving back what nobody has changes nothing');
    const lease = await claimOne(store);
    assert.equal(await attempt(store, under({ ...lease, key: ['b'] })), 'lease');
    assert.equal(await attempt(store, under({ ...lease, token: lease.token - 1 })), 'lease');
    assert.equal(
      await attempt(store, under({ ...lease, expiresAt: 0 })),
      'committed',
      'the store knows the expiry best',
    );
  }),
];
