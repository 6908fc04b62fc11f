// The cache of committed rows: whatever it answers is what the store would answer at the same revision, whoever writes.
import { expect, onTestFinished, test } from 'vitest';
import { RowCache } from '../../src/objects/transactions/row-cache.ts';
import { SynchronousSource } from '../../src/objects/transactions/row-source.ts';
import { nodeRows, objectCollections, tagRows } from '../../src/objects/rows.ts';
import { recordCollection, type RecordCollection } from '../../src/store/collection.ts';
import { encodeKey, type Key } from '../../src/store/key.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store, SynchronousReads } from '../../src/store/store.ts';
import { storeFolder } from './support/open.ts';

const others = recordCollection<unknown>('others', { keeps: 'versions' });

async function open(location: string): Promise<Store> {
  const store = await openStore(location, location.includes(':') ? {} : { sqlite: { durability: 'relaxed' } });
  onTestFinished(() => store.close());
  await store.declare(...objectCollections, others);
  return store;
}

/** Counts the rows that are read from the store. */
function counted(reads: SynchronousReads): { reads: SynchronousReads; rows: () => number } {
  let rows = 0;
  const counting: SynchronousReads = {
    ...reads,
    read: (collection, keys, options) => {
      rows += keys.length;
      return reads.read(collection, keys, options);
    },
  };
  return { reads: counting, rows: () => rows };
}

function readsOf(store: Store): SynchronousReads {
  if (store.synchronous === undefined) throw new Error('The store does not read at once.');
  return store.synchronous;
}

const put = (store: Store, key: Key, value: unknown, collection: RecordCollection<unknown> = nodeRows) =>
  store.commit([{ writes: [{ kind: 'put', collection, key, value }] }]);

const read = (source: SynchronousSource, key: Key, collection: RecordCollection<unknown> = nodeRows) =>
  source.read(collection, key, encodeKey(key));

