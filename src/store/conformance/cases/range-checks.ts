// Checks of ranges: nothing in the range was put or removed since a revision.
import assert from 'node:assert/strict';
import type { Range } from '../../range.ts';
import type { Check, Revision, Write } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { bytes, otherRecords, records, versions, work } from './collections.ts';
import { attempt, outcome, put, remove, write } from '../model/steps.ts';

const unchanged = (range: Range, since: Revision): Check => ({ kind: 'unchanged', collection: records, range, since });
const monday: Range = { prefix: ['monday'] };

export const rangeCheckCases = [
  conformanceCase('range checks: inserts, updates and removals inside are noticed', async ({ store }) => {
    await write(store, put(records, ['monday', 9], 'meeting'));
    for (const change of [
      put(records, ['monday', 10], 'new'),
      put(records, ['monday', 9], 'meeting'),
      remove(records, ['monday', 9]),
      put(records, ['monday'], 'the prefix itself'),
    ]) {
      const since = await store.revision();
      assert.equal(await attempt(store, { checks: [unchanged(monday, since)] }), 'committed');
      await write(store, change);
      assert.equal(await attempt(store, { checks: [unchanged(monday, since)] }), 'unchanged');
      assert.equal(await attempt(store, { checks: [unchanged(monday, since + 1)] }), 'committed');
    }
  }),

  conformanceCase('range checks: changes beside the range are not', async ({ store }) => {
    await write(store, put(records, ['monday', 9], 'meeting'));
    const beside: Write[] = [
      put(records, ['monda'], 0),
      put(records, ['monday\0'], 0),
      put(records, ['mondays', 9], 0),
      put(records, ['tuesday'], 0),
      put(records, [], 0),
      put(otherRecords, ['monday', 9], 0),
      put(versions, ['monday', 9], 0),
      put(bytes, ['monday', 9], new Uint8Array()),
    ];
    for (const change of beside) await write(store, change);
    for (const change of beside) await write(store, { kind: 'remove', collection: change.collection, key: change.key });
    assert.equal(await attempt(store, { checks: [unchanged(monday, 1)] }), 'committed');
    assert.equal(await attempt(store, { checks: [unchanged({}, 1)] }), 'unchanged');
  }),

  conformanceCase('range checks: from is inside, to is outside', async ({ store }) => {
    await write(store, put(records, ['before all'], 0));
    const range = { from: [5], to: [10] };
    const outcomes = [];
    for (const place of [4, 10, 11, 5, 9]) {
      const since = await store.revision();
      await write(store, put(records, [place], 0));
      outcomes.push(await attempt(store, { checks: [unchanged(range, since)] }));
    }
    assert.deepEqual(outcomes, ['committed', 'committed', 'committed', 'unchanged', 'unchanged']);
    const since = await store.revision();
    await write(store, put(records, [7], 0));
    assert.equal(await attempt(store, { checks: [unchanged({ from: [10], to: [5] }, since)] }), 'committed');
  }),

  conformanceCase('range checks: they hold for every kind of collection', async ({ store }) => {
    await write(store, put(records, ['start'], 0));
    for (const collection of [records, versions, bytes, work]) {
      const since = await store.revision();
      const check: Check = { kind: 'unchanged', collection, range: { startsWith: 'x%' }, since };
      await write(store, put(collection, ['x_'], collection === bytes ? new Uint8Array() : 0));
      assert.equal(await attempt(store, { checks: [check] }), 'committed');
      await write(store, put(collection, ['x%y'], collection === bytes ? new Uint8Array() : 0));
      assert.equal(await attempt(store, { checks: [check] }), 'unchanged');
    }
  }),

  conformanceCase('range checks: within one batch', async ({ store }) => {
    await write(store, put(records, ['monday', 9], 'meeting'));
    const results = await store.commit([
      { checks: [unchanged(monday, 1)], writes: [put(records, ['tuesday'], 1)] },
      { checks: [unchanged(monday, 1)], writes: [put(records, ['monday', 10], 1)] },
      { checks: [unchanged(monday, 1)], writes: [put(records, ['monday', 11], 'never')] },
      { checks: [unchanged(monday, 2)], writes: [put(records, ['monday', 12], 'never')] },
      { checks: [unchanged(monday, 3)], writes: [remove(records, ['monday', 10])] },
      { checks: [unchanged(monday, 3)], writes: [put(records, ['monday', 13], 'never')] },
      { checks: [unchanged({ prefix: ['tuesday'] }, 2)], writes: [put(records, ['tuesday'], 2)] },
    ]);
    assert.deepEqual(results.map(outcome), [
      'committed',
      'committed',
      'unchanged',
      'unchanged',
      'committed',
      'unchanged',
      'committed',
    ]);
  }),

  conformanceCase('range checks: a conflict in the batch counts as no change', async ({ store }) => {
    await write(store, put(records, ['taken'], 0));
    const results = await store.commit([
      { checks: [{ kind: 'absent', collection: records, key: ['taken'] }], writes: [put(records, ['monday', 1], 0)] },
      { checks: [unchanged(monday, 1)], writes: [put(records, ['monday', 2], 0)] },
    ]);
    assert.deepEqual(results.map(outcome), ['absent', 'committed']);
  }),

  conformanceCase('range checks: a revision of the future is a conflict, not a promise', async ({ store }) => {
    await write(store, put(records, ['a'], 0));
    assert.equal(await attempt(store, { checks: [unchanged({}, 1)] }), 'committed');
    assert.equal(await attempt(store, { checks: [unchanged({}, 2)] }), 'unchanged');
    assert.equal(await attempt(store, { checks: [unchanged({ prefix: ['nothing'] }, 2)] }), 'unchanged');
  }),

  conformanceCase('range checks: giving a lease back changes no entry', async ({ store }) => {
    await write(store, put(work, ['item'], 1));
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 60_000 });
    const since = await store.revision();
    await store.release(claimed === undefined ? [] : [claimed.lease]);
    const check: Check = { kind: 'unchanged', collection: work, range: {}, since };
    assert.equal(await attempt(store, { checks: [check] }), 'committed');
  }),
];
