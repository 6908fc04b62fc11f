// Schedules: what is submitted when, over outages, restarts, long jobs, and many processes.
import { afterEach, describe, expect, it } from 'vitest';
import { Agent, InvalidOptionError, Models, NotFoundError, program, Statek, type Driver } from '../../src/index.ts';
import { openStore } from '../../src/store.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { scriptedModel } from '../../src/testing.ts';

const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const quick = program({ role: 'quick', source: 'print("done")' });
const slow = program({ role: 'slow', source: 'await signal("go")' });

const kits: Statek[] = [];
async function open(
  clock: ManualClock,
  store: Parameters<typeof Statek.open>[0]['store'] = 'memory:',
): Promise<Statek> {
  const kit = await Statek.open({ store, clock, drivers: [quick, slow] });
  kits.push(kit);
  return kit;
}
afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close();
});

async function jobsOf(kit: Statek, name: string): Promise<string[]> {
  const jobs = await kit.jobs({ label: `schedule:${name}`, order: 'oldest', limit: 1000 });
  return jobs.map(({ id }) => id.slice(name.length + 1));
}

describe('a schedule', () => {
  it('submits a job at each of its times, and says what it did', async () => {
    const clock = new ManualClock(start);
    const kit = await open(clock);
    const nightly = await kit.schedule('nightly', {
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      submit: { role: quick, vars: { n: 1 }, labels: ['mine'] },
    });
    expect(await nightly.state()).toMatchObject({
      role: 'quick',
      timing: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
      next: new Date('2026-01-01T01:30:00Z'),
      fired: 0,
    });
    for (let day = 0; day < 3; day++) {
      clock.advance(24 * 60 * minute);
      await kit.runUntilIdle();
    }
    expect(await jobsOf(kit, 'nightly')).toEqual([
      '2026-01-01T01:30:00.000Z',
      '2026-01-02T01:30:00.000Z',
      '2026-01-03T01:30:00.000Z',
    ]);
    const job = await kit.job('nightly@2026-01-02T01:30:00.000Z');
    expect([job.outcome, job.labels, await job.local('n')]).toEqual(['completed', ['mine', 'schedule:nightly'], 1]);
    expect(await nightly.state()).toMatchObject({ fired: 3, skipped: 0, next: new Date('2026-01-04T01:30:00Z') });
  });

  it('tells its jobs for which of its times they are, also those made up for, run by hand and submitted again', async () => {
    const clock = new ManualClock(start);
    const dated = program({ role: 'dated', source: '`${schedule.name} for ${schedule.due.toISOString()}`' });
    const own = program({ role: 'own', source: 'schedule' });
    const driver: Driver = { role: 'driver', next: ({ job }) => ({ finish: job.schedule?.due.toISOString() }) };
    const kit = await Statek.open({ store: 'memory:', clock, drivers: [dated, own, driver] });
    kits.push(kit);
    for (const role of ['dated', 'driver']) await kit.schedule(role, { cron: '0 3 * * *', submit: { role } });
    await kit.schedule('own', { cron: '0 3 * * *', submit: { role: own, vars: { schedule: 'mine' } } });
    clock.advance(40 * 60 * minute);
    await kit.runUntilIdle();
    const due = '2026-01-02T03:00:00.000Z';
    const job = await kit.job(`dated@${due}`);
    expect(job.schedule).toEqual({ name: 'dated', due: new Date(due) });
    expect(await job.result()).toBe(`dated for ${due}`);
    expect(await (await kit.job(`driver@${due}`)).result()).toBe(due);
    expect(await (await kit.job(`own@${due}`)).result()).toBe('mine');
    const again = await kit.job(await job.again());
    const byHand = await kit.job(await (await kit.findSchedule('dated')).runNow());
    await kit.runUntilIdle();
    expect(await again.result()).toBe(`dated for ${due}`);
    expect(await byHand.result()).toBe(`dated for ${new Date(clock.now()).toISOString()}`);
    expect((await kit.submit(own, { vars: { schedule: 1 } })).schedule).toBeUndefined();
  });

  it('fires by itself while a worker runs, also one that another kit made', async () => {
    const store = await openStore('memory:');
    const kit = await Statek.open({ store, drivers: [quick] });
    const other = await Statek.open({ store, drivers: [] });
    const worker = kit.start();
    await other.schedule('soon', { at: new Date(Date.now() + 50), submit: { role: 'quick' } });
    for (;;) {
      const [job] = await kit.jobs({ label: 'schedule:soon' });
      if (job?.status === 'DONE') break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await (await kit.findSchedule('soon')).state()).toMatchObject({ fired: 1, next: undefined });
    await worker.stop();
    await kit.close();
    await other.close();
    await store.close();
  });

  it('is changed by its name, and left alone if nothing is different', async () => {
    const clock = new ManualClock(start);
    const kit = await open(clock);
    const set = (every: number) => kit.schedule('pulse', { every, submit: { role: 'quick' } });
    const pulse = await set(10 * minute);
    clock.advance(5 * minute);
    const revision = await kit.store.revision();
    await set(10 * minute);
    expect(await kit.store.revision()).toBe(revision);
    expect((await pulse.state()).next).toEqual(new Date(start + 10 * minute));
    await set(minute);
    expect((await pulse.state()).next).toEqual(new Date(start + 6 * minute));
    clock.advance(minute);
    await kit.runUntilIdle();
    expect(await jobsOf(kit, 'pulse')).toEqual(['2026-01-01T00:06:00.000Z']);
  });

  it('is paused, resumed, run by hand and deleted', async () => {
    const clock = new ManualClock(start);
    const kit = await open(clock);
    const pulse = await kit.schedule('pulse', { every: minute, submit: { role: 'quick' }, missed: 'all' });
    await pulse.pause();
    clock.advance(10 * minute);
    await kit.runUntilIdle();
    expect(await jobsOf(kit, 'pulse')).toEqual([]);
    expect(await pulse.state()).toMatchObject({ paused: true, next: undefined });
    const id = await pulse.runNow();
    await kit.runUntilIdle();
    expect((await kit.job(id)).outcome).toBe('completed');
    await pulse.resume();
    clock.advance(minute);
    await kit.runUntilIdle();
    expect(await jobsOf(kit, 'pulse')).toHaveLength(2);
    const names: string[] = [];
    for await (const { name } of kit.schedules()) names.push(name);
    expect(names).toEqual(['pulse']);
    await pulse.delete();
    clock.advance(10 * minute);
    await kit.runUntilIdle();
    expect(await jobsOf(kit, 'pulse')).toHaveLength(2);
    await expect(pulse.state()).rejects.toThrow(NotFoundError);
    await expect(kit.findSchedule('pulse')).rejects.toThrow(NotFoundError);
    await expect(pulse.runNow()).rejects.toThrow(NotFoundError);
  });

  it('makes up for what it missed as it was told', async () => {
    const counts: Record<string, number> = {};
    for (const missed of ['skip', 'once', 'all'] as const) {
      const clock = new ManualClock(start);
      const store = await openStore('memory:', { clock });
      const before = await open(clock, store);
      await before.schedule('hourly', { every: 60 * minute, submit: { role: 'quick' }, missed });
      await before.close();
      clock.advance(5 * 60 * minute + 30 * minute);
      const kit = await open(clock, store);
      await kit.runUntilIdle();
      counts[missed] = (await jobsOf(kit, 'hourly')).length;
    }
    expect(counts).toEqual({ skip: 0, once: 1, all: 5 });
  });
});

