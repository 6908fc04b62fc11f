import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { WorkflowStatus } from './records.ts';
import { WorkflowStateManager, type WorkflowStateManagerOptions } from './workflow-state-manager.ts';

function opened(options: WorkflowStateManagerOptions = {}): { workflows: WorkflowStateManager; clock: ManualClock } {
  const clock = new ManualClock(1_000_000);
  const workflows = new WorkflowStateManager({ clock, ...options });
  onTestFinished(() => workflows.close());
  return { workflows, clock };
}

async function complete(workflows: WorkflowStateManager, id: string, from: number, to: number): Promise<void> {
  for (let stepNumber = from; stepNumber <= to; stepNumber++)
    await workflows.updateStep(id, { stepNumber, status: 'completed', result: stepNumber });
}

describe('steps', () => {
  it('derives status, current step and progress', async () => {
    const { workflows, clock } = opened();
    const made = await workflows.create({
      workflowId: 'research_pipeline',
      status: WorkflowStatus.PENDING,
      totalSteps: 4,
      currentStep: 0,
      steps: ['collect'],
      context: { topic: 'rooms' },
    });
    expect(made).toMatchObject({ status: 'pending', currentStep: 0, progress: 0, context: { topic: 'rooms' } });
    await workflows.updateStep('research_pipeline', { stepNumber: 1, status: 'running' });
    clock.advance(5400);
    const step = await workflows.updateStep('research_pipeline', {
      stepNumber: 1,
      status: 'completed',
      result: { documents: 150 },
    });
    expect(step).toEqual({
      stepNumber: 1,
      name: 'collect',
      status: 'completed',
      result: { documents: 150 },
      error: undefined,
      durationMs: 5400,
      startedAt: new Date(clock.now() - 5400),
      completedAt: new Date(clock.now()),
    });
    expect(await workflows.get('research_pipeline')).toMatchObject({
      status: 'running',
      currentStep: 1,
      progress: 0.25,
    });
    await workflows.updateStep('research_pipeline', { stepNumber: 2, status: 'waiting' });
    expect(await workflows.getStatus('research_pipeline')).toBe(WorkflowStatus.WAITING);
    await workflows.updateStep('research_pipeline', { stepNumber: 2, status: 'failed', error: 'no access' });
    expect(await workflows.get('research_pipeline')).toMatchObject({ status: 'failed', reason: 'no access' });
    await workflows.updateStep('research_pipeline', { stepNumber: 2, status: 'skipped' });
    await complete(workflows, 'research_pipeline', 3, 4);
    expect(await workflows.getProgress('research_pipeline')).toMatchObject({
      status: 'completed',
      completedSteps: 4,
      progress: 1,
      remainingMs: 0,
    });
  });

  it('refuses what cannot follow', async () => {
    const { workflows } = opened();
    await workflows.create({ workflowId: 'w', totalSteps: 2 });
    await expect(workflows.create({ workflowId: 'w', totalSteps: 2 })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    await expect(workflows.create({ totalSteps: 2, status: 'running' } as never)).rejects.toMatchObject({
      code: 'STATE_ARGUMENT',
    });
    await expect(workflows.updateStep('w', { stepNumber: 3, status: 'running' })).rejects.toThrow('from 1 to 2');
    await complete(workflows, 'w', 1, 1);
    await complete(workflows, 'w', 1, 1);
    await expect(workflows.updateStep('w', { stepNumber: 1, status: 'completed', result: 9 })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    await expect(workflows.updateStep('w', { stepNumber: 1, status: 'running' })).rejects.toThrow(
      "Step 1 of the workflow 'w' is completed and cannot become running",
    );
    await complete(workflows, 'w', 2, 2);
    await expect(workflows.pause('w')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
    await expect(workflows.cancel('w', 'late')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
    await expect(workflows.resume('w')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
    await expect(workflows.get('x')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
    expect(await workflows.find('x')).toBeUndefined();
  });

  it('takes a report with an idempotency key once', async () => {
    const { workflows } = opened();
    await workflows.create({ workflowId: 'w', totalSteps: 2, idempotencyKey: 'new' });
    await workflows.create({ workflowId: 'w', totalSteps: 2, idempotencyKey: 'new' });
    const running = { stepNumber: 1, status: 'running' as const };
    await workflows.updateStep('w', running, { idempotencyKey: 'begin' });
    await complete(workflows, 'w', 1, 1);
    expect(await workflows.updateStep('w', running, { idempotencyKey: 'begin' })).toMatchObject({
      status: 'completed',
    });
    await expect(
      workflows.updateStep('w', { stepNumber: 2, status: 'running' }, { idempotencyKey: 'begin' }),
    ).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  });

  it('lets no step begin while it is paused, and nothing happen once it is cancelled', async () => {
    const { workflows } = opened();
    await workflows.create({ workflowId: 'w', totalSteps: 3 });
    await workflows.updateStep('w', { stepNumber: 1, status: 'running' });
    expect((await workflows.pause('w')).status).toBe('paused');
    expect((await workflows.pause('w')).status).toBe('paused');
    await complete(workflows, 'w', 1, 1);
    await expect(workflows.updateStep('w', { stepNumber: 2, status: 'running' })).rejects.toThrow('paused');
    expect((await workflows.resume('w')).status).toBe('running');
    await workflows.updateStep('w', { stepNumber: 2, status: 'running' });
    expect(await workflows.cancel('w', 'User requested cancellation')).toMatchObject({
      status: 'cancelled',
      reason: 'User requested cancellation',
    });
    await expect(workflows.updateStep('w', { stepNumber: 2, status: 'completed' })).rejects.toThrow('cancelled');
  });
});

describe('checkpoints', () => {
  it('are made every five completed steps', async () => {
    const { workflows } = opened({ checkpointInterval: 5 });
    await workflows.create({ workflowId: 'w', totalSteps: 12, context: { a: 1 } });
    await complete(workflows, 'w', 1, 12);
    const checkpoints = await workflows.listCheckpoints('w');
    expect(checkpoints.map(({ checkpointId, number, step }) => [checkpointId, number, step])).toEqual([
      ['step_5_complete', 1, 5],
      ['step_10_complete', 2, 10],
    ]);
    expect(checkpoints[0]?.state).toMatchObject({ status: 'running', currentStep: 5, context: { a: 1 } });
  });

  it('are kept by number, not by the order of their names', async () => {
    const { workflows } = opened({ keepCheckpoints: 3 });
    await workflows.create({ workflowId: 'w', totalSteps: 1 });
    for (let number = 1; number <= 12; number++) await workflows.checkpoint('w');
    const kept = await workflows.listCheckpoints('w');
    expect(kept.map(({ number, checkpointId }) => [number, checkpointId])).toEqual([
      [10, 'checkpoint_10'],
      [11, 'checkpoint_11'],
      [12, 'checkpoint_12'],
    ]);
  });

  it('are where another workflow begins', async () => {
    const { workflows } = opened();
    await workflows.create({ workflowId: 'w', totalSteps: 3 });
    await complete(workflows, 'w', 1, 1);
    await workflows.updateStep('w', { stepNumber: 2, status: 'running' });
    const checkpoint = await workflows.checkpoint('w', { checkpointId: 'half', context: { seen: 7 } });
    await expect(workflows.checkpoint('w', { checkpointId: 'half' })).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    await workflows.updateStep('w', { stepNumber: 2, status: 'failed', error: 'no' });
    const resumed = await workflows.resumeFrom('w', 'half', { id: 'second' });
    expect(resumed).toMatchObject({
      workflowId: 'second',
      status: 'running',
      currentStep: 1,
      context: { seen: 7 },
      resumedFrom: { workflowId: 'w', checkpointId: 'half' },
    });
    expect((await workflows.resumeFrom(checkpoint, undefined, { id: 'second' })).workflowId).toBe('second');
    expect((await workflows.get('w')).status).toBe('failed');
    await expect(workflows.resumeFrom('w', 'none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
    await complete(workflows, 'second', 2, 3);
    expect((await workflows.get('second')).status).toBe('completed');
  });
});

it('lists workflows by status, page by page', async () => {
  const { workflows, clock } = opened();
  for (let number = 1; number <= 25; number++) {
    clock.advance(1);
    await workflows.create({ workflowId: `w${number}`, totalSteps: 1 });
    if (number % 2 === 0) await complete(workflows, `w${number}`, 1, 1);
  }
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await workflows.list({ limit: 10, cursor });
    ids.push(...page.workflows.map(({ workflowId }) => workflowId));
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => `w${25 - index}`));
  expect((await workflows.list({ status: 'completed' })).workflows).toHaveLength(12);
  expect(
    (await workflows.list({ status: 'completed', limit: 2 })).workflows.map(({ workflowId }) => workflowId),
  ).toEqual(['w24', 'w22']);
  await expect(workflows.list({ cursor: 'x' })).rejects.toMatchObject({ code: 'STATE_ARGUMENT' });
});

it('tells subscribers of changes in order, whatever one of them does', async () => {
  const { workflows } = opened();
  await workflows.create({ workflowId: 'w', totalSteps: 3 });
  await workflows.create({ workflowId: 'other', totalSteps: 1 });
  const seen: number[] = [];
  const errors: unknown[] = [];
  const done = Promise.withResolvers<void>();
  await workflows.subscribe('w', () => Promise.reject(new Error('mine')), { onError: (error) => errors.push(error) });
  const stop = await workflows.subscribe('w', ({ currentStep, status }) => {
    seen.push(currentStep);
    if (status === 'completed') done.resolve();
  });
  await complete(workflows, 'other', 1, 1);
  await complete(workflows, 'w', 1, 3);
  await done.promise;
  stop();
  expect(seen.at(-1)).toBe(3);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(errors.length).toBeGreaterThan(0);
});
