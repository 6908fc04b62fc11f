// A job from its submission to its end, and what can be done with it on the way.
import { expect, it } from 'vitest';
import { JobFailedError, JobStateError, program } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';
import { collector } from './support/drivers.ts';

const echo = program({ role: 'echo', source: (input) => `print("running"); (${JSON.stringify(input)})` });
const sleeper = program({
  role: 'sleeper',
  source: `try { await sleep(60_000); 'slept' } finally { print('cleaned up') }`,
});
const asker = program({ role: 'asker', source: `const name = await ask('Who?'); 'Hello, ' + name` });

it('is submitted, run and done', async () => {
  const kit = await openKit({ drivers: [echo] });
  const job = await kit.submit(echo, { input: { a: [1, 'two'] }, labels: ['x'] });
  expect([job.status, job.outcome, job.role]).toEqual(['READY', undefined, 'echo']);
  expect(await job.result()).toEqual({ a: [1, 'two'] });
  expect([job.status, job.outcome]).toEqual(['DONE', 'completed']);
  expect(await job.console()).toEqual(['running']);
});

it('is one job under one id, and refuses another', async () => {
  const kit = await openKit({ drivers: [echo, sleeper] });
  const [first, again] = await Promise.all([1, 2].map(() => kit.submit(echo, { id: 'one', input: 7 })));
  expect([first?.id, again?.id, await kit.countJobs()]).toEqual(['one', 'one', 1]);
  await expect(kit.submit(echo, { id: 'one', input: 8 })).rejects.toThrow(JobStateError);
  await expect(kit.submit(sleeper, { id: 'one', input: 7 })).rejects.toThrow(JobStateError);
});

it('refuses ids and names of variables that could never work', async () => {
  const kit = await openKit({ drivers: [echo] });
  for (const wrong of [{ id: '' }, { id: '\ud800x' }, { vars: { 'two words': 1 } }, { vars: { '': 1 } }])
    await expect(kit.submit(echo, wrong)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(kit.workspace('\udfff')).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(await kit.countJobs()).toBe(0);
});

it('fails with what its program threw', async () => {
  const broken = program({ role: 'broken', source: `const x = 1;\nthrow new RangeError('too far')` });
  const kit = await openKit({ drivers: [broken] });
  const job = await kit.submit(broken);
  await expect(job.result()).rejects.toThrow(JobFailedError);
  expect(job.error).toMatchObject({ name: 'RangeError', message: 'too far', line: 2 });
});

it('ends with exit and fail, whatever catches them', async () => {
  const leaver = program({
    role: 'leaver',
    source: `try { exit({ ok: true }) } catch {} print('caught'); await sleep(1e9)`,
  });
  const failer = program({ role: 'failer', source: `fail('no room')` });
  const kit = await openKit({ drivers: [leaver, failer] });
  expect(await (await kit.submit(leaver)).result()).toEqual({ ok: true });
  const failed = await kit.submit(failer);
  await expect(failed.result()).rejects.toThrow(/no room/);
  expect(await failed.waiting()).toEqual([]);
  const empty = program({ role: 'empty', source: 'exit()' });
  const other = await openKit({ drivers: [empty] });
  expect(await (await other.submit(empty)).result()).toBeUndefined();
});

it('is tried again as often as its policy says', async () => {
  const clock = new ManualClock(1000);
  const flaky = program({
    role: 'flaky',
    source: `globalThis.tries = (globalThis.tries ?? 0) + 1; if (tries < 3) throw new Error('try ' + tries); tries`,
  });
  const kit = await openKit({ drivers: [flaky], clock });
  const good = await kit.submit(flaky, { retry: { attempts: 3, backoff: 100 } });
  const bad = await kit.submit(flaky, { retry: { attempts: 2, backoff: 100 } });
  await kit.runUntilIdle();
  expect((await good.refresh()).status).toBe('READY');
  clock.advance(100);
  await kit.runUntilIdle();
  expect((await bad.refresh()).error?.message).toBe('try 2');
  clock.advance(200);
  expect(await good.result()).toBe(3);
});

it('starts at its time and ends at its deadline', async () => {
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  const kit = await openKit({ drivers: [echo, sleeper], clock });
  const later = await kit.submit(echo, { input: 1, startAt: new Date(clock.now() + 1000) });
  const late = await kit.submit(sleeper, { deadline: new Date(clock.now() + 500) });
  await kit.runUntilIdle();
  expect([(await later.refresh()).status, (await late.refresh()).status]).toEqual(['READY', 'SUSPENDED']);
  clock.advance(500);
  await kit.runUntilIdle();
  expect([(await later.refresh()).status, (await late.refresh()).outcome]).toEqual(['READY', 'limit']);
  clock.advance(500);
  expect(await later.result()).toBe(1);
});

it('runs its finally blocks when it is cancelled', async () => {
  const kit = await openKit({ drivers: [sleeper, echo] });
  const job = await kit.submit(sleeper);
  await kit.runUntilIdle();
  await job.cancel('not needed');
  await kit.runUntilIdle();
  expect([(await job.refresh()).outcome, job.error?.message]).toEqual(['cancelled', 'not needed']);
  expect(await job.console()).toEqual(['cleaned up']);
  const never = await kit.submit(echo, { startAt: new Date(Date.now() + 1e6) });
  await never.cancel();
  await kit.runUntilIdle();
  expect((await never.refresh()).outcome).toBe('cancelled');
  await job.cancel('again');
  expect((await job.refresh()).error?.message).toBe('not needed');
});

it('bounds the clean-up of a job that is cancelled', async () => {
  const clock = new ManualClock(1000);
  const stubborn = program({ role: 'stubborn', source: `for (;;) { try { await sleep(1e6) } catch { print('no') } }` });
  const kit = await openKit({ drivers: [stubborn], clock });
  const job = await kit.submit(stubborn);
  await kit.runUntilIdle();
  await job.cancel();
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('SUSPENDED');
  clock.advance(30_000);
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('cancelled');
});

it('keeps its state while it is paused', async () => {
  const kit = await openKit({ drivers: [asker] });
  const job = await kit.submit(asker);
  await kit.runUntilIdle();
  await job.pause();
  expect([job.paused, job.status]).toEqual([true, 'SUSPENDED']);
  const [question] = await job.waiting();
  await kit.answer(question?.id ?? '', 'Ann');
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('SUSPENDED');
  await job.resume();
  expect(await job.result()).toBe('Hello, Ann');
});

it('takes messages, and is started again by one', async () => {
  const kit = await openKit({ drivers: [collector, echo] });
  const job = await kit.submit(collector, { message: 'first' });
  await kit.runUntilIdle();
  await job.say('second');
  await job.say('stop');
  expect(await job.result()).toEqual(['first', 'second', 'stop']);
  await job.say('more');
  expect(job.status).toBe('STARTED');
  await kit.runUntilIdle();
  await job.say('stop');
  expect(await job.result()).toEqual(['more', 'stop']);
  const done = await kit.submit(echo);
  await done.result();
  await expect(done.say('hello')).rejects.toThrow(JobStateError);
  await job.say('again');
  await job.cancel();
  await kit.runUntilIdle();
  await expect(job.say('too late')).rejects.toThrow(JobStateError);
  await job.resume();
  await job.say('stop');
  expect(await job.result()).toEqual(['again', 'stop']);
});

it('is listed and counted by status, role, parent, label and time', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [echo, asker], clock });
  for (let index = 0; index < 5; index++) {
    await kit.submit(echo, { id: `echo ${index}`, labels: index % 2 === 0 ? ['even'] : ['odd', 'x'] });
    clock.advance(10);
  }
  await kit.submitAll(asker, [{ id: 'a' }, { id: 'b' }]);
  await kit.runUntilIdle();
  const ids = async (filter: Parameters<typeof kit.jobs>[0]) => (await kit.jobs(filter)).map(({ id }) => id);
  expect(await ids({ status: 'SUSPENDED' })).toEqual(['b', 'a']);
  expect(await ids({ role: 'echo', order: 'oldest', limit: 2 })).toEqual(['echo 0', 'echo 1']);
  expect(await ids({ label: 'odd' })).toEqual(['echo 3', 'echo 1']);
  expect(await ids({ outcome: 'completed', label: 'even', since: new Date(1015) })).toEqual(['echo 4', 'echo 2']);
  expect(await ids({ before: new Date(1010) })).toEqual(['echo 0']);
  expect(await kit.countJobs({ status: 'DONE' })).toBe(5);
  expect(await kit.countJobs({ role: 'echo', label: 'x' })).toBe(2);
  expect(await kit.countJobs({ outcome: 'completed', role: 'nobody' })).toBe(0);
  expect(await kit.countJobs({ outcome: 'completed', status: 'DONE' })).toBe(
    await kit.countJobs({ outcome: 'completed' }),
  );
  expect(await kit.countJobs({ outcome: 'completed', status: 'SUSPENDED' })).toBe(0);
  const page = await kit.jobPage({ limit: 4 });
  const rest = await kit.jobPage({ limit: 4, cursor: page.cursor });
  expect([page.jobs.length, rest.jobs.length, rest.cursor]).toEqual([4, 3, undefined]);
});

