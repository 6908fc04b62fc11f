// A replica takes over. With everything it was sent, work goes on; without, everybody who has seen more is told.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Statek } from '../../../src/index.ts';
import { recordCollection } from '../../../src/store/collection.ts';
import { StoreFeatureError, StoreRolledBackError, StoreUnavailableError } from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import type { Store, Transaction } from '../../../src/store/store.ts';
import { freePort, privateRedis, redisProgram, testRedis, type PrivateRedis } from '../../support/redis.ts';
import { switchTo, type Switch } from './support/switch.ts';

const numbers = recordCollection<number>('numbers');
const put = (key: string, value: number): Transaction => ({
  writes: [{ kind: 'put', collection: numbers, key: [key], value }],
});

describe.skipIf(redisProgram() === undefined)('a failover', () => {
  let primary: PrivateRedis;
  let replica: PrivateRedis;
  let address: Switch;
  let stores: Store[] = [];
  beforeAll(async () => {
    // Replicas are otherwise made to wait for others to come along.
    const settings = { 'repl-diskless-sync-delay': '0' };
    [primary, replica] = await Promise.all([privateRedis({ settings }), privateRedis({ settings })]);
  });
  afterAll(() => Promise.all([primary.dispose(), replica.dispose()]));
  beforeEach(async () => {
    await testRedis(primary.url).command('FLUSHALL');
    await follow();
    address = await switchTo(primary.port);
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
    await address.close();
  });

  /** Makes the second server a replica that has everything. */
  async function follow(): Promise<void> {
    await testRedis(replica.url).command('REPLICAOF', '127.0.0.1', String(primary.port));
    const isUp = async (): Promise<boolean> =>
      (await testRedis(replica.url).command<string>('INFO', 'replication')).includes('master_link_status:up');
    while (!(await isUp()));
  }

  const promote = (): Promise<unknown> => testRedis(replica.url).command('REPLICAOF', 'NO', 'ONE');

  async function open(url = address.url): Promise<Store> {
    const store = await openRedis(url, { recoveryMilliseconds: 2000 });
    stores.push(store);
    await store.declare(numbers);
    return store;
  }

  test('that loses nothing is not noticed', async () => {
    const store = await open();
    await mustCommit(store, put('a', 1));
    await testRedis(primary.url).command('WAIT', '1', '0');
    const head = await store.revision();
    while (!(await testRedis(replica.url).command<string[]>('HVALS', '{statek}:meta')).includes(String(head)));
    await promote();
    address.to(replica.port);
    expect(await store.read(numbers, [['a']])).toMatchObject([{ value: 1 }]);
    expect(await mustCommit(store, put('b', 2))).toBe(2);
  });

  test('that lost acknowledged commits stops whoever has seen them, for good', async () => {
    const store = await open();
    await mustCommit(store, put('a', 1));
    await promote();
    await mustCommit(store, put('b', 2));
    await mustCommit(store, put('c', 3));
    address.to(replica.port);
    await expect(store.commit([put('d', 4)])).rejects.toThrow(StoreRolledBackError);
    await expect(store.read(numbers, [['a']])).rejects.toThrow(StoreRolledBackError);
    // Whoever comes new works with what is left.
    const other = await open(replica.url);
    const left = await other.revision();
    expect(left).toBeLessThan(3);
    expect(await mustCommit(other, put('d', 4))).toBe(left + 1);
  });

  test('is noticed although others have committed more since', async () => {
    const store = await open();
    await mustCommit(store, put('a', 1));
    await promote();
    await mustCommit(store, put('b', 2));
    const other = await open(replica.url);
    for (let value = 0; value < 10; value++) await mustCommit(other, put('other', value));
    address.to(replica.port);
    await expect(store.revision()).rejects.toThrow(StoreRolledBackError);
    const following = (async () => {
      for await (const _set of store.follow({ since: 2 }));
    })();
    await expect(following).rejects.toThrow(StoreRolledBackError);
  });

  test('stops a worker, which says why', async () => {
    const store = await open();
    const kit = await Statek.open({ store });
    const worker = kit.start();
    const ended = worker.ended.then(
      () => 'stopped',
      (error: unknown) => error,
    );
    await mustCommit(store, put('a', 1));
    await promote();
    await mustCommit(store, put('b', 2));
    address.to(replica.port);
    expect(await ended).toBeInstanceOf(StoreRolledBackError);
    await kit.close({ graceMilliseconds: 0 });
  });

  test('a replica itself is refused', async () => {
    await expect(open(replica.url)).rejects.toThrow(StoreUnavailableError);
    await expect(open(replica.url)).rejects.toThrow('replica');
    const store = await open();
    address.to(replica.port);
    await expect(store.revision()).rejects.toThrow(StoreUnavailableError);
    await expect(store.commit([put('a', 1)])).rejects.toThrow(StoreUnavailableError);
    address.to(primary.port);
    expect(await mustCommit(store, put('a', 1))).toBe(1);
  });

  test('to a server that promises less is refused', async () => {
    const store = await open();
    await mustCommit(store, put('a', 1));
    await testRedis(replica.url).command('CONFIG', 'SET', 'appendfsync', 'no');
    await promote();
    address.to(replica.port);
    await expect(store.read(numbers, [['a']])).rejects.toThrow(StoreFeatureError);
    await expect(store.commit([put('b', 2)])).rejects.toThrow(StoreFeatureError);
    await testRedis(replica.url).command('CONFIG', 'SET', 'appendfsync', 'always');
  });
});