/** A small generator of the same numbers each time. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

for (const location of ['memory:cached-rows', 'a file']) {
  for (const bytes of [2000, 2 ** 20])
    test(`${location}, ${bytes} bytes: two stores write at random, and cached reads are uncached ones`, async () => {
      const place = location === 'a file' ? storeFolder() : `${location}-${bytes}`;
      const stores = [await open(place), await open(place)];
      const number = numbersFrom(bytes);
      const caches = stores.map((store) => new RowCache(readsOf(store), objectCollections, bytes));
      const collections: RecordCollection<unknown>[] = [nodeRows, tagRows, others];
      const key = (): Key => ['main', `id ${number(25)}`];
      // Sources stay in use while others write, as transactions that take their time do.
      const sources: { cached: SynchronousSource; plain: SynchronousSource }[] = [];
      const compare = ({ cached, plain }: (typeof sources)[number]): void => {
        const collection = collections[number(3)] as RecordCollection<unknown>;
        const chosen = key();
        expect(read(cached, chosen, collection)).toEqual(read(plain, chosen, collection));
      };
      let compared = 0;
      for (let round = 0; round < 300; round++) {
        const which = number(2);
        const store = stores[which] as Store;
        const transactions = Array.from({ length: 1 + number(3) }, () => {
          const keys = new Map(
            Array.from({ length: 1 + number(3) }, () => key()).map((each) => [encodeKey(each), each]),
          );
          const collection = collections[number(3)] as RecordCollection<unknown>;
          return {
            writes: [...keys.values()].map((each) =>
              number(4) === 0
                ? ({ kind: 'remove', collection, key: each } as const)
                : ({ kind: 'put', collection, key: each, value: { round, text: 'x'.repeat(number(200)) } } as const),
            ),
          };
        });
        const committing = store.commit(transactions);
        // Half of the reads happen before the commit, half after it.
        if (number(2) === 0) await committing;
        const reader = number(2);
        const reads = readsOf(stores[reader] as Store);
        const revision = reads.revision();
        const cached = new SynchronousSource(reads, revision, caches[reader]);
        sources.push({ cached, plain: new SynchronousSource(reads, revision) });
        if (sources.length > 4) sources.shift();
        for (let times = 0; times < 20; times++, compared++)
          compare(sources[number(sources.length)] as (typeof sources)[number]);
        await committing;
      }
      expect(compared).toBe(6000);
    });
}

test('a row is read once, until somebody changes it', async () => {
  const folder = storeFolder();
  const [store, other] = [await open(folder), await open(folder)];
  await put(store, ['a'], { n: 1 });
  await put(store, ['b'], { n: 1 });
  const { reads, rows } = counted(readsOf(store));
  const cache = new RowCache(reads, objectCollections, 2 ** 20);
  const source = () => new SynchronousSource(reads, reads.revision(), cache);
  for (let times = 0; times < 3; times++) {
    const now = source();
    expect([read(now, ['a'])?.value, read(now, ['b'])?.value, read(now, ['none'])]).toEqual([
      { n: 1 },
      { n: 1 },
      undefined,
    ]);
  }
  expect(rows()).toBe(3);
  const before = source();
  await put(other, ['a'], { n: 2 });
  await put(other, ['none'], { n: 2 });
  const after = source();
  expect([read(after, ['a'])?.value, read(after, ['b'])?.value, read(after, ['none'])?.value]).toEqual([
    { n: 2 },
    { n: 1 },
    { n: 2 },
  ]);
  expect(rows()).toBe(5);
  // A transaction that began earlier goes on seeing what it saw.
  expect([read(before, ['a'])?.value, read(before, ['b'])?.value, read(before, ['none'])]).toEqual([
    { n: 1 },
    { n: 1 },
    undefined,
  ]);
});

test('it holds as much as it may, and keeps what is in use', async () => {
  const store = await open('memory:');
  const many = Array.from({ length: 2000 }, (_, index) => index);
  await store.commit([
    {
      writes: many.map((index) => ({ kind: 'put', collection: nodeRows, key: ['row', index], value: 'x'.repeat(100) })),
    },
  ]);
  const { reads, rows } = counted(readsOf(store));
  const cache = new RowCache(reads, objectCollections, 100_000);
  const source = new SynchronousSource(reads, reads.revision(), cache);
  for (const index of many) {
    read(source, ['row', index]);
    read(source, ['row', 0]);
  }
  // The one that was used all the time was read once.
  expect(rows()).toBe(2000);
  for (const index of many.slice(-50)) read(source, ['row', index]);
  expect(rows()).toBe(2000);
  for (const index of many.slice(1, 51)) read(source, ['row', index]);
  expect(rows()).toBe(2050);
});

test('it forgets everything when too much has happened, or the log is gone', async () => {
  const store = await open('memory:');
  await put(store, ['a'], 1);
  const { reads, rows } = counted(readsOf(store));
  const cache = new RowCache(reads, objectCollections, 2 ** 20);
  const source = () => new SynchronousSource(reads, reads.revision(), cache);
  expect(read(source(), ['a'])?.value).toBe(1);
  const transaction = (index: number) => ({
    writes: [{ kind: 'put' as const, collection: others, key: [index], value: 0 }],
  });
  await store.commit(Array.from({ length: 5001 }, (_, index) => transaction(index)));
  await put(store, ['a'], 2);
  expect(read(source(), ['a'])?.value).toBe(2);
  await store.commit([transaction(1), transaction(2)]);
  await store.prune(await store.revision());
  await store.commit([transaction(3)]);
  expect(read(source(), ['a'])?.value).toBe(2);
  expect(rows()).toBe(3);
});

test('without memory it keeps nothing, and answers all the same', async () => {
  const store = await open('memory:');
  await put(store, ['a'], 1);
  const { reads, rows } = counted(readsOf(store));
  const source = new SynchronousSource(reads, reads.revision(), new RowCache(reads, objectCollections, 0));
  for (let times = 0; times < 3; times++) expect(read(source, ['a'])?.value).toBe(1);
  expect(rows()).toBeGreaterThanOrEqual(1);
});
