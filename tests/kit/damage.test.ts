// One damaged row harms only its own job: whichever collection it is in, the others are listed, answered, trimmed and ended.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { program, Statek, tool } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'statek-damage-'));
const whole = join(folder, 'whole');
const look = tool({ name: 'look', execute: async (n: number) => n });
const trip = program({
  role: 'trip',
  source: `print('begins'); await look(1); const day = await ask('Which day?'); 'on ' + day`,
});
const open = (store: string): Promise<Statek> =>
  Statek.open({ store, drivers: [trip], services: { look }, settings: { logLevel: 'error' } });
const others = ['first', 'last'];

beforeAll(async () => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
  const kit = await open(whole);
  for (const id of ['first', 'hurt', 'last']) await kit.submit(trip, { id, vars: { look } });
  await kit.runUntilIdle();
  await kit.close();
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Overwrites the values of so many rows that belong to the job. */
function damageRow(store: string, table: string, count = 1): void {
  const database = new DatabaseSync(join(store, 'statek.db'));
  const rows = database.prepare(`select key from ${table}`).all() as { key: Uint8Array }[];
  const found = rows.filter((row) => Buffer.from(row.key).includes('hurt'));
  expect(found.length).toBeGreaterThan(0);
  const damage = database.prepare(`update ${table} set value = '00112233' where key = ?`);
  for (const { key } of found.slice(0, count)) damage.run(key);
  database.close();
}

async function asked(kit: Statek, people: boolean): Promise<string[]> {
  const found: string[] = [];
  for await (const { job } of kit.pending({ people })) found.push(job);
  return found;
}

const collections = [
  'workspaces',
  'steps',
  'futures',
  'console',
  'questions',
  'call_log',
  'jobs',
  'job_events',
  'job_past',
  'history_chains',
  'history_commits',
];

it.each(collections)(
  'a row of %s',
  async (name) => {
    const store = join(folder, name);
    cpSync(whole, store, { recursive: true });
    damageRow(store, `data_${name}`);
    const kit = await open(store);
    expect((await kit.verify()).problems).not.toEqual([]);
    for (const people of [true, false]) expect(await asked(kit, people)).toEqual(expect.arrayContaining(others));
    const { executions } = await kit.tools.getExecutionHistory();
    expect(executions.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(others));
    const before = (await (await kit.job('first')).commits()).length;
    const report = await kit.gc({ retention: { last: 1 }, graceMilliseconds: 0 });
    expect(report.commitsDropped).toBeGreaterThan(0);
    expect((await (await kit.job('first')).commits()).length).toBeLessThan(before);
    const isNamed = name === 'workspaces' || name.startsWith('history');
    expect(report.damaged.filter((text) => text.includes('is damaged')).length).toBeGreaterThanOrEqual(isNamed ? 1 : 0);
    for (const id of others) {
      const [question] = await (await kit.job(id)).waiting();
      await kit.answer(question?.id ?? '', 'Monday');
    }
    await kit.runUntilIdle();
    for (const id of others) {
      const job = await kit.job(id);
      expect(await job.result()).toBe('on Monday');
      await job.delete();
    }
    expect(await kit.forget({ label: 'nobody' })).toMatchObject({ jobs: 0 });
    await kit.close();
  },
  60_000,
);

it('rows of the index of jobs', async () => {
  const store = join(folder, 'index');
  cpSync(whole, store, { recursive: true });
  damageRow(store, 'data_job_index', 100);
  const kit = await open(store);
  expect((await kit.verify()).problems).not.toEqual([]);
  for (const order of ['newest', 'oldest'] as const) {
    const expected = order === 'newest' ? others.toReversed() : others;
    for (const filter of [{}, { status: 'SUSPENDED' }, { role: 'trip' }] as const) {
      expect((await kit.jobs({ ...filter, order })).map(({ id }) => id)).toEqual(expected);
      // Page by page, with the damaged entry at the end and at the beginning of a page.
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await kit.jobPage({ ...filter, order, limit: 1, cursor });
        paged.push(...page.jobs.map(({ id }) => id));
        ({ cursor } = page);
      } while (cursor !== undefined);
      expect(paged).toEqual(expected);
    }
  }
  expect(await kit.countJobs({ status: 'SUSPENDED' })).toBe(2);
  expect(await asked(kit, false)).toEqual(expect.arrayContaining(others));
  await kit.close();
});

it('collects no objects as long as a program cannot be read', async () => {
  const store = join(folder, 'objects');
  cpSync(whole, store, { recursive: true });
  damageRow(store, 'data_workspaces');
  const kit = await open(store);
  const { damaged, objects, horizon } = await kit.gc({ retention: { last: 1 } });
  expect(damaged).toEqual([expect.stringContaining('workspaces ["hurt"]')]);
  // What the damaged program holds is not known.
  expect([objects.removed, horizon]).toEqual([0, undefined]);
  await kit.close();
});
