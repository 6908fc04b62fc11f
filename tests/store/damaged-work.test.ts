// An item of work that is damaged keeps nobody from the others, neither workers nor copies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@redis/client';
import { expect, onTestFinished, test } from 'vitest';
import { encodeKey } from '../../src/store/key.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openRedis } from '../../src/store/redis/open.ts';
import { copyStore, openStore, workCollection, type Store } from '../../src/store.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';

const work = workCollection<string>('work');
const key = Buffer.from(encodeKey([1]), 'latin1');
const postgres = await postgresForTests();
const redis = await redisForTests();

/** What is claimed one after another, and what is said to be damaged. */
async function claimedWith(store: Store, damage: () => unknown): Promise<unknown> {
  await store.declare(work);
  const numbers = [1, 2, 3];
  await store.commit([
    { writes: numbers.map((number) => ({ kind: 'put', collection: work, key: [number], value: `item ${number}` })) },
  ]);
  await damage();
  const claim = async (limit: number): Promise<unknown[]> =>
    (await store.claim(work, { owner: 'worker', limit, leaseMilliseconds: 60_000 })).map(({ entry }) => entry.value);
  const claimed = [await claim(1), await claim(5), await claim(5)];
  const other = await openStore('memory:');
  const refused = await copyStore(store, other).catch((error: unknown) => (error as { code: unknown }).code);
  const { damaged } = await copyStore(store, other, { skipDamaged: true });
  await other.declare(work);
  const copied = (await other.scan(work, {})).entries.map(({ value }) => value);
  await other.close();
  return { claimed, refused, damaged, copied, problems: (await store.verify()).problems };
}

const others = {
  claimed: [['item 2'], ['item 3'], []],
  // It is in no copy unless that is asked for, and the others are.
  refused: 'STORE_CORRUPT',
  damaged: [expect.stringContaining('work [1]') as unknown],
  copied: ['item 2', 'item 3'],
  problems: [expect.stringContaining('work [1]') as unknown],
};

test('on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-damaged-'));
  const store = await openStore(folder);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const found = await claimedWith(store, () => {
    const database = new DatabaseSync(join(folder, 'statek.db'));
    database.prepare(`UPDATE data_work SET value = '"x"' WHERE key = ?`).run(key);
    database.close();
  });
  expect(found).toEqual(others);
});

test.skipIf(postgres === undefined)('on PostgreSQL', async () => {
  if (postgres === undefined) return;
  const { schema, drop } = await postgres.freshSchema();
  const store = await openPostgres(postgres.url, { schema, allowUnsafeServer: true });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  const found = await claimedWith(store, () =>
    postgres.query(`update "${schema}".work set exact = '"x"', value = '"x"' where key = $1`, [key]),
  );
  expect(found).toEqual(others);
});

test.skipIf(redis === undefined)('on Redis', async () => {
  if (redis === undefined) return;
  const { keyPrefix, drop } = redis.freshPrefix();
  const store = await openRedis(redis.url, { keyPrefix, durability: 'relaxed' });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  const found = await claimedWith(store, async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.sendCommand(['HSET', `{${keyPrefix}}:work:values`, key, '1:00000000"x"']);
    client.destroy();
  });
  expect(found).toEqual(others);
});