describe('a job that is not over at the next time', () => {
  async function overlapping(overlap: 'queue' | 'skip' | 'cancel'): Promise<{ kit: Statek; clock: ManualClock }> {
    const clock = new ManualClock(start);
    const kit = await open(clock);
    await kit.schedule('long', { every: minute, submit: { role: slow }, overlap });
    for (let times = 0; times < 3; times++) {
      clock.advance(minute);
      await kit.runUntilIdle();
    }
    return { kit, clock };
  }

  it('lets the others wait, in order, and they follow when it ends', async () => {
    const { kit } = await overlapping('queue');
    expect(await jobsOf(kit, 'long')).toHaveLength(1);
    expect((await (await kit.findSchedule('long')).state()).waiting).toHaveLength(2);
    for (let ended = 1; ended <= 3; ended++) {
      await kit.signal('go');
      await kit.runUntilIdle();
      expect(await jobsOf(kit, 'long')).toHaveLength(Math.min(ended + 1, 3));
    }
    expect((await kit.jobs({ label: 'schedule:long' })).every(({ status }) => status === 'DONE')).toBe(true);
  });

  it('keeps the others from starting', async () => {
    const { kit, clock } = await overlapping('skip');
    expect(await jobsOf(kit, 'long')).toHaveLength(1);
    await kit.signal('go');
    await kit.runUntilIdle();
    clock.advance(minute);
    await kit.runUntilIdle();
    expect(await jobsOf(kit, 'long')).toHaveLength(2);
    expect(await (await kit.findSchedule('long')).state()).toMatchObject({ skipped: 2, fired: 2 });
  });

  it('is cancelled', async () => {
    const { kit } = await overlapping('cancel');
    const jobs = await kit.jobs({ label: 'schedule:long', order: 'oldest' });
    expect(jobs.map(({ status, outcome }) => outcome ?? status)).toEqual(['cancelled', 'cancelled', 'SUSPENDED']);
  });
});

