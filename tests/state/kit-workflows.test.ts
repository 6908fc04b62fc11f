// Jobs of a kit as workflows: computed status, commands that reach the real job, checkpoints that are commits.
import { describe, expect, it, onTestFinished } from 'vitest';
import { program, Statek, tool } from '../../src/index.ts';
import { agentWith, stage } from '../agents/support/agents.ts';

async function kitWith(source: string, options: Partial<Parameters<typeof Statek.open>[0]> = {}) {
  const trip = program<string>({ role: 'trip', source });
  const kit = await Statek.open({ store: 'memory:', drivers: [trip], ...options });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  return { kit, trip };
}

it('computes the status from the job', async () => {
  const { kit, trip } = await kitWith("const day = await ask('When?'); `On ${day}`");
  const { id } = await kit.submit(trip, { id: 'trip' });
  expect(await kit.workflows.getStatus(id)).toBe('pending');
  await kit.runUntilIdle();
  expect(await kit.workflows.get(id)).toMatchObject({
    workflowId: 'trip',
    name: 'trip',
    source: 'job',
    status: 'waiting',
    currentStep: 1,
    totalSteps: 1,
    steps: [{ stepNumber: 1, name: "const day = await ask('When?'); `On ${day}`", status: 'waiting' }],
  });
  const job = await kit.job(id);
  const [question] = await job.waiting();
  await kit.answer(question?.id ?? '', 'Friday');
  await job.result();
  const done = await kit.workflows.get(id);
  expect(done).toMatchObject({
    status: 'completed',
    progress: 1,
    steps: [{ status: 'completed', result: 'On Friday' }],
  });
  expect(await kit.workflows.getProgress(id)).toMatchObject({ completedSteps: 1, progress: 1 });
  await expect(kit.workflows.pause(id)).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await expect(kit.workflows.cancel(id)).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await expect(kit.workflows.updateStep(id, { stepNumber: 1, status: 'failed' })).rejects.toMatchObject({
    code: 'STATE_ARGUMENT',
  });
  await expect(kit.workflows.create({ workflowId: id, totalSteps: 1 })).rejects.toMatchObject({
    code: 'STATE_CONFLICT',
  });
});

it('stops claims while it is paused', async () => {
  const { kit, trip } = await kitWith('7 * 6');
  const { id } = await kit.submit(trip);
  expect((await kit.workflows.pause(id)).status).toBe('paused');
  await kit.runUntilIdle();
  expect(await kit.workflows.getStatus(id)).toBe('paused');
  expect((await kit.workflows.resume(id)).status).toBe('pending');
  expect(await (await kit.job(id)).result()).toBe(42);
});

it('aborts what runs when it is cancelled, with the reason', async () => {
  const reason = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const wait = tool({
    name: 'wait',
    execute: async (_input: object, { abortSignal }) => {
      begun.resolve();
      await new Promise<void>((resolve) => abortSignal.addEventListener('abort', () => resolve()));
      reason.resolve(abortSignal.reason);
    },
  });
  const { kit, trip } = await kitWith('await wait({})', { services: { wait } });
  kit.start();
  const job = await kit.submit(trip, { vars: { wait } });
  await begun.promise;
  expect(await kit.workflows.getStatus(job.id)).toBe('waiting');
  await kit.workflows.cancel(job.id, 'User requested cancellation');
  expect(await reason.promise).toMatchObject({ code: 'CANCELLED', message: 'User requested cancellation' });
  await expect(job.result()).rejects.toThrow('User requested cancellation');
  expect(await kit.workflows.get(job.id)).toMatchObject({ status: 'cancelled', reason: 'User requested cancellation' });
});

