// A fork waits for what its origin waits for. What becomes of one of the two is not the other's business.
import { expect, it, onTestFinished } from 'vitest';
import { program, tool } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';

const asking = program<string>({
  role: 'asking',
  source: "try { const name = await ask('Who?'); exit('Hello, ' + name); } finally { print('cleaned up'); }",
});

async function forked() {
  const kit = await openKit({ drivers: [asking] });
  const origin = await kit.submit(asking, { id: 'origin' });
  await kit.runUntilIdle();
  const fork = await origin.fork(undefined, { id: 'fork' });
  return { kit, origin, fork };
}

it.each([
  ['after the fork has run', true],
  ['before the fork has run', false],
])('of a job that is cancelled go on in its fork, %s', async (_, isFirst) => {
  const { kit, origin, fork } = await forked();
  if (isFirst) await kit.runUntilIdle();
  await origin.cancel('enough');
  await kit.runUntilIdle();
  expect((await origin.refresh()).outcome).toBe('cancelled');
  expect(await origin.console()).toEqual(['cleaned up']);
  expect((await fork.refresh()).status).toBe('SUSPENDED');
  await kit.answer('origin/1', 'Ann');
  expect(await fork.result()).toBe('Hello, Ann');
});

it('of a fork that is cancelled go on in its origin, and the fork ends at once', async () => {
  const { kit, origin, fork } = await forked();
  await kit.runUntilIdle();
  await fork.cancel('enough');
  await kit.runUntilIdle();
  expect((await fork.refresh()).outcome).toBe('cancelled');
  expect(await fork.console()).toEqual(['cleaned up']);
  expect((await origin.refresh()).status).toBe('SUSPENDED');
  await kit.answer('origin/1', 'Ann');
  expect(await origin.result()).toBe('Hello, Ann');
});

it('are over when everybody who waited was cancelled', async () => {
  const { kit, origin, fork } = await forked();
  await origin.cancel();
  await kit.runUntilIdle();
  await fork.cancel();
  await kit.runUntilIdle();
  for await (const { id } of kit.pending()) expect(id).toBe('nobody waits');
  await expect(kit.answer('origin/1', 'Ann')).rejects.toMatchObject({ code: 'WORKSPACE_STATE' });
});

it('keep a job from being deleted as long as its fork waits', async () => {
  const { kit, origin, fork } = await forked();
  await origin.cancel();
  await kit.runUntilIdle();
  await expect(origin.delete()).rejects.toThrow(
    "The job 'origin' cannot be deleted: its fork 'fork' waits for the same as it did, ask 'Who?'.",
  );
  await kit.answer('origin/1', 'Ann');
  expect(await fork.result()).toBe('Hello, Ann');
  await origin.delete();
  expect((await kit.verify()).problems).toEqual([]);
});

it('postpone the deletion of a job that was to be kept for a while only', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [asking], clock, keepJobsFor: 5000 });
  const origin = await kit.submit(asking, { id: 'origin' });
  await kit.runUntilIdle();
  const fork = await origin.fork(undefined, { id: 'fork' });
  await origin.cancel();
  await kit.runUntilIdle();
  clock.advance(60_000);
  await kit.runUntilIdle();
  await kit.answer('origin/1', 'Ann');
  await kit.runUntilIdle();
  expect(await fork.result()).toBe('Hello, Ann');
  clock.advance(24 * 3_600_000);
  await kit.runUntilIdle();
  await expect(kit.job('origin')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

/** A job whose call is under way, and its fork. */
async function calling() {
  const gate = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const pay = tool({
    name: 'pay',
    execute: async (_: string, { abortSignal }) => {
      signals.push(abortSignal);
      const aborted = new Promise<never>((_resolve, reject) => {
        abortSignal.addEventListener('abort', () => reject(abortSignal.reason as Error));
      });
      return Promise.race([gate.promise, aborted]);
    },
  });
  const paying = program({ role: 'paying', source: "await pay('rent')" });
  const kit = await openKit({ drivers: [paying], services: { pay } });
  const worker = kit.start();
  onTestFinished(() => worker.stop());
  const origin = await kit.submit(paying, { id: 'origin', vars: { pay } });
  await expect.poll(() => signals.length).toBe(1);
  return { gate, signals, origin, fork: await origin.fork(undefined, { id: 'fork' }) };
}

it('for a call that is under way go on when the fork is cancelled', async () => {
  const { gate, signals, origin, fork } = await calling();
  await fork.cancel('enough');
  await expect.poll(async () => (await fork.refresh()).outcome).toBe('cancelled');
  expect(signals[0]?.aborted).toBe(false);
  gate.resolve('paid');
  expect(await origin.result()).toBe('paid');
  expect(signals.length).toBe(1);
});

it('for a call that is under way end for both when the job that makes it is cancelled', async () => {
  const { signals, origin, fork } = await calling();
  await origin.cancel('enough');
  await expect.poll(async () => (await origin.refresh()).outcome).toBe('cancelled');
  expect(signals[0]?.aborted).toBe(true);
  await expect(fork.result()).rejects.toThrow("The job 'fork' (paying) failed");
  expect(signals.length).toBe(1);
});

it('for a call that somebody has to approve go on in the fork, which makes it', async () => {
  let made = 0;
  const pay = tool({ name: 'pay', approval: 'always', execute: async (what: string) => `${what} ${++made}` });
  const paying = program({ role: 'paying', source: "await pay('rent')" });
  const kit = await openKit({ drivers: [paying], services: { pay } });
  const origin = await kit.submit(paying, { id: 'origin', vars: { pay } });
  await kit.runUntilIdle();
  const fork = await origin.fork(undefined, { id: 'fork' });
  await origin.cancel();
  await kit.runUntilIdle();
  await kit.approve('origin/1');
  expect(await fork.result()).toBe('rent 1');
});

it('for a child go on in its fork, whose parent was cancelled', async () => {
  const parent = program({ role: 'parent', source: "await delegate('asking')" });
  const kit = await openKit({ drivers: [asking, parent] });
  const origin = await kit.submit(parent, { id: 'origin' });
  await kit.runUntilIdle();
  const fork = await origin.fork(undefined, { id: 'fork' });
  await origin.cancel();
  await kit.runUntilIdle();
  for await (const { id } of kit.pending({ kind: 'ask' })) await kit.answer(id, 'Ann');
  expect(await fork.result()).toBe('Hello, Ann');
});
