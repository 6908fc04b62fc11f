// Everything that managers keep can be watched: by pattern, with what was before, from a revision on, and across outages.
import { expect, it, onTestFinished } from 'vitest';
import { program, Statek, tool } from '../../src/index.ts';
import {
  AgentRecoveryManager,
  AgentStateStore,
  KnowledgeStateManager,
  OrchestrationStateManager,
  SpeechStateManager,
  ToolStateManager,
  WorkflowStateManager,
} from '../../src/state.ts';
import { StoreAround } from '../../src/store/around/store-around.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openStore } from '../../src/store/open.ts';
import type { ChangeSet, FollowOptions } from '../../src/store/store.ts';

class Flaky extends StoreAround {
  isDown = false;
  override async *follow(options?: FollowOptions): AsyncGenerator<ChangeSet, void, undefined> {
    for await (const set of super.follow(options)) {
      if (this.isDown) throw new StoreUnavailableError('The store went away.');
      yield set;
    }
  }
}

/** A list that a test waits for. */
class Told {
  readonly lines: string[] = [];
  add(line: unknown): void {
    this.lines.push(JSON.stringify(line));
  }
  missing(...lines: readonly unknown[]): () => readonly string[] {
    const wanted = lines.map((line) => JSON.stringify(line));
    return () => wanted.filter((line) => !this.lines.includes(line));
  }
}

async function flaky(): Promise<Flaky> {
  const store = new Flaky(await openStore('memory:'), true);
  onTestFinished(() => store.close());
  return store;
}

function kept<Manager extends { close(): Promise<void> }>(manager: Manager): Manager {
  onTestFinished(() => manager.close());
  return manager;
}

it('tells what changed and what was before, and goes on after an outage', async () => {
  const store = await flaky();
  const outages: string[] = [];
  const options = { onError: (error: unknown) => void outages.push((error as Error).message) };
  const workflows = kept(new WorkflowStateManager({ store }));
  const knowledge = kept(new KnowledgeStateManager({ store }));
  const tools = kept(new ToolStateManager({ store }));
  const agents = kept(new AgentStateStore({ store }));
  const recovery = kept(new AgentRecoveryManager({ agentStore: agents }));
  const teams = kept(new OrchestrationStateManager({ store }));
  const speech = kept(new SpeechStateManager({ store }));
  const told = new Told();
  await workflows.create({ workflowId: 'one', totalSteps: 4 });
  await workflows.create({ workflowId: 'two', totalSteps: 4 });
  await teams.createTeam({ teamId: 't' });
  await speech.createSession({ sessionId: 's' });
  const before = await store.revision();
  await workflows.subscribe('o*', (now, was) => told.add([now.workflowId, was?.currentStep, now.currentStep]), options);
  await knowledge.subscribe('*', (now, was) => told.add([was?.processedDocuments, now.processedDocuments]), options);
  await tools.subscribe('search*', (now, was) => told.add([now.executionId, was?.status, now.status]), options);
  await agents.subscribe('a', (saved) => told.add(saved.kind === 'checkpoint' && saved.checkpoint.step), options);
  await recovery.subscribe('a', (now, was) => told.add(['failures', was?.failures, now.failures]), options);
  teams.subscribe('t', (event) => told.add([event.kind, event.kind === 'task' && event.task?.status]), {
    ...options,
    since: before,
  });
  speech.subscribe('s', (event) => told.add(event.kind === 'segment' && event.segment.text), {
    ...options,
    since: before,
  });
  const act = async (number: number): Promise<void> => {
    for (const workflowId of ['one', 'two'])
      await workflows.updateStep(workflowId, { stepNumber: number, status: 'running' });
    await knowledge.updateIndexingProgress({ knowledgeBaseId: 'b', status: 'in_progress', processedDocuments: number });
    for (const toolName of ['search', 'book']) {
      await tools.startExecution({ executionId: `${toolName} ${number}`, toolName });
      await tools.completeExecution(`${toolName} ${number}`, {});
    }
    await agents.saveCheckpoint({ agentId: 'a', step: number });
    await agents.saveCheckpoint({ agentId: 'other', step: 100 + number });
    await recovery.onFailure('a', 'x');
    await teams.enqueueTask('t', { taskId: `task ${number}` });
    await speech.addTranscription('s', { text: `said ${number}` });
  };
  await act(1);
  await expect
    .poll(told.missing(['one', null, 1], [null, 1], 1, ['failures', null, 1], ['task', 'pending'], 'said 1'))
    .toEqual([]);
  store.isDown = true;
  await act(2);
  await expect.poll(() => outages.length).toBeGreaterThanOrEqual(7);
  store.isDown = false;
  await expect
    .poll(told.missing(['one', 1, 2], [1, 2], ['search 2', null, 'completed'], 2, ['failures', 1, 2], 'said 2'))
    .toEqual([]);
  expect(told.lines.filter((line) => /two|book|10\d/.test(line))).toEqual([]);
  expect(new Set(outages)).toEqual(new Set(['The store went away.']));
});

it('goes on from a revision, each change at least once, and ends when it is told to', async () => {
  const workflows = kept(new WorkflowStateManager({ store: 'memory:' }));
  await workflows.create({ workflowId: 'w', totalSteps: 9 });
  const told = new Told();
  let revision = 0;
  const listen = () =>
    workflows.subscribe(
      'w',
      (now, _, context) => {
        ({ revision } = context);
        told.add(now.currentStep);
      },
      { since: revision },
    );
  let stop = await listen();
  await workflows.updateStep('w', { stepNumber: 1, status: 'completed' });
  await expect.poll(told.missing(1)).toEqual([]);
  stop();
  await workflows.updateStep('w', { stepNumber: 2, status: 'completed' });
  stop = await listen();
  await expect.poll(told.missing(2)).toEqual([]);
  expect(told.lines.filter((line) => line === '2')).toHaveLength(1);
  stop();
  await workflows.updateStep('w', { stepNumber: 3, status: 'completed' });
  expect(told.lines).not.toContain('3');
});

it('ends for good where waiting does not help, and says why', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const workflows = kept(new WorkflowStateManager({ store }));
  for (const workflowId of ['a', 'b', 'c']) await workflows.create({ workflowId, totalSteps: 1 });
  await store.prune(await store.revision());
  const errors: unknown[] = [];
  await workflows.subscribe('*', () => undefined, { since: 1, onError: (error) => errors.push(error) });
  await expect.poll(() => errors).toMatchObject([{ code: 'STORE_REVISION_GONE' }]);
});

it('tells of jobs and of the calls that programs make', async () => {
  const add = tool({ name: 'add', execute: ({ to }: { to: number }) => to + 1 });
  const code = program({ role: 'code', source: "add({ to: 1 }); await ask('When?')" });
  const kit = kept(await Statek.open({ store: 'memory:', drivers: [code], services: { add } }));
  const told = new Told();
  await kit.workflows.subscribe('job-*', (now, was) => told.add([was?.status, now.status]));
  await kit.tools.subscribe('add', (now) => told.add([now.status, now.parameters]));
  const job = await kit.submit(code, { id: 'job-1', vars: { add } });
  await kit.runUntilIdle();
  await expect.poll(told.missing(['completed', { to: 1 }])).toEqual([]);
  await kit.answer((await job.waiting())[0]?.id ?? '', 'now');
  await kit.runUntilIdle();
  await expect.poll(() => told.lines.at(-1)).toContain('"completed"]');
});
