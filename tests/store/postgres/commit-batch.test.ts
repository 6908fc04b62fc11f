// A commit is one batch: the lock is not held while anything travels, and what the plan expected is verified under it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import type { Check, Store, Transaction } from '../../../src/store/store.ts';
import { proxyFor, type Proxy } from './support/proxy.ts';
import { describePostgres } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const others = recordCollection<number>('others');
const items = workCollection<number>('items');

await describePostgres('a commit in one batch', (trial) => {
  let proxy: Proxy;
  let store: Store;
  let witness: Store;
  beforeEach(async () => {
    proxy = await proxyFor(trial.url);
    store = await trial.open({}, proxy.url);
    witness = await trial.open();
    for (const one of [store, witness]) await one.declare(numbers, others, items);
  });
  afterEach(() => proxy.close());

  /** Before each of the next commits behind the proxy reaches the server, another process commits something. */
  function overtake(times: number, commit: (time: number) => Promise<unknown>): () => number {
    let time = 0;
    proxy.before = async () => {
      if (time < times) await commit(++time);
    };
    return () => time;
  }

  test('others commit while its answer is under way', async () => {
    proxy.fate = () => 'hold the answer';
    const slow = store.commit([put('slow', 1)]);
    while ((await witness.revision()) === 0);
    expect(await mustCommit(witness, put('other', 2))).toBe(2);
    expect(await witness.read(numbers, [['slow']])).toMatchObject([{ value: 1, revision: 1 }]);
    proxy.fate = () => 'pass';
    proxy.answer();
    expect(await slow).toEqual([{ status: 'committed', revision: 1 }]);
  });

  test('revisions are those of the moment of the commit, not of the plan', async () => {
    await mustCommit(store, put('k', 0));
    overtake(1, () => mustCommit(witness, put('elsewhere', 1)));
    const results = await store.commit([put('a', 1), put('a', 2), { checks: [isAt('k', 1)], writes: [] }]);
    expect(results).toEqual([3, 4, 4].map((revision) => ({ status: 'committed', revision })));
    expect(await witness.read(numbers, [['a']])).toMatchObject([{ value: 2, revision: 4 }]);
    const seen: number[] = [];
    for await (const { revision } of store.follow({ since: 0 })) if (seen.push(revision) === 4) break;
    expect((await witness.verify()).problems).toEqual([]);
  });

  test('a group of which a part was refuted is planned again, with the rest of it', async () => {
    await mustCommit(store, put('k', 0));
    overtake(1, () => mustCommit(witness, put('k', 5)));
    const results = await store.commit([
      { ...put('k', 1), checks: [isAt('k', 1)] },
      put('free', 1),
      { ...put('late', 1), checks: [isAt('free', 1)] },
    ]);
    expect(results).toMatchObject([
      {
        status: 'conflict',
        conflict: { message: expect.stringContaining('is at revision 2, not at revision 1') as unknown },
      },
      { status: 'committed', revision: 3 },
      {
        status: 'conflict',
        conflict: { message: expect.stringContaining('is at revision 3, not at revision 1') as unknown },
      },
    ]);
    expect(await witness.read(numbers, [['k'], ['free'], ['late']])).toMatchObject([
      { value: 5 },
      { value: 1 },
      undefined,
    ]);
  });

  test('a group that is refuted again and again is planned under the lock', async () => {
    await mustCommit(store, put('k', 0));
    // Each plan expects the revision that the one before found.
    const overtaken = overtake(4, (time) => mustCommit(witness, put('k', time)));
    const results = await store.commit([{ ...put('k', 9), checks: [isAt('k', 4)] }, put('free', 1)]);
    expect(overtaken()).toBe(4);
    expect(results).toMatchObject([{ status: 'conflict' }, { status: 'committed', revision: 6 }]);
  });

  test('a check of a revision that an earlier transaction of the batch gets holds for that revision only', async () => {
    overtake(1, () => mustCommit(witness, put('elsewhere', 1)));
    const batch: Transaction[] = [put('a', 1), { ...put('b', 1), checks: [isAt('a', 2)] }];
    expect(await store.commit(batch)).toMatchObject([
      { status: 'committed', revision: 2 },
      { status: 'committed', revision: 3 },
    ]);
    // Planned for revision 4, which the other process gets.
    overtake(1, () => mustCommit(witness, put('elsewhere', 2)));
    expect(await store.commit([put('c', 1), { ...put('d', 1), checks: [isAt('c', 4)] }])).toMatchObject([
      { status: 'committed', revision: 5 },
      { status: 'conflict' },
    ]);
  });

  test('two that expect the same revision do not both commit, whatever was known of the head', async () => {
    await mustCommit(witness, put('k', 1));
    await mustCommit(witness, put('k', 2));
    const [entry] = await witness.read(numbers, [['k']]);
    const change = { ...put('k', 3), checks: [isAt('k', entry?.revision ?? 0)] };
    expect(await store.commit([change, change])).toMatchObject([{ status: 'committed' }, { status: 'conflict' }]);
  });

  test('a lease that another process took meanwhile is a conflict', async () => {
    await mustCommit(store, { writes: [{ kind: 'put', collection: items, key: ['i'], value: 1 }] });
    const [claimed] = await store.claim(items, { owner: 'a', limit: 1, leaseMilliseconds: 1 });
    overtake(1, async () => {
      while ((await witness.claim(items, { owner: 'b', limit: 1, leaseMilliseconds: 60_000 })).length === 0);
    });
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    const fenced: Transaction = { ...put('k', 1), leases: [{ lease: claimed.lease, afterwards: 'keep' }] };
    expect(await store.commit([fenced])).toMatchObject([{ status: 'conflict', conflict: { kind: 'lease' } }]);
    expect(await witness.read(numbers, [['k']])).toEqual([undefined]);
  });

  test.for<[string, number]>([
    ['just now', 1],
    ['many revisions ago', 150],
  ])('a range that changed %s is a conflict, one beside it is not', async ([, distance]) => {
    await mustCommit(store, put('m', 0));
    const since = await store.revision();
    const unchanged = (from: string, to: string): Check => ({
      kind: 'unchanged',
      collection: numbers,
      range: { from: [from], to: [to] },
      since,
    });
    overtake(1, async () => {
      // Long keys have lengths of two bytes in the log.
      await mustCommit(witness, put(`m${'x'.repeat(300)}`, 1));
      for (let index = 1; index < distance; index++)
        await mustCommit(witness, { writes: [{ kind: 'put', collection: others, key: ['m'], value: index }] });
    });
    const results = await store.commit([
      { ...put('z1', 1), checks: [unchanged('a', 'm')] },
      { ...put('z2', 1), checks: [unchanged('m', 'n')] },
      { ...put('z3', 1), checks: [unchanged('n', 'z')] },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['committed', 'conflict', 'committed']);
  });

  test('ranges of a store with many collections are searched too', async () => {
    const many = Array.from({ length: 140 }, (_, index) => recordCollection<number>(`many_${index}`));
    await witness.declare(...many);
    await store.declare(...many);
    const last = many.at(-1) as (typeof many)[0];
    const since = await store.revision();
    overtake(1, () => mustCommit(witness, { writes: [{ kind: 'put', collection: last, key: ['k'], value: 1 }] }));
    const checkOf = (collection: typeof last): Check => ({ kind: 'unchanged', collection, range: {}, since });
    const results = await store.commit([
      { ...put('a', 1), checks: [checkOf(last)] },
      { ...put('b', 1), checks: many.slice(0, -1).map(checkOf) },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['conflict', 'committed']);
  });

  function put(key: string, value: number): Transaction {
    return { writes: [{ kind: 'put', collection: numbers, key: [key], value }] };
  }

  function isAt(key: string, revision: number): Check {
    return { kind: 'revision', collection: numbers, key: [key], revision };
  }
});
