// Limits of tenants hold in all processes together, a dead process gives its slots back, and nobody is in the way of others.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Agent, Models, program, Statek, tool, type Driver, type Job } from '../../src/index.ts';
import { scriptedModel, SimulatedClock } from '../../src/testing.ts';
import { openStoreAt } from '../chaos/place.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { openKit, storeFolder } from '../workspace/support/kits.ts';
import { stuck } from './support/stuck.ts';

/** So long that no test waits for it. */
const leaseMilliseconds = 3_600_000;
const postgres = await postgresForTests();
const redis = await redisForTests();

async function placeOf(engine: string): Promise<string> {
  if (engine === 'sqlite') return storeFolder();
  if (engine === 'redis' && redis !== undefined) {
    const { location, drop } = redis.freshPrefix();
    onTestFinished(drop);
    return location;
  }
  if (postgres === undefined) throw new Error(`There is no place for ${engine}.`);
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  return `${postgres.url}#${schema}`;
}

async function openAt(place: string, drivers: readonly Driver[]): Promise<Statek> {
  const store = await openStoreAt(place);
  const kit = await Statek.open({ store, drivers, leaseMilliseconds });
  onTestFinished(async () => {
    await kit.close({ graceMilliseconds: 0 });
    await store.close();
  });
  return kit;
}

const engines = ['sqlite', ...(postgres === undefined ? [] : ['postgres']), ...(redis === undefined ? [] : ['redis'])];