it('is deleted with everything that was kept of it', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [echo, asker], clock });
  const job = await kit.submit(echo, { id: 'gone' });
  const running = await kit.submit(asker);
  await kit.runUntilIdle();
  await expect(running.delete()).rejects.toThrow(JobStateError);
  await (await job.refresh()).delete();
  await expect(kit.job('gone')).rejects.toThrow(/no job/);
  expect((await kit.jobs()).map(({ id }) => id)).toEqual([running.id]);
  const kept = await kit.submit(echo, { id: 'kept', keepFor: 1000 });
  await kept.result();
  clock.advance(999);
  await kit.runUntilIdle();
  expect((await kept.refresh()).status).toBe('DONE');
  clock.advance(1);
  await kit.runUntilIdle();
  await expect(kit.job('kept')).rejects.toThrow(/no job/);
});

it('goes back to a commit and goes on from there', async () => {
  const kit = await openKit({ drivers: [asker] });
  const job = await kit.submit(asker, { vars: { greeting: 'Hi' } });
  await kit.runUntilIdle();
  const [latest] = await job.commits();
  const [question] = await job.waiting();
  await job.rollback(latest?.hash ?? '');
  await kit.answer(question?.id ?? '', 'Ben');
  expect(await job.result()).toBe('Hello, Ben');
  expect(await job.locals()).toMatchObject({ greeting: 'Hi', name: 'Ben' });
  expect(await job.local('name')).toBe('Ben');
});

it('is cancelled though somebody asks for it while it begins to wait', async () => {
  const waiter = program({ role: 'waiter', source: 'begun(); await sleep(1e9)' });
  let begun = (): void => undefined;
  const services = { begun: (): void => begun() };
  const kit = await openKit({ drivers: [waiter], services });
  const job = await kit.submit(waiter, { vars: services });
  begun = () => void job.cancel('now');
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('cancelled');
});