it('submits agents, and jobs for a given workspace', async () => {
  const clock = new ManualClock(start);
  const agent = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
  const script = scriptedModel([
    '```ts\nvar runs = (globalThis.runs ?? 0) + 1\n```',
    'One.',
    '```ts\nruns += 1\n```',
    'Two.',
  ]);
  const kit = await Statek.open({
    store: 'memory:',
    clock,
    agents: [agent],
    models: new Models({ models: { script } }),
  });
  kits.push(kit);
  await kit.schedule('daily', {
    every: minute,
    submit: { role: agent, message: 'Count.', workspace: 'counting', locale: 'en' },
  });
  for (let times = 0; times < 2; times++) {
    clock.advance(minute);
    await kit.runUntilIdle();
  }
  const jobs = await kit.jobs({ label: 'schedule:daily', order: 'oldest' });
  expect(await Promise.all(jobs.map((job) => job.result()))).toEqual(['One.', 'Two.']);
  expect(await (await kit.findWorkspace('counting'))?.locals()).toMatchObject({ runs: 2 });
});

it('refuses what makes no sense, and keeps nothing of it', async () => {
  const clock = new ManualClock(start);
  const kit = await open(clock);
  const submit = { role: 'quick' };
  const wrong: unknown[] = [
    { submit },
    { cron: '* * * * *', every: minute, submit },
    { cron: 'x', submit },
    { cron: '* * * * *', timeZone: 'Nowhere', submit },
    { every: 10, submit },
    { every: minute, timeZone: 'UTC', submit },
    { at: new Date(start - 1), submit },
    { at: 'tomorrow', submit },
    { every: minute, submit: { role: 'quick', id: 'x' } },
    { every: minute, submit: { role: 'quick', varz: {} } },
    { every: minute, submit, missed: 'never' },
    { every: minute, submit, overlap: 'allow' },
    { every: minute, submit, more: 1 },
  ];
  for (const options of wrong) await expect(kit.schedule('x', options as never)).rejects.toThrow(InvalidOptionError);
  await expect(kit.schedule('', { every: minute, submit })).rejects.toThrow(InvalidOptionError);
  await expect(kit.schedule('x', { every: minute, submit: { role: 'nobody' } })).rejects.toThrow(/nobody/);
  await expect(kit.findSchedule('x')).rejects.toThrow(NotFoundError);
});
