// A connection lost around COMMIT: the store finds out what happened, and never writes twice.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import { StoreUnknownOutcomeError } from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import type { Store, Transaction } from '../../../src/store/store.ts';
import { proxyFor, type Fate, type Proxy } from './support/proxy.ts';
import { describePostgres } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const items = workCollection<number>('items');

await describePostgres('a connection lost during a commit', (trial) => {
  let proxy: Proxy;
  beforeEach(async () => {
    proxy = await proxyFor(trial.url);
  });
  afterEach(() => proxy.close());

  /** A store behind the proxy that has committed once, and another that is not behind it. */
  async function openBoth(options = {}): Promise<{ store: Store; witness: Store }> {
    const store = await trial.open({ poolSize: 2, ...options }, proxy.url);
    const witness = await trial.open();
    await Promise.all([store.declare(numbers), witness.declare(numbers)]);
    await mustCommit(store, put('before', 0));
    return { store, witness };
  }

  /** The next COMMIT meets this fate, those after it pass. */
  function next(fate: Fate): void {
    proxy.fate = () => {
      proxy.fate = () => 'pass';
      return fate;
    };
  }

  test.for<Fate>(['cut before', 'cut inside', 'cut after', 'cut at once'])('%s: committed, once', async (fate) => {
    const { store, witness } = await openBoth();
    next(fate);
    // With this check a second write would be refused: the key is there by then.
    const [result] = await store.commit([
      { ...put('k', 1), checks: [{ kind: 'absent', collection: numbers, key: ['k'] }] },
    ]);
    expect(result).toEqual({ status: 'committed', revision: 2 });
    expect(await witness.read(numbers, [['k']])).toEqual([{ key: ['k'], value: 1, revision: 2 }]);
    expect(await witness.revision()).toBe(2);
  });

  test('a whole group keeps its outcomes, conflicts included', async () => {
    const { store } = await openBoth();
    next('cut after');
    const results = await Promise.all([
      store.commit([put('a', 1)]),
      store.commit([{ ...put('b', 2), checks: [{ kind: 'absent', collection: numbers, key: ['before'] }] }]),
      store.commit([put('c', 3)]),
    ]);
    expect(results.map(([result]) => result?.status)).toEqual(['committed', 'conflict', 'committed']);
    expect(await store.revision()).toBe(3);
  });

  test('a counter raised behind an unreliable network counts every commit once', async () => {
    const { store, witness } = await openBoth();
    const fates: Fate[] = [
      'pass',
      'cut before',
      'pass',
      'cut inside',
      'pass',
      'cut after',
      'pass',
      'cut at once',
      'pass',
    ];
    let commits = 0;
    proxy.fate = () => fates[commits++ % fates.length] ?? 'pass';
    for (let round = 1; round <= 40; round++) {
      const [entry] = await store.read(numbers, [['before']]);
      await mustCommit(store, {
        ...put('before', (entry?.value ?? 0) + 1),
        checks: [{ kind: 'revision', collection: numbers, key: ['before'], revision: entry?.revision ?? 0 }],
      });
    }
    expect(commits).toBeGreaterThan(40);
    expect(await witness.read(numbers, [['before']])).toMatchObject([{ value: 40, revision: 41 }]);
  });

  test('a server that cannot be asked in time leaves the outcome unknown, and says so', async () => {
    const { store, witness } = await openBoth({ recoveryMilliseconds: 300 });
    proxy.fate = () => {
      proxy.refuse = true;
      return 'cut after';
    };
    await expect(store.commit([put('k', 1)])).rejects.toThrow(StoreUnknownOutcomeError);
    expect(await witness.read(numbers, [['k']])).toMatchObject([{ value: 1 }]);
    proxy.refuse = false;
    proxy.fate = () => 'pass';
    expect(await mustCommit(store, put('k', 2))).toBe(3);
  });

  test('a log that was pruned meanwhile leaves the outcome unknown', async () => {
    const { store, witness } = await openBoth({ recoveryMilliseconds: 5000 });
    const pruneSoon = async (): Promise<void> => {
      while ((await witness.revision()) < 2);
      await witness.prune(2);
      proxy.refuse = false;
    };
    let pruned: Promise<void> | undefined;
    proxy.fate = () => {
      proxy.refuse = true;
      pruned ??= pruneSoon();
      return 'cut after';
    };
    await expect(store.commit([put('k', 1)])).rejects.toThrow(StoreUnknownOutcomeError);
    await pruned;
  });

  test('a committer that falls silent with the lock in its hands does not hold up the others for ever', async () => {
    const { store, witness } = await openBoth({ statementTimeoutMilliseconds: 2000 });
    next('swallow the end');
    const silent = store.commit([put('silent', 1)]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await mustCommit(witness, put('other', 2));
    // The server hung up on it, so nothing of it was written, and it was tried again.
    expect(await silent).toMatchObject([{ status: 'committed' }]);
    expect(await witness.read(numbers, [['silent'], ['other']])).toMatchObject([{ value: 1 }, { value: 2 }]);
  });

  test('a release whose answer is lost is done once', async () => {
    const { store, witness } = await openBoth();
    await Promise.all([store.declare(items), witness.declare(items)]);
    await mustCommit(store, { writes: [{ kind: 'put', collection: items, key: ['job'], value: 1 }] });
    const claims = await store.claim(items, { owner: 'a', limit: 1, leaseMilliseconds: 60_000 });
    next('cut after');
    await store.release(claims.map(({ lease }) => lease));
    expect(await witness.revision()).toBe(3);
    expect(await witness.claim(items, { owner: 'b', limit: 1, leaseMilliseconds: 60_000 })).toHaveLength(1);
  });
});

function put(key: string, value: number): Transaction {
  return { writes: [{ kind: 'put', collection: numbers, key: [key], value }] };
}
