// Commits: each transaction is all or nothing, stands by itself, and gets the next revision.
import assert from 'node:assert/strict';
import { conformanceCase } from '../case.ts';
import { bytes, otherRecords, records, versions, work } from './collections.ts';
import { attempt, keysIn, numbers, outcome, put, remove, revisionOf, valueOf, write } from '../model/steps.ts';

export const commitCases = [
  conformanceCase('commits: revisions count 1, 2, 3 … from an empty store', async ({ store }) => {
    assert.equal(await store.revision(), 0);
    for (const expected of [1, 2, 3]) {
      assert.equal(await write(store, put(records, ['k'], expected), put(bytes, ['k'], new Uint8Array())), expected);
      assert.equal(await store.revision(), expected);
      assert.equal(await revisionOf(store, records, ['k']), expected);
    }
  }),

  conformanceCase('commits: each transaction of a batch has its own result, in order', async ({ store }) => {
    await write(store, put(records, ['taken'], 0));
    const absent = (key: string) => ({ kind: 'absent', collection: records, key: [key] }) as const;
    const results = await store.commit([
      { writes: [put(records, ['a'], 1)] },
      { checks: [absent('taken')], writes: [put(records, ['b'], 1)] },
      { checks: [absent('b')], writes: [put(records, ['c'], 1)] },
      { checks: [absent('a')], writes: [put(records, ['d'], 1)] },
      { writes: [put(records, ['e'], 1)] },
    ]);
    assert.deepEqual(results.map(outcome), ['committed', 'absent', 'committed', 'absent', 'committed']);
    assert.deepEqual(
      results.map((result) => (result.status === 'committed' ? result.revision : undefined)),
      [2, undefined, 3, undefined, 4],
    );
    assert.deepEqual(await keysIn(store, records), [['a'], ['c'], ['e'], ['taken']]);
  }),

  conformanceCase('commits: later transactions of a batch see the earlier ones', async ({ store }) => {
    const key = ['k'];
    const results = await store.commit([
      { checks: [{ kind: 'absent', collection: records, key }], writes: [put(records, key, 1)] },
      { checks: [{ kind: 'revision', collection: records, key, revision: 1 }], writes: [put(records, key, 2)] },
      { checks: [{ kind: 'revision', collection: records, key, revision: 2 }], writes: [remove(records, key)] },
      { checks: [{ kind: 'revision', collection: records, key, revision: 2 }], writes: [put(records, key, 'never')] },
      { checks: [{ kind: 'absent', collection: records, key }], writes: [put(records, key, 4)] },
    ]);
    assert.deepEqual(results.map(outcome), ['committed', 'committed', 'committed', 'revision', 'committed']);
    assert.equal(await valueOf(store, records, key), 4);
    assert.equal(await revisionOf(store, records, key), 4);
  }),

  conformanceCase(
    'commits: a transaction over several collections happens as a whole or not at all',
    async ({ store }) => {
      await write(store, put(records, ['taken'], 0));
      const writes = [
        put(records, ['k'], 1),
        put(otherRecords, ['k'], 1),
        put(bytes, ['k'], new Uint8Array([1])),
        put(versions, ['k'], 1),
        put(work, ['k'], 1),
        remove(records, ['taken']),
      ];
      const checks = [{ kind: 'absent', collection: records, key: ['taken'] }] as const;
      assert.equal(await attempt(store, { checks, writes }), 'absent');
      assert.equal(await store.revision(), 1);
      for (const collection of [otherRecords, bytes, versions, work])
        assert.deepEqual(await keysIn(store, collection), []);
      assert.equal(await attempt(store, { writes }), 'committed');
      for (const collection of [records, otherRecords, bytes, versions, work]) {
        assert.deepEqual(await keysIn(store, collection), [['k']]);
        assert.equal(await revisionOf(store, collection, ['k']), 2);
      }
    },
  ),

  conformanceCase('commits: nothing to commit is nothing committed', async ({ store }) => {
    await write(store, put(records, ['k'], 1));
    assert.deepEqual(await store.commit([]), []);
    assert.deepEqual(await store.commit([{}, { checks: [], leases: [], writes: [] }]), [
      { status: 'committed', revision: 1 },
      { status: 'committed', revision: 1 },
    ]);
    assert.equal(await store.revision(), 1);
  }),

  conformanceCase(
    'commits: a transaction that only checks tells whether it holds and leaves no trace',
    async ({ store }) => {
      await write(store, put(records, ['k'], 1));
      const holds = { checks: [{ kind: 'revision', collection: records, key: ['k'], revision: 1 }] } as const;
      const fails = { checks: [{ kind: 'absent', collection: records, key: ['k'] }] } as const;
      const results = await store.commit([holds, fails, holds]);
      assert.deepEqual(results.map(outcome), ['committed', 'absent', 'committed']);
      assert.deepEqual(results[0], { status: 'committed', revision: 1 });
      assert.equal(await store.revision(), 1);
      const mixed = await store.commit([{ writes: [put(records, ['j'], 1)] }, holds]);
      assert.deepEqual(mixed, [
        { status: 'committed', revision: 2 },
        { status: 'committed', revision: 2 },
      ]);
    },
  ),

  conformanceCase('commits: removing what is not there succeeds', async ({ store }) => {
    assert.equal(
      await attempt(store, { writes: [remove(records, ['never']), remove(versions, ['never'])] }),
      'committed',
    );
    assert.deepEqual(await keysIn(store, records), []);
  }),

  conformanceCase('commits: reads answer in the order asked, also twice the same key', async ({ store }) => {
    await write(store, put(records, ['a'], 1), put(records, ['b'], 2));
    const entries = await store.read(records, [['b'], ['none'], ['a'], ['b']]);
    assert.deepEqual(
      entries.map((entry) => entry?.value),
      [2, undefined, 1, 2],
    );
    assert.deepEqual(await store.read(records, []), []);
    const many = numbers(3000).map((index) => [index % 2 === 0 ? 'a' : 'none', index % 2].slice(0, 1));
    const found = await store.read(records, many);
    assert.deepEqual(
      found.map((entry) => entry?.value),
      many.map(([name]) => (name === 'a' ? 1 : undefined)),
    );
  }),

  conformanceCase('commits: calls made at the same time each get their own results', async ({ store }) => {
    const results = await Promise.all(
      numbers(300).map((index) =>
        store.commit([
          { writes: [put(records, [index, 0], index)] },
          { checks: [{ kind: 'absent', collection: records, key: [index, 0] }] },
          { writes: [put(records, [index, 1], index)] },
        ]),
      ),
    );
    for (const [index, result] of results.entries()) {
      assert.deepEqual(result.map(outcome), ['committed', 'absent', 'committed']);
      for (const part of [0, 1]) {
        const [entry] = await store.read(records, [[index, part]]);
        const told = result[part * 2];
        assert.equal(entry?.revision, told?.status === 'committed' ? told.revision : undefined);
      }
    }
    assert.equal(await store.revision(), 600);
  }),

  conformanceCase('commits: what was acknowledged can be read at once, here and elsewhere', async ({ store, open }) => {
    const other = await open();
    for (const index of numbers(20)) {
      await write(index % 2 === 0 ? store : other, put(records, ['k'], index));
      assert.equal(await valueOf(store, records, ['k']), index);
      assert.equal(await valueOf(other, records, ['k']), index);
      assert.equal(await other.revision(), index + 1);
    }
  }),

  conformanceCase('commits: large transactions and large batches', async ({ store }) => {
    const count = 20_000;
    await write(store, ...numbers(count).map((index) => put(records, [index], index)));
    const checks = numbers(count).map(
      (index) => ({ kind: 'revision', collection: records, key: [index], revision: 1 }) as const,
    );
    const absences = numbers(count).map(
      (index) => ({ kind: 'absent', collection: records, key: [-index - 1] }) as const,
    );
    assert.equal(
      await attempt(store, { checks: [...checks, ...absences], writes: [put(records, ['done'], 1)] }),
      'committed',
    );
    const batch = numbers(2_500).map((index) => ({ writes: [remove(records, [index])] }));
    const results = await store.commit(batch);
    assert.deepEqual(
      results.map((result) => (result.status === 'committed' ? result.revision : result)),
      numbers(2_500).map((index) => index + 3),
    );
    assert.equal((await keysIn(store, records, {}, { limit: 10_000 })).length, count - 2_500 + 1);
  }),
];
