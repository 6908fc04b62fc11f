// Snapshots of a kit's jobs are tagged commits, and recovering a job continues it from one.
import { describe, expect, it, onTestFinished } from 'vitest';
import { program, Statek, tool } from '../../src/index.ts';
import { AgentRecoveryManager } from '../../src/state.ts';
import { agentWith, stage } from '../agents/support/agents.ts';

describe.each(['typescript', 'python'] as const)('%s', (language) => {
  const code = (typescript: string, python: string): string =>
    language === 'python' ? `\`\`\`python\n${python}\n\`\`\`` : `\`\`\`ts\n${typescript}\n\`\`\``;

  it('has memory, tool state and conversation at one instant, and goes on from there', async () => {
    const look = tool({ name: 'look', execute: async ({ at }: { at: string }) => `${at} is free` });
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language, tools: [look] });
    const { kit } = await stage(
      [agent],
      [
        code("const found = await look({ at: 'red' }); let count = 1", "found = look(at='red')\ncount = 1"),
        'One.',
        code('count += 1', 'count += 1'),
        'Two.',
        code('count += 10', 'count += 10'),
        'Eleven.',
      ],
    );
    const job = await kit.submit(agent, { message: 'Begin.' });
    await job.result();
    const saved = await kit.agents.saveSnapshot({ agentId: job.id, metadata: { version: '1.0' } });
    expect(saved).toMatchObject({ snapshotId: 'snapshot_1', metadata: { version: '1.0' } });
    await expect(kit.agents.saveSnapshot({ agentId: job.id, memoryState: {} })).rejects.toMatchObject({
      code: 'STATE_ARGUMENT',
    });
    await job.say('Go on.');
    await job.result();
    expect(await job.local('count')).toBe(2);
    const snapshot = await kit.agents.getSnapshot(job.id);
    expect(snapshot.memoryState).toEqual({ found: 'red is free', count: 1 });
    expect(snapshot.toolState).toMatchObject([{ state: 'done', output: 'red is free' }]);
    const said = snapshot.conversationHistory as { kind: string; text?: string }[];
    expect(said.some(({ text }) => text === 'Begin.')).toBe(true);
    expect(said.some(({ text }) => text === 'Go on.')).toBe(false);
    const recovery = await kit.agents.recover(job.id, { from: 'latest' });
    expect(recovery).toMatchObject({ jobId: job.id, from: { kind: 'snapshot', id: 'snapshot_1' } });
    expect(await job.result()).toBe('Eleven.');
    expect(await job.local('count')).toBe(11);
  });

  it('recovers a failed agent by itself, so many times, and by one process', async () => {
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language });
    const { kit } = await stage(
      [agent],
      [
        code('let count = 1', 'count = 1'),
        'One.',
        () => Promise.reject(new Error('no such model')),
        code('count += 10', 'count += 10'),
        'Eleven.',
      ],
      { settings: { logLevel: 'silent' } },
    );
    const job = await kit.submit(agent, { message: 'Begin.' });
    await job.result();
    await kit.agents.saveCheckpoint({ agentId: job.id, checkpointId: 'begun' });
    await job.say('Go on.');
    await expect(job.result()).rejects.toThrow('no such model');
    const options = { agentStore: kit.agents, autoRecover: true, backoff: { initial: 10 } };
    const [first, second] = [new AgentRecoveryManager(options), new AgentRecoveryManager(options)];
    expect(await first.canRecover(job.id)).toMatchObject({ recoverable: true });
    await Promise.all([first.register(job.id), second.register(job.id)]);
    while ((await first.getFailureStats(job.id)).recoveries === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await job.result()).toBe('Eleven.');
    expect(await job.local('count')).toBe(11);
    expect(await second.getFailureStats(job.id)).toMatchObject({ failures: 1, attempts: 1, recoveries: 1 });
    await Promise.all([first.close(), second.close()]);
  });
});

it('goes on as another job where the driver cannot start it again', async () => {
  const trip = program({
    role: 'trip',
    source: "const a = await ask('When?'); if (a === 'no') throw new Error('stay'); a",
  });
  const kit = await Statek.open({ store: 'memory:', drivers: [trip] });
  onTestFinished(() => kit.close());
  const job = await kit.submit(trip);
  await kit.runUntilIdle();
  const { commit } = await kit.agents.saveCheckpoint({ agentId: job.id });
  expect(commit).toBe((await job.commits())[0]?.hash);
  await kit.answer((await job.waiting())[0]?.id ?? '', 'no');
  await expect(job.result()).rejects.toThrow('stay');
  const { jobId } = await kit.agents.recover(job.id);
  expect(jobId).not.toBe(job.id);
  const fork = await kit.job(jobId ?? '');
  await expect(fork.result()).rejects.toThrow('stay');
});

it('does not go on by itself after a call of unknown outcome', async () => {
  const { OutcomeUnknownError } = await import('../../src/workspace/errors.ts');
  const pay = tool({
    name: 'pay',
    execute: async () => {
      throw new OutcomeUnknownError('The line went dead.');
    },
  });
  const trip = program({ role: 'trip', source: "await ask('Pay?'); await pay({})" });
  const kit = await Statek.open({ store: 'memory:', drivers: [trip], services: { pay } });
  onTestFinished(() => kit.close());
  const job = await kit.submit(trip, { vars: { pay } });
  await kit.runUntilIdle();
  expect((await kit.agents.saveCheckpoint({ agentId: job.id })).recoverable).toBe(true);
  await kit.answer((await job.waiting())[0]?.id ?? '', 'yes');
  await expect(job.result()).rejects.toThrow('dead');
  expect((await kit.agents.getCheckpoint(job.id)).recoverable).toBe(false);
  const recovery = new AgentRecoveryManager({ agentStore: kit.agents });
  expect(await recovery.canRecover(job.id)).toMatchObject({ recoverable: false, reason: 'outcome' });
  await expect(recovery.recover(job.id)).rejects.toMatchObject({ code: 'AGENT_RECOVERY' });
  expect((await kit.tools.getToolStats('pay')).unknown).toBe(1);
  await recovery.close();
});

it('lists the agents of the kit', async () => {
  const { kit } = await stage([agentWith({ role: 'clerk' })], []);
  expect(kit.agents.list().map(({ role }) => role)).toEqual(['clerk']);
});
