// Sessions on Redis: a channel that is listened to while the process lives, leases that are renewed from another thread, and
// what becomes of both when the server cuts the connection. Blocking reads, which have a thread of their own too.
import { expect, onTestFinished, test } from 'vitest';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import type { Lease, Store, StoreSession } from '../../../src/store/store.ts';
import { describeRedis, type Trial } from './support/trial.ts';

const work = workCollection<number>('work');
const things = recordCollection<{ n: number }>('things', { keeps: 'versions' });

interface Opened {
  readonly store: Store;
  readonly session: StoreSession;
  readonly lease: Lease;
  readonly lost: Lease[];
}

async function open(trial: Trial): Promise<Opened> {
  const store = await trial.open({ clientName: trial.keyPrefix });
  await store.declare(work);
  await store.commit([{ writes: [{ kind: 'put', collection: work, key: [1], value: 1 }] }]);
  const lost: Lease[] = [];
  const session = await store.openSession?.({
    name: 'tester',
    leaseMilliseconds: 300,
    patienceMilliseconds: 60_000,
    lost: (lease) => lost.push(lease),
    ended: () => undefined,
  });
  if (session === undefined) throw new Error('There is no session.');
  onTestFinished(() => session.close());
  const [claimed] = await store.claim(work, { owner: session.owner, limit: 1, leaseMilliseconds: 300 });
  if (claimed === undefined) throw new Error('There is nothing to claim.');
  session.keep(claimed.lease);
  return { store, session, lease: claimed.lease, lost };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

await describeRedis('a session', (trial) => {
  test('renews what it keeps, also after the server has ended its connection', async () => {
    const { store, lease, lost } = await open(trial);
    const expiry = async (): Promise<number> => (await store.holders(work))[0]?.expiresAt ?? 0;
    await until(async () => (await expiry()) > lease.expiresAt);
    const clients = await trial.command<string>('CLIENT', 'LIST', 'TYPE', 'pubsub');
    const own = [...clients.matchAll(new RegExp(`^id=(\\d+) .* name=${trial.keyPrefix} `, 'gm'))];
    expect(own.length).toBeGreaterThan(0);
    for (const [, id = ''] of own) await trial.command('CLIENT', 'KILL', 'ID', id);
    const before = await expiry();
    await until(async () => (await expiry()) > before + 200);
    expect(lost).toEqual([]);
    expect(await store.expireDead?.(work)).toBe(0);
  });

  test('says which leases it could not keep', async () => {
    const { store, lease, lost } = await open(trial);
    await store.release([lease]);
    await until(() => Promise.resolve(lost.length > 0));
    expect(lost.map(({ token, collection }) => [token, collection])).toEqual([[lease.token, 'work']]);
  });

  test('that has ended leaves its items to others at once', async () => {
    const { store, session, lease } = await open(trial);
    expect((await store.renew([lease], 3_600_000))[0]?.status).toBe('renewed');
    await session.close();
    const other = await trial.open();
    await other.declare(work);
    await until(async () => (await other.expireDead?.(work)) === 1);
    const [claimed] = await other.claim(work, { owner: 'other', limit: 1, leaseMilliseconds: 1000 });
    expect(claimed).toMatchObject({ takenOver: true, lease: { owner: 'other' } });
    expect(await other.expireDead?.(work)).toBe(0);
  });
});

await describeRedis('blocking reads', (trial) => {
  test('answer as reads that are waited for do', async () => {
    const store = await trial.open();
    await store.declare(things);
    const first = await mustCommit(store, {
      writes: [1, 2, 3].map((n) => ({ kind: 'put', collection: things, key: ['a', n], value: { n } })),
    });
    await mustCommit(store, { writes: [{ kind: 'remove', collection: things, key: ['a', 2] }] });
    const { blocking } = store;
    if (blocking === undefined) throw new Error('The store has no blocking reads.');
    const keys = [['a', 2], ['a', 1], ['b']];
    expect(blocking.read(things, keys)).toEqual(await store.read(things, keys));
    expect(blocking.read(things, keys, { at: first })).toEqual(await store.read(things, keys, { at: first }));
    const scanned = blocking.scan(things, { prefix: ['a'] }, { limit: 1, at: first });
    expect(scanned).toEqual(await store.scan(things, { prefix: ['a'] }, { limit: 1, at: first }));
    expect(() => blocking.read(things, keys, { at: 1_000_000 })).toThrow(
      expect.objectContaining({ code: 'STORE_ARGUMENT' }),
    );
  });

  test('a scan of the past that takes many steps shows every key once', async () => {
    const store = await trial.open();
    await store.declare(things);
    const write = (n: number) => ({ kind: 'put' as const, collection: things, key: [n], value: { n } });
    const numbers = Array.from({ length: 12_000 }, (_, index) => index);
    // Every other key is older than the revision read, and all are written again later.
    const at = await mustCommit(store, { writes: numbers.filter((n) => n % 2 === 0).map(write) });
    await mustCommit(store, { writes: numbers.map(write) });
    for (const reverse of [false, true]) {
      const page = await store.scan(things, {}, { at, limit: 10_000, reverse });
      expect(page.cursor).toBeUndefined();
      const found = page.entries.map(({ key }) => key[0]);
      const expected = numbers.filter((n) => n % 2 === 0);
      expect(found).toEqual(reverse ? expected.toReversed() : expected);
    }
    expect(
      (await store.scan(things, { from: [1], to: [7000] }, { at, limit: 3 })).entries.map(({ key }) => key),
    ).toEqual([[2], [4], [6]]);
  });
});
