// Slices that took long and objects that many change at the same time are named to whoever looks after the system, in any process, and
// to nobody else. What is slow is decided by a threshold, and conflicts are made, so nothing here depends on speed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { idOf, Statek, type StatekOptions } from '../../src/index.ts';
import { nodeRows } from '../../src/objects/rows.ts';
import { server } from '../../src/server.ts';
import type { Store } from '../../src/store.ts';
import { StoreAround } from '../../src/store/around/store-around.ts';
import { SimulatedClock } from '../../src/testing.ts';
import { openKit, storeFolder } from '../workspace/support/kits.ts';
import { adds, Counter } from './support/adds.ts';
import { stores } from './support/stores.ts';

/** Lets somebody else commit just before an object is written, so many times. */
class MeddledStore extends StoreAround {
  meddle: (() => Promise<unknown>) | undefined;
  times = 0;
  id = '';

  override async commit(...[transactions]: Parameters<Store['commit']>): ReturnType<Store['commit']> {
    const isOfObject = transactions.some(({ writes = [] }) =>
      writes.some(({ collection, key }) => collection.name === nodeRows.name && key[1] === this.id),
    );
    if (isOfObject && this.times > 0) {
      this.times--;
      await this.meddle?.();
    }
    return super.commit(transactions);
  }
}

/** What is written to the error stream until the test is over. */
function heard(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  onTestFinished(() => spy.mockRestore());
  return lines;
}

async function runOne(options: Partial<StatekOptions>): Promise<Statek> {
  const kit = await openKit({ drivers: [adds], classes: [Counter], ...options });
  const counter = await kit.transaction(() => new Counter());
  const job = await kit.submit(adds, { id: 'a', vars: { counter } });
  await kit.runUntilIdle();
  expect(await job.result()).toBe(1);
  return kit;
}

it('notes slices that take as long as is called slow, with job, step and commit', async () => {
  const lines = heard();
  const kit = await runOne({ slowSliceMilliseconds: 0 });
  const job = await kit.job('a');
  const [slow, ...others] = await kit.slowSlices();
  expect(others).toEqual([]);
  const commits = (await job.commits()).map(({ hash }) => hash);
  expect(slow).toMatchObject({ job: 'a', role: 'adds', step: 1 });
  expect(commits).toContain(slow?.commit);
  // Whoever reads the error stream of a program hears of it only if told to.
  expect(lines).toEqual([]);
  // It goes with its job.
  await job.delete();
  expect(await kit.slowSlices()).toEqual([]);
});

it('logs them where the log has what is not a warning', async () => {
  const lines = heard();
  await runOne({ slowSliceMilliseconds: 0, settings: { logLevel: 'info' } });
  expect(
    lines.filter((line) => /^statek info: a slice took long .*"job":"a".*"step":1,"commit":"\w+"/.test(line)),
  ).toHaveLength(1);
});

it('notes nothing of slices that are not slow', async () => {
  const kit = await runOne({ slowSliceMilliseconds: 3_600_000 });
  expect(await kit.slowSlices()).toEqual([]);
  await expect(Statek.open({ store: 'memory:', slowSliceMilliseconds: -1 })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
});

it('keeps the latest notes, for four weeks', async () => {
  const clock = new SimulatedClock(Date.UTC(2030, 0));
  const kit = await runOne({ slowSliceMilliseconds: 0, clock });
  clock.advance(29 * 24 * 3_600_000);
  const counter = await kit.transaction(() => new Counter());
  await kit.submitAll(
    adds,
    Array.from({ length: 25 }, (_, n) => ({ id: `b${n}`, vars: { counter } })),
  );
  await kit.runUntilIdle();
  const jobs = (await kit.slowSlices()).map(({ job }) => job);
  expect(jobs).not.toContain('a');
  expect(jobs.length).toBe(25);
});

it('does not harm a job whose process dies before its slice is noted', async () => {
  const store = storeFolder();
  const kit = await openKit({ store, classes: [Counter], drivers: [adds] });
  const counter = await kit.transaction(() => new Counter());
  await kit.submit(adds, { id: 'a', vars: { counter } });
  await kit.close();
  const child = fork(join(import.meta.dirname, 'support/slow-child.ts'), [store], { stdio: 'inherit' });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  const next = await openKit({ store, classes: [Counter], drivers: [adds] });
  await next.runUntilIdle();
  expect(await (await next.job('a')).result()).toBe(1);
  expect(await next.slowSlices()).toEqual([]);
  expect((await next.verify()).problems).toEqual([]);
});

it.each(Object.keys(stores))(
  'counts what runs again because of an object, on %s',
  { timeout: 60_000 },
  async (name) => {
    const open = await stores[name]?.();
    if (open === undefined) throw new Error(name);
    const [inner, theirs] = [await open(), await open()];
    const store = new MeddledStore(inner, true);
    const classes = [Counter];
    const kit = await Statek.open({ store, classes, drivers: [adds], slowSliceMilliseconds: 3_600_000 });
    const other = await Statek.open({ store: theirs, classes });
    onTestFinished(async () => {
      await kit.close();
      await other.close();
      await store.close();
      await theirs.close();
    });
    const [counter, quiet] = await kit.transaction(() => [new Counter(), new Counter()] as const);
    const id = idOf(counter);
    const far = (await other.fetch(id)) as Counter;
    store.meddle = () => other.transaction(() => void (far.n += 10));
    store.id = id;
    // The first program stores the image that all begin with, which would be another conflict.
    await kit.submit(adds, { vars: { counter: quiet } });
    await kit.runUntilIdle();
    const job = await kit.submit(adds, { vars: { counter } });
    store.times = 3;
    await kit.runUntilIdle();
    expect([store.times, await job.result()]).toEqual([0, 31]);
    store.times = 2;
    await kit.transaction(() => void counter.n++);
    expect(await kit.hotObjects()).toEqual([{ id, type: 'Counter', conflicts: 5 }]);
    // Another process adds its own, and sees those of all. One that dies takes along only what it counted last.
    expect(await other.hotObjects()).toEqual([{ id, type: 'Counter', conflicts: 5 }]);
    store.times = 1;
    await kit.transaction(() => void counter.n++);
    expect(await other.hotObjects()).toEqual([{ id, type: 'Counter', conflicts: 5 }]);
    expect(await kit.hotObjects()).toEqual([{ id, type: 'Counter', conflicts: 6 }]);
    // Metrics have classes, and no ids.
    const api = server(other, { authorize: () => ({ name: 'me', rights: ['read'] }) });
    const get = async (path: string): Promise<Response> =>
      api.fetch(new Request(`http://localhost/v1/${path}`, { headers: { host: 'localhost' } }));
    const metrics = await (await get('metrics')).text();
    expect(metrics).toContain('statek_object_conflicts{class="Counter"} 6\n');
    expect(metrics).not.toContain(id);
    expect(await (await get('system')).json()).toMatchObject({ hotObjects: [{ id, type: 'Counter', conflicts: 6 }] });
  },
);

it('counts slow slices by role in metrics, and shows them with the system', async () => {
  const kit = await runOne({ slowSliceMilliseconds: 0 });
  const api = server(kit, { authorize: () => ({ name: 'me', rights: ['read'] }) });
  const get = async (path: string): Promise<Response> =>
    api.fetch(new Request(`http://localhost/v1/${path}`, { headers: { host: 'localhost' } }));
  expect(await (await get('metrics')).text()).toContain('statek_slow_slices{role="adds"} 1\n');
  expect(await (await get('system')).json()).toMatchObject({ slowSlices: [{ job: 'a', role: 'adds', step: 1 }] });
});
