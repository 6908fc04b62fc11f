// A worker, and several of them on one store.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { program, tool, type Driver, type JobStreamEvent, type Statek } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';
import { caller } from './support/drivers.ts';

const anything = program({ role: 'anything', source: String });

async function seen(
  events: AsyncIterable<JobStreamEvent>,
  until: (event: JobStreamEvent) => boolean,
): Promise<JobStreamEvent[]> {
  const found: JobStreamEvent[] = [];
  for await (const event of events) {
    found.push(event);
    if (until(event)) break;
  }
  return found;
}

it('takes jobs by priority and age', async () => {
  const clock = new ManualClock(1_000_000);
  const order: unknown[] = [];
  const noting: Driver = { role: 'noting', concurrency: 1, next: ({ input }) => ({ finish: void order.push(input) }) };
  const kit = await openKit({ drivers: [noting], clock });
  for (const [input, priority] of [
    ['first', 0],
    ['low', -2],
    ['high', 1],
  ] as const) {
    await kit.submit(noting, { input, priority });
    clock.advance(10);
  }
  clock.advance(120_000);
  await kit.submit(noting, { input: 'high, but two minutes later', priority: 1 });
  await kit.runUntilIdle();
  expect(order).toEqual(['high', 'first', 'low', 'high, but two minutes later']);
});

it('works on no more jobs of a role at once than it may', async () => {
  let running = 0;
  let most = 0;
  const slow = {
    ...caller({
      work: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return running--;
      },
    }),
    concurrency: 2,
  };
  const kit = await openKit({ drivers: [slow] });
  await kit.submitAll(
    slow,
    Array.from({ length: 8 }, () => ({ input: ['work', 'work'] })),
  );
  await kit.runUntilIdle();
  expect([most, await kit.countJobs({ outcome: 'completed' })]).toEqual([2, 8]);
});

it('is woken by what other processes do', async () => {
  const store = `memory:${randomUUID()}`;
  const [a, b, outside] = (await Promise.all([1, 2, 3].map(() => openKit({ store, drivers: [anything] })))) as [
    Statek,
    Statek,
    Statek,
  ];
  a.start({ concurrency: 2 });
  b.start({ concurrency: 2 });
  const jobs = await outside.submitAll(
    anything,
    Array.from({ length: 10 }, (_, index) => ({ id: `j${index}`, input: `await sleep(1); await signal('s${index}')` })),
  );
  const results = jobs.map((job) => job.result());
  for (let index = 0; index < 10; index++) await outside.signal(`s${index}`, index);
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('is woken though no time passes: by events, and not by looking again and again', async () => {
  const store = `memory:${randomUUID()}`;
  // Whoever looked again after a while would wait for ever.
  const clock = new ManualClock(1000);
  const [working, outside] = await Promise.all([1, 2].map(() => openKit({ store, drivers: [anything], clock })));
  working?.start();
  const job = await outside?.submit(anything, { input: `(await signal('a')) + (await ask('b?'))` });
  await expect.poll(async () => (await job?.refresh())?.status, { timeout: 30_000 }).toBe('SUSPENDED');
  await outside?.signal('a', 1);
  await expect.poll(async () => (await job?.waiting())?.[0]?.kind, { timeout: 30_000 }).toBe('ask');
  await outside?.answer((await job?.waiting())?.[0]?.id ?? '', 2);
  expect(await job?.result()).toBe(3);
  expect(clock.now()).toBe(1000);
});

it('stops without losing anything, and another goes on', async () => {
  const store = `memory:${randomUUID()}`;
  let begun: (() => void) | undefined;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  let release: (() => void) | undefined;
  const hold = tool({
    name: 'hold',
    execute: async () =>
      new Promise<string>((resolve) => {
        release = () => resolve('held');
        begun?.();
      }),
  });
  const forever = tool({ name: 'forever', execute: async () => new Promise(() => begun?.()) });
  const services = { hold, forever };
  const first = await openKit({ store, drivers: [anything], services });
  const worker = first.start();
  const held = await first.submit(anything, { input: 'await hold(1)', vars: services });
  await isBegun;
  const stopped = worker.stop();
  release?.();
  await stopped;
  expect(worker.activeJobs).toBe(0);
  const second = await openKit({ store, drivers: [anything], services });
  expect(await (await second.job(held.id)).result()).toBe('held');

  // One that cannot wait leaves a call behind of which nobody knows the outcome.
  const isStuck = new Promise<void>((resolve) => (begun = resolve));
  const stuck = await second.submit(anything, { input: 'await forever(1).catch((e) => e.code)', vars: services });
  const hurried = second.start();
  await isStuck;
  await hurried.stop({ graceMilliseconds: 0 });
  await second.close({ graceMilliseconds: 0 });
  const third = await openKit({ store, drivers: [anything], services });
  expect(await (await third.job(stuck.id)).result()).toBe('OUTCOME_UNKNOWN');
});

it('tells what happens, in order, with its commits, from any point on', async () => {
  const kit = await openKit({ drivers: [anything] });
  const start = await kit.store.revision();
  const job = await kit.submit(anything, { input: `await sleep(1); 'done'` });
  // One who throws and one who never reads harm nobody.
  const thrower = seen(kit.events({ since: start }), () => {
    throw new Error('no');
  });
  const sleeper = kit.events({ since: start })[Symbol.asyncIterator]();
  await expect(thrower).rejects.toThrow('no');
  await job.result();
  const isDone = ({ kind }: JobStreamEvent): boolean => kind === 'done';
  const all = await seen(kit.events({ since: start }), isDone);
  expect(all.map(({ kind }) => kind)).toEqual(['submitted', 'started', 'slice', 'suspended', 'slice', 'step', 'done']);
  const commits = (await job.commits()).map(({ hash }) => hash);
  const told = all.filter(({ kind }) => kind === 'slice').map(({ commit }) => commit);
  // Making the workspace and defining its variables are part of the first slice's commit.
  expect(told).toEqual(commits.slice(0, -2).toReversed());
  expect((await seen(job.events(), isDone)).map(({ kind, number }) => [kind, number])).toEqual(
    all.map(({ kind, number }) => [kind, number]),
  );
  const middle = all[2];
  expect((await seen(job.events({ since: middle?.revision ?? 0 }), isDone)).length).toBeLessThan(all.length);
  await sleeper.return?.();
});

it('sets aside what it cannot work on, and goes on with the rest', async () => {
  const clock = new ManualClock(1000);
  const service = { look: () => 1 };
  const store = `memory:${randomUUID()}`;
  const full = await openKit({ store, drivers: [anything], services: { service }, clock });
  const job = await full.submit(anything, { input: 'service.look()', vars: { service } });
  const poor = await openKit({ store, drivers: [anything], clock });
  const other = await poor.submit(anything, { input: '2' });
  for (let index = 0; index < 12; index++) {
    await poor.runUntilIdle();
    clock.advance(60_000);
  }
  expect([(await other.refresh()).outcome]).toEqual(['completed']);
  const aside = await poor.job(job.id);
  expect([aside.outcome, aside.error?.code]).toEqual(['failed', 'QUARANTINED']);
  expect(aside.error?.message).toContain('service');
});
