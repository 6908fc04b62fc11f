// Limits of time, memory and output: for an agent, for one job, from the environment, and while a job waits.
import { expect, it } from 'vitest';
import { workspaceRows } from '../../src/workspace/rows.ts';
import { InvalidOptionError, type JobLimits, type StatekOptions } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

async function limitsOf(agent: Partial<JobLimits>, job: Partial<JobLimits>, options: Partial<StatekOptions> = {}) {
  const made = await played({ limits: agent }, [ts('exit()')], { message: 'x', limits: job }, options);
  const [entry] = await made.kit.store.read(workspaceRows, [[made.job.id]]);
  return entry?.value.limits;
}

it('sets slice, heap and console limits for an agent, a single job and the environment', async () => {
  expect(await limitsOf({ sliceMilliseconds: 300, heapBytes: 2 ** 25 }, { heapBytes: 2 ** 26 })).toMatchObject({
    softCpuMilliseconds: 300,
    hardCpuMilliseconds: 600,
    heapBytes: 2 ** 26,
  });
  const settings = { limits: { consoleBytes: 5000, sliceMilliseconds: 'unlimited' as const } };
  expect(await limitsOf({}, {}, { settings })).toMatchObject({ consoleBytes: 5000, softCpuMilliseconds: 3_600_000 });
  expect(await limitsOf({}, { consoleBytes: 7000 }, { settings })).toMatchObject({ consoleBytes: 7000 });
});

it('leaves limits of the kit as they are where nobody says anything', async () => {
  expect(await limitsOf({}, {}, { limits: { consoleBytes: 999, heapBytes: 2 ** 24 } })).toMatchObject({
    consoleBytes: 999,
    heapBytes: 2 ** 24,
  });
});

it('refuses limits that no workspace can have', async () => {
  await expect(limitsOf({}, { heapBytes: 10 })).rejects.toThrow(InvalidOptionError);
  await expect(limitsOf({ turns: 0 }, {})).rejects.toThrow("The limit 'turns'");
});

it('stops a slice of one job at its own limit, and the job goes on', async () => {
  const { model, job } = await played({}, [ts('for (;;);'), ts('exit("after")')], {
    message: 'x',
    limits: { sliceMilliseconds: 50 },
  });
  expect(lastMessage(model, 2)).toContain('LimitError');
  expect(await job.result()).toBe('after');
});

it('cuts the console of one job at its own limit', async () => {
  const { job } = await played({}, [ts('for (let i = 0; i < 100; i++) print("0123456789")'), ts('exit()')], {
    message: 'x',
    limits: { consoleBytes: 50 },
  });
  expect((await job.console()).join('').length).toBeLessThan(200);
});

it('ends a job whose time is over while it waits, and goes on with the same step when it is resumed', async () => {
  const clock = new ManualClock(0);
  const script = [ts('const paid = await signal("paid");', 'print(paid)'), ts('exit(paid)')];
  const { kit, job } = await played({ limits: { seconds: 60 } }, script, { message: 'x' }, { clock });
  expect(job.status).toBe('SUSPENDED');
  clock.advance(59_000);
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('SUSPENDED');
  clock.advance(2000);
  await kit.runUntilIdle();
  await job.refresh();
  expect([job.status, job.outcome, job.error?.code]).toEqual(['DONE', 'limit', 'LIMIT']);
  await job.resume();
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('SUSPENDED');
  clock.advance(30_000);
  await kit.signal('paid', 'much');
  await kit.runUntilIdle();
  expect(await job.result()).toBe('much');
});

it('ends a job that was resumed and waits too long again', async () => {
  const clock = new ManualClock(0);
  const { kit, job } = await played(
    { limits: { seconds: 60 } },
    [ts('await signal("x")')],
    { message: 'x' },
    { clock },
  );
  for (const _ of [1, 2]) {
    clock.advance(61_000);
    await kit.runUntilIdle();
    expect((await job.refresh()).outcome).toBe('limit');
    await job.resume();
    await kit.runUntilIdle();
    expect((await job.refresh()).status).toBe('SUSPENDED');
  }
});

it('does not wait for a model when the time of the job is over', async () => {
  const agent = agentWith({ limits: { seconds: 1 } });
  let asked: (() => void) | undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const { kit } = await stage(
    [agent],
    [
      async () => {
        asked?.();
        return new Promise<never>(() => undefined);
      },
    ],
  );
  const worker = kit.start();
  const job = await kit.submit(agent, { message: 'x' });
  await isAsked;
  await expect(job.result()).rejects.toThrow('longer than its time limit');
  await worker.stop({ graceMilliseconds: 0 });
});

it('counts no time of the warmup', async () => {
  const clock = new ManualClock(0);
  const { kit, job, model } = await played(
    { limits: { seconds: 60 } },
    [ts('exit("in time")')],
    { message: 'x', warmup: 'await signal("go")' },
    { clock },
  );
  clock.advance(3_600_000);
  await kit.runUntilIdle();
  expect([(await job.refresh()).status, model.requests.length]).toEqual(['SUSPENDED', 0]);
  await kit.signal('go');
  await kit.runUntilIdle();
  expect(await job.result()).toBe('in time');
});

it('gives no slice more time than its whole job has', async () => {
  expect(await limitsOf({ seconds: 1 }, {})).toMatchObject({ softCpuMilliseconds: 1000, hardCpuMilliseconds: 2000 });
});
