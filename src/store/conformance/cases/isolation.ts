// Isolation: transactions behave as if they ran one by one, whoever runs them.
import assert from 'node:assert/strict';
import type { Store } from '../../store.ts';
import { conformanceCase, type Trial } from '../case.ts';
import { records, versions } from './collections.ts';
import { attempt, keysIn, numbers, put, turn, valueOf, write } from '../model/steps.ts';

/** Two stores on one place, as two processes would have them. */
async function pair({ store, open }: Trial): Promise<[Store, Store]> {
  return [store, await open()];
}

async function increment(store: Store, key: string): Promise<void> {
  for (;;) {
    const [entry] = await store.read(records, [[key]]);
    const check =
      entry === undefined
        ? ({ kind: 'absent', collection: records, key: [key] } as const)
        : ({ kind: 'revision', collection: records, key: [key], revision: entry.revision } as const);
    const value = ((entry?.value as number | undefined) ?? 0) + 1;
    if ((await attempt(store, { checks: [check], writes: [put(records, [key], value)] })) === 'committed') return;
  }
}

export const isolationCases = [
  conformanceCase('isolation: no increment is lost, with many writers on two stores', async (trial) => {
    const stores = await pair(trial);
    const writers = 8;
    const times = 15;
    await Promise.all(
      numbers(writers).map(async (writer) => {
        for (const _ of numbers(times)) await increment(stores[writer % 2] as Store, 'counter');
      }),
    );
    assert.equal(await valueOf(trial.store, records, ['counter']), writers * times);
    assert.equal(await trial.store.revision(), writers * times);
  }),

  conformanceCase('isolation: one of many creators wins', async (trial) => {
    const stores = await pair(trial);
    const outcomes = await Promise.all(
      numbers(20).map((index) =>
        attempt(stores[index % 2] as Store, {
          checks: [{ kind: 'absent', collection: records, key: ['only'] }],
          writes: [put(records, ['only'], index)],
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 1);
    assert.equal(await valueOf(trial.store, records, ['only']), outcomes.indexOf('committed'));
  }),

  conformanceCase('isolation: two who saw a slot free cannot both book it', async (trial) => {
    const stores = await pair(trial);
    const range = { prefix: ['monday'] };
    // Both have looked before either books.
    const pages = await Promise.all(stores.map((store) => store.scan(records, range)));
    const book = (index: 0 | 1, who: string, hour: number): Promise<string> => {
      const page = pages[index];
      assert.ok(page !== undefined);
      assert.deepEqual(page.entries, []);
      return attempt(stores[index], {
        checks: [{ kind: 'unchanged', collection: records, range, since: page.revision }],
        writes: [put(records, ['monday', hour], who)],
      });
    };
    const outcomes = await Promise.all([book(0, 'Ann', 9), book(1, 'Ben', 9.5)]);
    assert.deepEqual(outcomes.toSorted(), ['committed', 'unchanged']);
    assert.equal((await keysIn(trial.store, records)).length, 1);
  }),

  conformanceCase('isolation: two who each rely on the other cannot both leave', async (trial) => {
    const stores = await pair(trial);
    await write(trial.store, put(records, ['on call', 'Ann'], true), put(records, ['on call', 'Ben'], true));
    // Both have looked before either leaves.
    const pages = await Promise.all(stores.map((store) => store.scan(records, { prefix: ['on call'] })));
    const leave = (index: 0 | 1, who: string): Promise<string> => {
      const entries = pages[index]?.entries ?? [];
      assert.ok(entries.filter((entry) => entry.value === true).length > 1, 'somebody else is there');
      const checks = entries.map(
        ({ key, revision }) => ({ kind: 'revision', collection: records, key, revision }) as const,
      );
      return attempt(stores[index], { checks, writes: [put(records, ['on call', who], false)] });
    };
    const outcomes = await Promise.all([leave(0, 'Ann'), leave(1, 'Ben')]);
    assert.deepEqual(outcomes.toSorted(), ['committed', 'revision']);
  }),

  conformanceCase('isolation: two who each saw the other’s range empty cannot both fill theirs', async (trial) => {
    const stores = await pair(trial);
    const since = await trial.store.revision();
    const claim = (store: Store, own: string, other: string): Promise<string> =>
      attempt(store, {
        checks: [{ kind: 'unchanged', collection: records, range: { prefix: [other] }, since }],
        writes: [put(records, [own, 1], 'here')],
      });
    const outcomes = await Promise.all([claim(stores[0], 'a', 'b'), claim(stores[1], 'b', 'a')]);
    assert.deepEqual(outcomes.toSorted(), ['committed', 'unchanged']);
  }),

  conformanceCase('isolation: what is read together is of one moment', async (trial) => {
    const [writer, reader] = await pair(trial);
    const keys = numbers(20).map((index) => [index]);
    const writeAll = (round: number): Promise<number> =>
      write(writer, ...keys.map((key) => put(records, key, round)), ...keys.map((key) => put(versions, key, round)));
    await writeAll(0);
    const progress = { writing: true };
    const writes = (async () => {
      for (let round = 1; round <= 60; round++) await writeAll(round);
      progress.writing = false;
    })();
    let looks = 0;
    while (progress.writing || looks === 0) {
      const entries = await reader.read(records, keys);
      assert.equal(new Set(entries.map((entry) => entry?.value)).size, 1, 'read shows one moment');
      const page = await reader.scan(records, {});
      assert.equal(page.entries.length, keys.length);
      assert.equal(new Set(page.entries.map((entry) => entry.value)).size, 1, 'a page shows one moment');
      assert.equal(page.revision, page.entries[0]?.revision, 'and says which');
      const first = await reader.scan(versions, {}, { limit: 10 });
      const second = await reader.scan(versions, {}, { at: first.revision, cursor: first.cursor });
      const values = [...first.entries, ...second.entries].map((entry) => entry.value);
      assert.equal(values.length, keys.length);
      assert.equal(new Set(values).size, 1, 'pages read at one revision show one moment');
      looks++;
      await turn();
    }
    await writes;
  }),

  conformanceCase('isolation: a store shows no revision before all that it wrote', async (trial) => {
    const [writer, reader] = await pair(trial);
    const progress = { writing: true };
    const writes = (async () => {
      for (const round of numbers(60)) await write(writer, put(records, ['a'], round), put(versions, ['b'], round));
      progress.writing = false;
    })();
    let last = 0;
    while (progress.writing) {
      const revision = await reader.revision();
      assert.ok(revision >= last, 'revisions never go back');
      last = revision;
      const [a] = await reader.read(records, [['a']]);
      assert.ok(revision === 0 || (a !== undefined && a.revision >= revision), 'what the revision wrote is there');
      await turn();
    }
    await writes;
  }),
];
