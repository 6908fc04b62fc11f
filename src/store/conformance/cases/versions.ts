// Versions: collections that keep them can be read as they were at any revision.
import assert from 'node:assert/strict';
import { StoreArgumentError } from '../../errors.ts';
import type { Revision, Store, Write } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { byteVersions, bytes, records, versions, work } from './collections.ts';
import { keysIn, numbers, put, refuses, remove, valueOf, write } from '../model/steps.ts';

/** A small history; index = revision. */
const states: readonly Readonly<Record<string, number>>[] = [
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 2, b: 1 },
  { b: 1 },
  { b: 1, c: 1 },
  { a: 3, b: 1, c: 1 },
  { a: 3, c: 1 },
  {},
  { b: 9 },
];

const steps: readonly Write[] = [
  put(versions, ['a'], 1),
  put(versions, ['b'], 1),
  put(versions, ['a'], 2),
  remove(versions, ['a']),
  put(versions, ['c'], 1),
  put(versions, ['a'], 3),
  remove(versions, ['b']),
];

async function stateAt(store: Store, at: Revision | undefined, limit = 1000): Promise<object> {
  const state: Record<string, unknown> = {};
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof store.scan<typeof versions>>> = await store.scan(
      versions,
      {},
      { at, limit, cursor },
    );
    if (at !== undefined) assert.equal(page.revision, at);
    for (const { key, value, revision } of page.entries) {
      assert.ok(revision <= (at ?? Infinity), 'nothing from later');
      state[String(key[0])] = value;
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
  return state;
}

async function checkHistory(store: Store): Promise<void> {
  for (const [at, state] of states.entries()) {
    assert.deepEqual(await stateAt(store, at), state);
    assert.deepEqual(await stateAt(store, at, 1), state);
    const entries = await store.read(versions, [['a'], ['b'], ['c']], { at });
    assert.deepEqual(
      entries.map((entry) => entry?.value),
      [state['a'], state['b'], state['c']],
    );
    const keys = await keysIn(store, versions, { from: ['b'] }, { at, reverse: true });
    assert.deepEqual(
      keys.map(([name]) => name),
      Object.keys(state)
        .filter((name) => name >= 'b')
        .toSorted()
        .toReversed(),
    );
  }
  assert.deepEqual(await stateAt(store, undefined), states.at(-1));
}

export const versionCases = [
  conformanceCase('versions: every revision can be read and scanned as it was', async ({ store, open }) => {
    for (const step of steps) await write(store, step);
    await write(store, remove(versions, ['a']), remove(versions, ['c']));
    await write(store, put(versions, ['b'], 9));
    await checkHistory(store);
    await checkHistory(await open());
  }),

  conformanceCase('versions: the same history written as one batch reads the same', async ({ store }) => {
    const last: Write[][] = [[remove(versions, ['a']), remove(versions, ['c'])], [put(versions, ['b'], 9)]];
    await store.commit([...steps.map((step) => ({ writes: [step] })), ...last.map((writes) => ({ writes }))]);
    await checkHistory(store);
  }),

  conformanceCase('versions: entries of the past carry the revisions that wrote them', async ({ store }) => {
    await write(store, put(versions, ['k'], 'one'));
    await write(store, put(records, ['unrelated'], 1));
    await write(store, put(versions, ['k'], 'three'));
    const found = [];
    for (const at of [0, 1, 2, 3]) {
      const [entry] = await store.read(versions, [['k']], { at });
      found.push(entry && [entry.value, entry.revision]);
    }
    assert.deepEqual(found, [undefined, ['one', 1], ['one', 1], ['three', 3]]);
  }),

  conformanceCase('versions: several writes of one key in one batch are each there', async ({ store }) => {
    const key = ['k'];
    await store.commit([
      { writes: [put(versions, key, 1), put(byteVersions, key, new Uint8Array([1]))] },
      { writes: [put(versions, key, 2), put(byteVersions, key, new Uint8Array([2]))] },
      { writes: [remove(versions, key), remove(byteVersions, key)] },
      { writes: [remove(versions, key), put(byteVersions, key, new Uint8Array([4]))] },
      { writes: [put(versions, key, 5), remove(byteVersions, key)] },
    ]);
    const seen = [];
    for (const at of numbers(6)) {
      const blob = await valueOf(store, byteVersions, key, at);
      seen.push([await valueOf(store, versions, key, at), blob?.[0]]);
    }
    assert.deepEqual(seen, [
      [undefined, undefined],
      [1, 1],
      [2, 2],
      [undefined, undefined],
      [undefined, 4],
      [5, undefined],
    ]);
  }),

  conformanceCase('versions: a limit counts what is visible at the revision', async ({ store }) => {
    await write(store, ...numbers(50).map((index) => put(versions, [index], 'old')));
    await write(
      store,
      ...numbers(50)
        .filter((index) => index % 5 !== 0)
        .map((index) => remove(versions, [index])),
    );
    await write(store, ...numbers(100).map((index) => put(versions, [index + 0.5], 'new')));
    const page = await store.scan(versions, {}, { at: 2, limit: 10 });
    assert.deepEqual(
      page.entries.map((entry) => entry.key[0]),
      numbers(10).map((index) => index * 5),
    );
    assert.equal(page.cursor, undefined);
    assert.equal((await keysIn(store, versions, {}, { at: 1, limit: 7 })).length, 50);
    assert.equal((await keysIn(store, versions, {}, { limit: 7 })).length, 110);
  }),

  conformanceCase('versions: a revision that does not exist is refused', async ({ store }) => {
    await write(store, put(versions, ['k'], 1));
    for (const at of [2, 100, -1, 0.5, Number.NaN, Infinity]) {
      await refuses(StoreArgumentError, () => store.read(versions, [['k']], { at }));
      await refuses(StoreArgumentError, () => store.scan(versions, {}, { at }));
    }
  }),

  conformanceCase(
    'versions: collections that keep only the latest refuse to be read at a revision',
    async ({ store }) => {
      const at = await write(store, put(records, ['k'], 1));
      for (const collection of [records, bytes, work]) {
        await refuses(StoreArgumentError, () => store.read(collection, [['k']], { at }));
        await refuses(StoreArgumentError, () => store.scan(collection, {}, { at }));
      }
    },
  ),
];
