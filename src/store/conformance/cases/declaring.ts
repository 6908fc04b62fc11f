// Declaring: a collection has one shape, whoever declares it, and is unknown to a store that did not.
import assert from 'node:assert/strict';
import { bytesCollection, recordCollection, workCollection, type Collection } from '../../collection.ts';
import { StoreArgumentError } from '../../errors.ts';
import { conformanceCase } from '../case.ts';
import { records } from './collections.ts';
import { keysIn, numbers, put, refuses, refusesUnchanged, valueOf, write } from '../model/steps.ts';

const shapes: readonly Collection[] = [
  recordCollection('shape'),
  recordCollection('shape', { keeps: 'versions' }),
  bytesCollection('shape'),
  bytesCollection('shape', { keeps: 'versions' }),
  workCollection('shape'),
];

export const declaringCases = [
  conformanceCase('declaring: the same shape again changes nothing', async ({ store, open }) => {
    await write(store, put(records, ['k'], 1));
    await store.declare(records, records);
    await store.declare();
    await (await open()).declare(recordCollection('suite_records'));
    assert.equal(await valueOf(store, recordCollection('suite_records'), ['k']), 1);
    assert.equal(await store.revision(), 1);
  }),

  conformanceCase('declaring: another shape under the same name is refused', async ({ store, openBare }) => {
    const [first, ...others] = shapes;
    await store.declare(first as Collection);
    const fresh = await openBare();
    for (const other of others) {
      await refuses(StoreArgumentError, () => store.declare(other));
      await refuses(StoreArgumentError, () => fresh.declare(other));
      await refuses(StoreArgumentError, () => store.read(other, [['k']]));
    }
    await fresh.declare(first as Collection);
    await write(fresh, put(first as Collection, ['k'], 1));
    assert.equal(await valueOf(store, first as Collection, ['k']), 1);
  }),

  conformanceCase('declaring: two shapes of one name in one call are refused', async ({ store, openBare }) => {
    const [one, two] = [recordCollection('twofold'), bytesCollection('twofold')];
    await refuses(StoreArgumentError, () => store.declare(one, two));
    const fresh = await openBare();
    await refuses(StoreArgumentError, async () => {
      await fresh.declare(one);
      await fresh.declare(two);
    });
  }),

  conformanceCase(
    'declaring: a collection that was not declared is refused by every verb',
    async ({ store, openBare }) => {
      const stranger = workCollection<number>('stranger');
      const bare = await openBare();
      await store.declare(stranger);
      await write(store, put(stranger, ['k'], 1));
      const [claimed] = await store.claim(stranger, { owner: 'o', limit: 1, leaseMilliseconds: 1000 });
      assert.ok(claimed !== undefined);
      const { lease } = claimed;
      const calls: (() => unknown)[] = [
        () => bare.read(stranger, [['k']]),
        () => bare.scan(stranger, {}),
        () => bare.commit([{ writes: [put(stranger, ['k'], 2)] }]),
        () => bare.commit([{ checks: [{ kind: 'absent', collection: stranger, key: ['k'] }] }]),
        () => bare.commit([{ checks: [{ kind: 'unchanged', collection: stranger, range: {}, since: 0 }] }]),
        () => bare.commit([{ leases: [{ lease, afterwards: 'keep' }] }]),
        () => bare.follow({ collections: [stranger] }),
        () => bare.claim(stranger, { owner: 'o', limit: 1, leaseMilliseconds: 1000 }),
        () => bare.renew([lease], 1000),
        () => bare.release([lease]),
      ];
      for (const call of calls) await refusesUnchanged(store, StoreArgumentError, call);
      await bare.declare(stranger);
      assert.equal(await valueOf(bare, stranger, ['k']), 1);
    },
  ),

  conformanceCase('declaring: names that no engine could use are refused', async ({ store }) => {
    for (const name of ['', 'Upper', '1digit', '_x', 'a-b', 'a b', 'a.b', 'é', 'a'.repeat(41), 'a"', 'x;drop']) {
      await refuses(StoreArgumentError, () => recordCollection(name));
    }
    const reserved = [
      'select',
      'table',
      'user',
      'order',
      'key',
      'value',
      'revision',
      'log',
      'meta',
      'leases',
      'a'.repeat(40),
    ];
    const collections = reserved.map((name) => recordCollection<string>(name));
    await store.declare(...collections, recordCollection(`${'a'.repeat(39)}b`));
    await write(store, ...collections.map((collection) => put(collection, ['k'], collection.name)));
    for (const collection of collections) assert.equal(await valueOf(store, collection, ['k']), collection.name);
  }),

  conformanceCase(
    'declaring: several stores at once, the same and different collections',
    async ({ store, openBare }) => {
      const stores = await Promise.all(numbers(4).map(() => openBare()));
      const shared = numbers(5).map((index) => recordCollection<number>(`shared_${index}`));
      await Promise.all(
        stores.map((each, index) => each.declare(...shared, recordCollection(`own_${index}`), ...shared.toReversed())),
      );
      await Promise.all(
        stores.map((each, index) => write(each, ...shared.map((collection) => put(collection, [index], index)))),
      );
      await store.declare(...shared);
      for (const collection of shared) assert.deepEqual(await keysIn(store, collection), [[0], [1], [2], [3]]);
    },
  ),

  conformanceCase('declaring: calls on one store at the same time', async ({ store }) => {
    const collections = numbers(10).map((index) => recordCollection<number>(`parallel_${index}`));
    await Promise.all(collections.map((collection) => store.declare(collection)));
    await write(store, ...collections.map((collection, index) => put(collection, ['k'], index)));
    for (const [index, collection] of collections.entries())
      assert.equal(await valueOf(store, collection, ['k']), index);
  }),

  conformanceCase(
    'declaring: features are told, and synchronous reads are there if and only if they say so',
    async ({ store }) => {
      const { engine, durable, shared, remote, synchronousReads } = store.features;
      assert.ok(engine.length > 0);
      for (const feature of [durable, shared, remote, synchronousReads]) assert.equal(typeof feature, 'boolean');
      assert.equal(store.synchronous !== undefined, synchronousReads);
    },
  ),
];