it('goes on from a checkpoint as another job, which is the same job for the same id', async () => {
  const { kit, trip } = await kitWith("const a = await ask('First?'); const b = await ask('Second?'); a + b");
  const job = await kit.submit(trip, { id: 'trip' });
  await expect(kit.workflows.checkpoint('trip')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await kit.runUntilIdle();
  await kit.answer((await job.waiting())[0]?.id ?? '', 'x');
  await kit.runUntilIdle();
  const checkpoint = await kit.workflows.checkpoint('trip', { checkpointId: 'after_first', context: { by: 'me' } });
  expect(checkpoint).toMatchObject({ number: 1, step: 1, context: { by: 'me' } });
  expect(checkpoint.commit).toBe((await job.commits())[0]?.hash);
  expect((await (await job.workspace()).tags()).map(({ name }) => name)).toEqual(['workflow:after_first']);
  const fork = await kit.workflows.resumeFrom(checkpoint, undefined, { id: 'second' });
  expect(fork).toMatchObject({ workflowId: 'second', resumedFrom: { workflowId: 'trip' } });
  expect((await kit.workflows.resumeFrom('trip', 'after_first', { id: 'second' })).workflowId).toBe('second');
  await expect(kit.workflows.resumeFrom('trip', 'none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
  await kit.answer((await job.waiting())[0]?.id ?? '', 'y');
  expect([await job.result(), await (await kit.job('second')).result()]).toEqual(['xy', 'xy']);
  expect(await kit.workflows.listCheckpoints('trip')).toHaveLength(1);
});

it('lists jobs and reported workflows together, the latest first', async () => {
  const { kit, trip } = await kitWith('1');
  await kit.submit(trip, { id: 'job-1' });
  await kit.runUntilIdle();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await kit.workflows.create({ workflowId: 'reported', totalSteps: 2 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await kit.submit(trip, { id: 'job-2' });
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await kit.workflows.list({ limit: 1, cursor });
    ids.push(...page.workflows.map(({ workflowId, status }) => `${workflowId} ${status}`));
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(ids).toEqual(['job-2 pending', 'reported pending', 'job-1 completed']);
  expect((await kit.workflows.list({ status: 'completed' })).workflows).toHaveLength(1);
});

it('tells subscribers of a job until it is over', async () => {
  const { kit, trip } = await kitWith("await ask('When?')");
  const { id } = await kit.submit(trip);
  const seen: string[] = [];
  const done = Promise.withResolvers<void>();
  await kit.workflows.subscribe(id, ({ status }) => {
    seen.push(status);
    if (status === 'completed') done.resolve();
  });
  kit.start();
  const job = await kit.job(id);
  let question;
  while (question === undefined) [question] = await job.waiting();
  await kit.answer(question.id, 'now');
  await done.promise;
  expect(seen.at(-1)).toBe('completed');
});

describe.each(['typescript', 'python'] as const)('agents in %s', (language) => {
  const fence = language === 'python' ? 'python' : 'ts';

  it('resumes an agent from a checkpoint without a new message', async () => {
    const code = (typescript: string, python: string): string =>
      `\`\`\`${fence}\n${language === 'python' ? python : typescript}\n\`\`\``;
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language });
    const { kit } = await stage(
      [agent],
      [code('let rooms = 1', 'rooms = 1'), 'One room.', code('rooms += 10', 'rooms += 10'), 'Eleven rooms.'],
    );
    const job = await kit.submit(agent, { message: 'Count.' });
    expect(await job.result()).toBe('One room.');
    await kit.workflows.checkpoint(job.id, { checkpointId: 'one' });
    const fork = await kit.workflows.resumeFrom(job.id, 'one');
    const second = await kit.job(fork.workflowId);
    expect(await second.result()).toBe('Eleven rooms.');
    expect([await job.local('rooms'), await second.local('rooms')]).toEqual([1, 11]);
    const state = await kit.workflows.get(second.id);
    expect(state).toMatchObject({ status: 'completed', totalSteps: 2 });
    expect(state.steps.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect((await kit.workflows.get(job.id)).totalSteps).toBe(1);
  });

  it('leaves out steps that a rollback took back', async () => {
    const code = (text: string): string => `\`\`\`${fence}\n${text}\n\`\`\``;
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language });
    const { kit } = await stage(
      [agent],
      [code('rooms = 1'), 'One.', code('rooms = 2'), 'Two.'].map((text) =>
        language === 'typescript' ? text.replace('rooms =', 'globalThis.rooms =') : text,
      ),
    );
    const job = await kit.submit(agent, { message: 'Count.' });
    await job.result();
    const [first] = await job.commits();
    await job.say('Again.');
    await job.result();
    expect((await kit.workflows.get(job.id)).totalSteps).toBe(2);
    await job.rollback(first?.hash ?? '');
    expect((await kit.workflows.get(job.id)).totalSteps).toBe(1);
  });
});
