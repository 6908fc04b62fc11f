// A store on a KVStore: processes that race, values that are damaged or gone, and a service that fails at the worst moment.
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import { EngineStore } from '../../src/store/engine/engine-store.ts';
import { KeyValueJournal } from '../../src/store/key-value/journal.ts';
import type { KVStore } from '../../src/store/key-value/key-value-store.ts';
import { keyValueEngine, storeOf } from '../../src/store/key-value/open.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import type { Store } from '../../src/store/store.ts';
import { commitWithRetry } from '../../src/store/transaction-part.ts';
import { memoryKeyValues } from './support/key-values.ts';

const counters = recordCollection<number>('counters');

async function opened(kv: KVStore): Promise<Store> {
  const store = new EngineStore(keyValueEngine(new KeyValueJournal(kv, 800), { shared: true }));
  await store.declare(counters);
  return store;
}

async function increment(store: Store): Promise<void> {
  await commitWithRetry(
    store,
    10_000,
    async () => {
      const [entry] = await store.read(counters, [['n']]);
      return {
        checks: [
          entry === undefined
            ? { kind: 'absent', collection: counters, key: ['n'] }
            : { kind: 'revision', collection: counters, key: ['n'], revision: entry.revision },
        ],
        writes: [{ kind: 'put', collection: counters, key: ['n'], value: (entry?.value ?? 0) + 1 }],
      };
    },
    () => new Error('never'),
  );
}

/** A service that takes its time, so that callers overtake each other. */
function slow(kv: KVStore): KVStore {
  const late =
    <Arguments extends unknown[], Result>(action: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await setTimeout(Math.random() * 2);
      return action(...given);
    };
  return { ...kv, get: late(kv.get), set: late(kv.set), compareAndSet: late(kv.compareAndSet) };
}

test(
  'several journals on the same values lose nothing, also while snapshots are made',
  { timeout: 60_000 },
  async () => {
    const values = new Map<string, Uint8Array>();
    const stores = await Promise.all([1, 2, 3].map(() => opened(slow(memoryKeyValues(values)))));
    await Promise.all(
      stores.map(async (store) => {
        for (let index = 0; index < 25; index++) await increment(store);
      }),
    );
    for (const store of stores) {
      expect((await store.read(counters, [['n']]))[0]?.value).toBe(75);
      expect((await store.verify()).problems).toEqual([]);
    }
    expect([...values.keys()].some((key) => key.startsWith('statek/snapshots/'))).toBe(true);
    // What snapshots have replaced is gone.
    expect(values.size).toBeLessThan(60);
    const fresh = await opened(memoryKeyValues(values));
    expect((await fresh.read(counters, [['n']]))[0]?.value).toBe(75);
  },
);

test('what is damaged or gone is an error, never something missing', async () => {
  const values = new Map<string, Uint8Array>();
  const store = await opened(memoryKeyValues(values));
  for (let index = 0; index < 3; index++) await increment(store);
  for (const key of values.keys()) {
    for (const damage of ['flip', 'cut', 'remove'] as const) {
      const copy = new Map<string, Uint8Array>([...values].map(([name, found]) => [name, new Uint8Array(found)]));
      const bytes = copy.get(key) as Uint8Array;
      if (damage === 'remove') copy.delete(key);
      else if (damage === 'cut') copy.set(key, bytes.subarray(0, bytes.length - 1));
      else bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      // Without its head a KVStore is one that was never used.
      if (key === 'statek/head' && damage === 'remove') continue;
      await expect(opened(memoryKeyValues(copy)), `${key} ${damage}`).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
  }
});

test('a service that fails during a commit leaves its outcome unknown, and the next answer shows it', async () => {
  const kv = memoryKeyValues();
  let failure: 'before' | 'after' | undefined;
  const store = await opened({
    ...kv,
    compareAndSet: async (key, expected, value) => {
      if (failure === 'before') throw new Error('The line is dead.');
      const isSet = await kv.compareAndSet(key, expected, value);
      if (failure === 'after') throw new Error('The line is dead.');
      return isSet;
    },
  });
  const put = (value: number): Promise<number> =>
    mustCommit(store, { writes: [{ kind: 'put', collection: counters, key: ['n'], value }] });
  await put(1);
  for (const [when, found] of [
    ['before', 1],
    ['after', 3],
  ] as const) {
    failure = when;
    await expect(put(3)).rejects.toMatchObject({ code: 'STORE_UNKNOWN_OUTCOME' });
    failure = undefined;
    expect((await store.read(counters, [['n']]))[0]?.value).toBe(found);
  }
  await put(4);
  expect((await store.verify()).problems).toEqual([]);
});

test('a service that cannot be reached is a store that is unavailable, and heals', async () => {
  const kv = memoryKeyValues();
  let isDown = false;
  const failing = async (): Promise<void> => {
    if (isDown) throw new Error('The line is dead.');
  };
  const store = await storeOf({
    ...kv,
    get: async (key) => failing().then(() => kv.get(key)),
    set: async (key, value) => failing().then(() => kv.set(key, value)),
  }).open();
  onTestFinished(() => store.close());
  await store.declare(counters);
  await increment(store);
  isDown = true;
  const unavailable = {
    code: 'STORE_UNAVAILABLE',
    message: 'The KVStore cannot be reached: get failed: The line is dead.',
  };
  await expect(store.read(counters, [['n']])).rejects.toMatchObject(unavailable);
  await expect(increment(store)).rejects.toMatchObject(unavailable);
  isDown = false;
  await increment(store);
  expect((await store.read(counters, [['n']]))[0]?.value).toBe(2);
});

test('what is no KVStore is refused before it is used', () => {
  expect(() => storeOf(undefined as never)).toThrow('storeOf takes a KVStore with get, set');
  const { compareAndSet: _, ...rest } = memoryKeyValues();
  expect(() => storeOf(rest as never)).toThrow('storeOf: the KVStore has no function compareAndSet.');
});