/** A Sentinel that watches a primary; returns how to ask it for the port of whichever server is the primary now. */
async function watchedBySentinel(primary: PrivateRedis): Promise<() => Promise<number>> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-sentinel-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const name = 'statek';
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${name} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${name} 1000`,
      `sentinel failover-timeout ${name} 10000`,
    ].join('\n'),
  );
  const child = spawn(redisProgram() as string, [file, '--sentinel'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const sentinel = testRedis(`redis://127.0.0.1:${port}`);
  const ask = async (): Promise<number> =>
    Number((await sentinel.command<string[]>('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name))[1]);
  const replicas = (): Promise<unknown[]> => sentinel.command<unknown[]>('SENTINEL', 'REPLICAS', name);
  const patience = { timeout: 60_000, interval: 50 };
  await expect.poll(() => ask().catch(() => 0), patience).toBe(primary.port);
  // Without a replica it knows of, it has nobody to promote. It learns of them by asking the primary now and then.
  await expect.poll(async () => (await replicas()).length, patience).toBe(1);
  return ask;
}

test.skipIf(redisProgram() === undefined)(
  'a failover that a Sentinel makes loses nothing, or whoever has seen what was lost is told',
  { timeout: 180_000 },
  async () => {
    const settings = { 'repl-diskless-sync-delay': '0' };
    const [primary, replica] = await Promise.all([privateRedis({ settings }), privateRedis({ settings })]);
    onTestFinished(async () => {
      await Promise.all([primary.dispose(), replica.dispose()]);
    });
    await testRedis(replica.url).command('REPLICAOF', '127.0.0.1', String(primary.port));
    const ask = await watchedBySentinel(primary);
    const address = await switchTo(primary.port);
    onTestFinished(() => address.close());
    const store = await openRedis(address.url, { recoveryMilliseconds: 150_000 });
    onTestFinished(() => store.close());
    await store.declare(numbers);
    let acknowledged = 0;
    let failure: unknown;
    const end = new AbortController();
    const writing = (async () => {
      while (!end.signal.aborted && failure === undefined) {
        try {
          await mustCommit(store, put('count', acknowledged + 1));
          acknowledged++;
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) failure = error;
        }
      }
    })();
    const patience = { timeout: 120_000, interval: 50 };
    await expect.poll(() => acknowledged, patience).toBeGreaterThan(10);
    await primary.stop('immediate');
    await expect.poll(ask, patience).toBe(replica.port);
    const before = acknowledged;
    // What a proxy or a name service does that leads to the primary.
    address.to(replica.port);
    await expect.poll(() => failure !== undefined || acknowledged > before, patience).toBe(true);
    end.abort();
    await writing;
    const codeOf = (error: unknown): unknown => (error as { code?: string } | undefined)?.code;
    const found = await store.read(numbers, [['count']]).then(([entry]) => entry?.value, codeOf);
    const isLost = codeOf(failure) === 'STORE_ROLLED_BACK';
    expect([failure, found]).toEqual(isLost ? [failure, 'STORE_ROLLED_BACK'] : [undefined, acknowledged]);
  },
);
