// A job whose row is damaged harms only itself: the others are listed, worked on and woken by their timers.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { encodeKey } from '../../src/store/key.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openStore, type Store } from '../../src/store.ts';
import { SimulatedClock } from '../../src/testing.ts';
import { postgresForTests } from '../support/postgres.ts';
import { storeFolder } from '../workspace/support/kits.ts';

const key = Buffer.from(encodeKey(['b']), 'latin1');
const postgres = await postgresForTests();

async function livesWith(open: () => Promise<Store>, damage: () => unknown): Promise<unknown> {
  const store = await open();
  onTestFinished(() => store.close());
  const clock = new SimulatedClock(Date.UTC(2030, 0));
  const naps = program({ role: 'naps', source: "await sleep(1000); 'rested'" });
  const asks = program({ role: 'asks', source: "await ask('Now?')" });
  const settings = { logLevel: 'silent' } as const;
  const kit = await Statek.open({ store, drivers: [naps, asks], clock, settings });
  await kit.submitAll(
    naps,
    ['a', 'b', 'c'].map((id) => ({ id, deadline: new Date(clock.now() + 500_000) })),
  );
  await kit.submit(asks, { id: 'd' });
  const since = await store.revision();
  await damage();
  await kit.runUntilIdle();
  expect((await kit.jobs()).map(({ id }) => id).toSorted()).toEqual(['a', 'c', 'd']);
  expect(await kit.countJobs({ role: 'naps', status: 'SUSPENDED' })).toBe(2);
  const waits: string[] = [];
  for await (const { job } of kit.pending()) waits.push(job);
  expect(waits.toSorted()).toEqual(['a', 'c', 'd']);
  clock.advance(1_000_000);
  await kit.runUntilIdle();
  for (const id of ['a', 'c']) expect((await kit.job(id)).outcome).toMatch(/completed|limit/);
  await expect(kit.job('b')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  // It is out of the queue, and whoever listens is told.
  expect((await kit.queues()).map(({ jobs }) => jobs)).toEqual([0, 0]);
  for await (const { job, kind } of kit.events({ since })) {
    if (kind !== 'quarantined') continue;
    expect(job).toBe('b');
    break;
  }
  const { problems } = await kit.verify();
  await kit.close();
  return problems.map(({ job }) => job);
}

test('on SQLite', async () => {
  const folder = storeFolder();
  const damaged = await livesWith(
    () => openStore(folder),
    () => {
      const database = new DatabaseSync(join(folder, 'statek.db'));
      database.prepare(`UPDATE data_jobs SET value = '{}' WHERE key = ?`).run(key);
      database.close();
    },
  );
  expect(damaged).toContain('b');
});

test.skipIf(postgres === undefined)('on PostgreSQL', async () => {
  if (postgres === undefined) return;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  const damaged = await livesWith(
    () => openPostgres(postgres.url, { schema, allowUnsafeServer: true }),
    () => postgres.query(`update "${schema}".jobs set exact = '{}', value = '{}' where key = $1`, [key]),
  );
  expect(damaged).toContain('b');
});