describe.each(engines)('on %s', (engine) => {
  it('lists tenants that have limits or jobs, page by page', async () => {
    const brief = program({ role: 'brief', source: '1' });
    const kit = await openAt(await placeOf(engine), [brief]);
    const names = ['a', 'a b', 'aa', 'z', 'ä', '\u{1F600}', '\uFFFD'];
    await kit.submitAll(
      brief,
      names.flatMap((name) => [1, 2].map((n) => ({ id: `${name}${n}`, labels: [`tenant:${name}`, 'other'] }))),
    );
    for (const name of ['a', 'limited', '*']) await kit.tenants.limit(name, { jobsAtOnce: 5 });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await kit.tenants.list({ limit: 2, cursor });
      expect(page.tenants.length).toBeGreaterThan(0);
      found.push(...page.tenants.map(({ name }) => name));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual([...names, 'limited', '*'].toSorted());
    const { tenants } = await kit.tenants.list();
    expect(tenants.find(({ name }) => name === 'z')?.limits).toEqual({ jobsAtOnce: 5 });
    expect(tenants.find(({ name }) => name === '*')?.usage).toBeUndefined();
  });

  it('works on so many jobs of a tenant at once, and gets the slots of a dead process back', async () => {
    const place = await placeOf(engine);
    let [now, most] = [0, 0];
    const counted = stuck(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return 'done here';
    });
    const drivers = [counted, program({ role: 'short', source: "'not held up'" })];
    const kits = [await openAt(place, drivers), await openAt(place, drivers)];
    const [kit] = kits as [Statek, Statek];
    await kit.tenants.limit('acme', { jobsAtOnce: 2 });
    await kit.submitAll(
      'stuck',
      Array.from({ length: 2 }, (_, n) => ({ id: `a${n}`, labels: ['tenant:acme'] })),
    );
    const child = fork(join(import.meta.dirname, 'support/stuck-child.ts'), [place, String(leaseMilliseconds)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let working = 0;
    await new Promise<void>((resolve) => {
      child.on('message', () => {
        if (++working === 2) resolve();
      });
    });
    expect(await kit.tenants.usage('acme')).toMatchObject({ jobsAtOnce: 2 });
    await kit.submitAll(
      'stuck',
      Array.from({ length: 6 }, (_, n) => ({ id: `b${n}`, labels: ['tenant:acme'] })),
    );
    await kit.submit('short', { id: 'other', labels: ['tenant:other'] });
    for (const one of kits) one.start({ concurrency: 10 });
    expect(await (await kit.job('other')).result()).toBe('not held up');
    expect([(await kit.job('b0')).status, most]).toEqual(['READY', 0]);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const all = await Promise.all(
      ['a0', 'a1', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5'].map(async (id) => (await kit.job(id)).result()),
    );
    expect(new Set(all)).toEqual(new Set(['done here']));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('gives every tenant its turn', async () => {
    const place = await placeOf(engine);
    const short = program({ role: 'short', source: '1' });
    const kit = await openAt(place, [short]);
    await kit.submitAll(
      short,
      Array.from({ length: 40 }, (_, n) => ({ id: `many${n}`, labels: ['tenant:large'] })),
    );
    await kit.submit(short, { id: 'one', labels: ['tenant:small'] });
    await kit.submit(short, { id: 'none' });
    const since = await kit.store.revision();
    const worker = kit.start({ concurrency: 2 });
    const order: string[] = [];
    for await (const { job, kind } of kit.events({ since })) {
      if (kind === 'done') order.push(job);
      if (order.length === 42) break;
    }
    await worker.stop();
    expect(order.indexOf('one')).toBeLessThan(12);
    expect(order.indexOf('none')).toBeLessThan(12);
  });
});

it('lets agents wait when their tenant has used up its day', async () => {
  const clock = new SimulatedClock(Date.UTC(2030, 0, 1, 12));
  const clerk = new Agent({ role: 'clerk', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' } });
  let asked = 0;
  const script = scriptedModel(
    Array.from({ length: 10 }, () => () => {
      asked++;
      return 'exit("done")';
    }),
  );
  const kit = await openKit({ agents: [clerk], models: new Models({ models: { script } }), clock });
  await kit.tenants.limit('*', { tokensPerDay: 1 });
  const jobs: Job[] = [];
  for (const tenant of ['acme', 'acme', 'other']) {
    jobs.push(await kit.submit(clerk, { message: 'Go', labels: [`tenant:${tenant}`] }));
    await kit.runUntilIdle();
  }
  const states = (): Promise<unknown> => Promise.all(jobs.map(async (job) => (await job.refresh()).status));
  expect(await states()).toEqual(['DONE', 'SUSPENDED', 'DONE']);
  expect(asked).toBe(2);
  expect((await kit.tenants.usage('acme')).tokens).toBeGreaterThan(1);
  const [waiting] = jobs.slice(1);
  const events = [];
  for await (const { kind } of waiting?.events() ?? []) {
    events.push(kind);
    if (kind === 'limited') break;
  }
  // The call was not made, and the journal does not say that it was.
  expect(await waiting?.calls()).toMatchObject([{ name: 'model', attempts: [] }]);
  clock.advance(6 * 60_000);
  await kit.runUntilIdle();
  expect([await states(), asked]).toEqual([['DONE', 'SUSPENDED', 'DONE'], 2]);
  clock.advance(12 * 3_600_000);
  await kit.runUntilIdle();
  expect([await states(), asked]).toEqual([['DONE', 'DONE', 'DONE'], 3]);
  // A limit that is raised is noticed, too.
  const more = await kit.submit(clerk, { message: 'Go', labels: ['tenant:acme'] });
  await kit.runUntilIdle();
  expect((await more.refresh()).status).toBe('SUSPENDED');
  await kit.tenants.limit('acme', { costPerDay: 100 });
  clock.advance(6 * 60_000);
  await kit.runUntilIdle();
  expect(await more.result()).toBe('done');
});

it('accepts no more jobs of a tenant whose programs take too much', async () => {
  const note = program({ role: 'note', source: 'const text = "x".repeat(10)' });
  const kit = await openKit({ drivers: [note], services: { pay: tool({ name: 'pay', execute: () => 1 }) } });
  await kit.tenants.limit('acme', { bytes: 100 });
  await (await kit.submit(note, { labels: ['tenant:acme'] })).result();
  const { bytes } = await kit.tenants.usage('acme');
  expect(bytes).toBeGreaterThan(100);
  await expect(kit.submit(note, { labels: ['tenant:acme'] })).rejects.toMatchObject({ code: 'TENANT_LIMIT' });
  await (await kit.submit(note, { labels: ['tenant:other'] })).result();
  await kit.tenants.limit('acme', {});
  await (await kit.submit(note, { labels: ['tenant:acme'] })).result();
  await expect(kit.submit(note, { labels: ['tenant:a', 'tenant:b'] })).rejects.toThrow('at most one label');
  await expect(kit.tenants.limit('acme', { jobsAtOnce: 0 })).rejects.toThrow('jobsAtOnce');
});
