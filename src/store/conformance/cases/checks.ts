// Checks of keys: at a revision, and absent.
import assert from 'node:assert/strict';
import type { Check } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { otherRecords, records, versions } from './collections.ts';
import { attempt, outcome, put, remove, valueOf, write } from '../model/steps.ts';

const key = ['k'];
const absent: Check = { kind: 'absent', collection: records, key };
const at = (revision: number): Check => ({ kind: 'revision', collection: records, key, revision });

export const checkCases = [
  conformanceCase('checks: a revision holds until the key is written again', async ({ store }) => {
    await write(store, put(records, key, 1));
    await write(store, put(records, ['other'], 1), put(otherRecords, key, 1));
    assert.equal(await attempt(store, { checks: [at(1)], writes: [put(records, key, 2)] }), 'committed');
    assert.equal(await attempt(store, { checks: [at(1)], writes: [put(records, key, 3)] }), 'revision');
    assert.equal(await attempt(store, { checks: [at(2)], writes: [put(records, key, 3)] }), 'revision');
    assert.equal(await attempt(store, { checks: [at(4)], writes: [put(records, key, 3)] }), 'revision');
    assert.equal(await valueOf(store, records, key), 2);
  }),

  conformanceCase('checks: writing the same value again is a new revision', async ({ store }) => {
    await write(store, put(records, key, 'same'));
    await write(store, put(records, key, 'same'));
    assert.equal(await attempt(store, { checks: [at(1)] }), 'revision');
    assert.equal(await attempt(store, { checks: [at(2)] }), 'committed');
  }),

  conformanceCase('checks: a removed key is at no revision, and one made again is at its own', async ({ store }) => {
    await write(store, put(records, key, 'A'));
    assert.equal(await attempt(store, { checks: [absent] }), 'absent');
    await write(store, remove(records, key));
    assert.equal(await attempt(store, { checks: [at(1)] }), 'revision');
    assert.equal(await attempt(store, { checks: [at(2)] }), 'revision');
    assert.equal(await attempt(store, { checks: [absent] }), 'committed');
    // As it was before, yet not the same: whoever saw the first one must notice.
    await write(store, put(records, key, 'A'));
    assert.equal(await attempt(store, { checks: [at(1)] }), 'revision');
    assert.equal(await attempt(store, { checks: [absent] }), 'absent');
    assert.equal(await attempt(store, { checks: [at(3)] }), 'committed');
  }),

  conformanceCase('checks: removal and return within one batch are noticed', async ({ store }) => {
    await write(store, put(records, key, 'A'));
    const results = await store.commit([
      { writes: [remove(records, key)] },
      { checks: [absent], writes: [put(records, key, 'A')] },
      { checks: [at(1)], writes: [put(records, key, 'lost')] },
      { checks: [absent], writes: [put(records, key, 'lost')] },
      { checks: [at(3)], writes: [put(records, key, 'B')] },
    ]);
    assert.deepEqual(results.map(outcome), ['committed', 'committed', 'revision', 'absent', 'committed']);
    assert.equal(await valueOf(store, records, key), 'B');
  }),

  conformanceCase('checks: they see what was before the transaction, not its own writes', async ({ store }) => {
    assert.equal(await attempt(store, { checks: [absent], writes: [put(records, key, 1)] }), 'committed');
    assert.equal(await attempt(store, { checks: [at(1)], writes: [remove(records, key)] }), 'committed');
  }),

  conformanceCase('checks: the first that does not hold is the conflict', async ({ store }) => {
    await write(store, put(records, key, 1));
    await write(store, put(versions, ['v'], 1));
    const gone: Check = { kind: 'revision', collection: versions, key: ['v'], revision: 1 };
    const results = await store.commit([{ checks: [at(1), absent, gone] }, { checks: [gone, absent] }]);
    const [first, second] = results.map((result) => (result.status === 'conflict' ? result.conflict : undefined));
    assert.deepEqual([first?.kind, first?.collection], ['absent', 'suite_records']);
    assert.deepEqual([second?.kind, second?.collection], ['revision', 'suite_versions']);
    assert.deepEqual([first?.key, second?.key], [key, ['v']]);
    assert.ok(first?.message.includes('"k"') && second?.message.includes('"v"'), 'the message names the key');
  }),

  conformanceCase('checks: every one of many must hold', async ({ store }) => {
    await write(store, put(records, ['a'], 1), put(records, ['b'], 1), put(records, ['c'], 1));
    const all = ['a', 'b', 'c'].map((name): Check => ({
      kind: 'revision',
      collection: records,
      key: [name],
      revision: 1,
    }));
    assert.equal(await attempt(store, { checks: all, writes: [put(records, ['b'], 2)] }), 'committed');
    assert.equal(await attempt(store, { checks: all, writes: [put(records, ['a'], 2)] }), 'revision');
    assert.equal(await valueOf(store, records, ['a']), 1);
  }),
];
