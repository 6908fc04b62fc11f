// Every manager keeps its promises on every engine: two of each on one store, as two processes would have them, that report, claim and
// index the same things at once.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  AgentRecoveryManager,
  AgentStateStore,
  KnowledgeStateManager,
  OrchestrationStateManager,
  SpeechStateManager,
  ToolStateManager,
  WorkflowStateManager,
} from '../../src/state.ts';
import type { Store } from '../../src/store/store.ts';
import { keepCompiledModules } from '../store/support/compiled.ts';
import { openLocation, statePlaces, type StatePlace } from './support/places.ts';

keepCompiledModules();

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe.each(Object.keys(statePlaces))('managers on %s', (engine) => {
  let place: StatePlace;
  let stores: readonly [Store, Store];
  const closing: { close(): Promise<void> }[] = [];
  const both = <Manager extends { close(): Promise<void> }>(
    make: (store: Store) => Manager,
  ): readonly [Manager, Manager] => {
    const made = [make(stores[0]), make(stores[1])] as const;
    closing.push(...made);
    return made;
  };

  beforeEach(async () => {
    place = await (statePlaces[engine] as () => Promise<StatePlace>)();
    const first = await openLocation(place.location);
    stores = [first, place.isShared ? await openLocation(place.location) : first];
  });

  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
    for (const store of new Set(stores)) await store.close();
    await place.dispose();
  });

  it('keeps agents: checkpoints by number, failures once, one recovery at a time', async () => {
    const agents = both((store) => new AgentStateStore({ store, keepCheckpoints: 3 }));
    for (const step of numbers(12))
      await (agents[step % 2] ?? agents[0]).saveCheckpoint({ agentId: 'a', step, state: { step } });
    expect((await agents[0].listCheckpoints('a')).map(({ checkpointId }) => checkpointId)).toEqual([
      'checkpoint_10',
      'checkpoint_11',
      'checkpoint_12',
    ]);
    // Names that nobody has given do not collide, however many are made at once.
    await agents[0].saveCheckpoint({ agentId: 'b', checkpointId: 'checkpoint_2' });
    await Promise.all(
      numbers(24).map((step) => (agents[step % 2] ?? agents[0]).saveCheckpoint({ agentId: 'b', step })),
    );
    expect((await agents[1].listCheckpoints('b')).map(({ number }) => number)).toEqual([23, 24, 25]);
    const recoveries = agents.map((agentStore) => new AgentRecoveryManager({ agentStore, maxRecoveryAttempts: 2 }));
    closing.unshift(...recoveries);
    const [one, two] = recoveries as [AgentRecoveryManager, AgentRecoveryManager];
    await Promise.all(recoveries.map((each) => each.onFailure('a', new Error('x'), { idempotencyKey: 'f1' })));
    await Promise.all(numbers(24).map((each) => (each % 2 === 0 ? one : two).onFailure('b', `failure ${each}`)));
    expect(await one.getFailureStats('b')).toMatchObject({ failures: 24 });
    expect(await two.getFailureStats('a')).toMatchObject({ failures: 1, attemptsLeft: 2 });
    const going = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await one.register('a', async ({ checkpoint }) => {
      expect(checkpoint?.state).toEqual({ step: 12 });
      begun.resolve();
      await going.promise;
    });
    const recovering = one.recover('a');
    await begun.promise;
    await expect(two.recover('a')).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    going.resolve();
    expect((await recovering).from?.id).toBe('checkpoint_12');
    expect(await two.getFailureStats('a')).toMatchObject({ attempts: 1, recoveries: 1 });
  });

  it('keeps workflows: reports of both, checkpoints, and what resumes from them', async () => {
    const [one, two] = both((store) => new WorkflowStateManager({ store, checkpointInterval: 4 }));
    await one.create({ workflowId: 'w', totalSteps: 24, context: { topic: 'trains' } });
    const report = { status: 'completed', durationMs: 10 } as const;
    await Promise.all(
      numbers(24).flatMap((stepNumber) =>
        [one, two].map((manager) =>
          manager.updateStep('w', { stepNumber, ...report }, { idempotencyKey: `step ${stepNumber}` }),
        ),
      ),
    );
    expect(await two.get('w')).toMatchObject({ status: 'completed', currentStep: 24, progress: 1 });
    const ids = (await two.listCheckpoints('w')).map(({ checkpointId }) => checkpointId);
    expect(ids).toEqual(numbers(6).map((each) => `step_${each * 4}_complete`));
    const again = await Promise.all([one, two].map((each) => each.resumeFrom('w', 'step_12_complete', { id: 'w2' })));
    expect(again.map(({ progress }) => progress)).toEqual([0.5, 0.5]);
    await one.pause('w2');
    expect(await two.getStatus('w2')).toBe('paused');
    await two.cancel('w2', 'not needed');
    await expect(one.resume('w2')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  });

  it('keeps teams: each task one owner, and that of a dead process another', async () => {
    const [one, two] = both((store) => new OrchestrationStateManager({ store, leaseMilliseconds: 60_000 }));
    await one.createTeam({ teamId: 't', agents: { ann: { capabilities: ['search'] } } });
    await two.addAgent('t', 'bob');
    await Promise.all(
      numbers(20).map((number) =>
        (number % 2 === 0 ? one : two).enqueueTask('t', {
          taskId: `task-${number}`,
          ...(number % 3 === 0 ? { capability: 'search' } : {}),
        }),
      ),
    );
    await Promise.all(
      numbers(24).map((each) => (each % 2 === 0 ? one : two).updateAgentStatus('t', 'bob', { status: `busy ${each}` })),
    );
    await two.updateAgentStatus('t', 'bob', { status: 'idle' });
    const done: string[] = [];
    const work = async (manager: OrchestrationStateManager, agent: string): Promise<void> => {
      for (let claimed = await manager.claimTask('t', agent); claimed; claimed = await manager.claimTask('t', agent)) {
        done.push(claimed.task.taskId);
        await manager.completeTask('t', claimed.task.taskId, { by: agent });
      }
    };
    await Promise.all([work(one, 'ann'), work(two, 'bob'), work(one, 'ann'), work(two, 'bob')]);
    await work(one, 'ann');
    expect(done.toSorted()).toEqual(
      numbers(20)
        .map((number) => `task-${number}`)
        .toSorted(),
    );
    expect((await two.getQueueStatus('t')).totals).toMatchObject({ pending: 0, inProgress: 0, completed: 20 });
    await one.enqueueTask('t', { taskId: 'last' });
    const claimed = await one.claimTask('t', 'ann');
    await expect(two.completeTask('t', 'last')).rejects.toMatchObject({ code: 'TEAM_TASK_OWNER' });
    expect(await two.claimTask('t', 'bob')).toBeUndefined();
    await one.close();
    expect((await two.claimTask('t', 'bob', { waitMilliseconds: 30_000 }))?.task.taskId).toBe('last');
    await expect(two.completeTask('t', 'last', 1, { token: claimed?.token })).rejects.toMatchObject({
      code: 'TEAM_TASK_OWNER',
    });
    expect((await two.completeTask('t', 'last')).ownersLost).toBe(1);
  });

  it('keeps knowledge: one process indexes, the next goes on, both search', async () => {
    const [one, two] = both((store) => new KnowledgeStateManager({ store }));
    const items = numbers(40).map((number) => ({ id: `page-${number}`, content: `Rule ${number} of the house` }));
    const seen: string[] = [];
    const half = new AbortController();
    const held = Promise.withResolvers<void>();
    const interrupted = one.index(
      'rules',
      items,
      async ({ id }) => {
        seen.push(id);
        if (seen.length === 20) held.resolve();
        if (seen.length > 20)
          await new Promise<void>((resolve) => half.signal.addEventListener('abort', () => resolve()));
      },
      { knowledgeBase: 'b', concurrency: 1, signal: half.signal },
    );
    await held.promise;
    await expect(two.index('rules', items, undefined, { knowledgeBase: 'b' })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    half.abort(new Error('stopped'));
    await expect(interrupted).rejects.toThrow('stopped');
    expect((await two.getIndexingProgress('b'))?.status).toBe('interrupted');
    const report = await two.index('rules', items, undefined, { knowledgeBase: 'b', waitMilliseconds: 30_000 });
    expect(report.indexed + report.unchanged).toBe(40);
    expect(report.unchanged).toBeGreaterThan(0);
    const { results } = await one.search('b', 'rule 17');
    expect(results[0]?.itemId).toBe('page-17');
    expect(await one.getKnowledgeBaseState('b')).toMatchObject({ totalDocuments: 40, indexing: { resumed: 1 } });
  });

  it('keeps tools: reports once, loads once, retries once, counts all', async () => {
    const managers = both((store) => new ToolStateManager({ store, cacheResults: true }));
    const [one, two] = managers;
    let loads = 0;
    const found = await Promise.all(
      numbers(20).map((number) =>
        (number % 2 === 0 ? one : two).getOrLoad('search', { b: 1, a: [2] }, async () => `load ${++loads}`),
      ),
    );
    expect(new Set(found)).toEqual(new Set(['load 1']));
    expect(await two.getCachedResult('search', { a: [2], b: 1 })).toMatchObject({ status: 'hit', result: 'load 1' });
    await one.startExecution({ executionId: 'e', toolName: 'book' });
    await Promise.all(managers.map((each) => each.failExecution('e', { error: 'late', idempotencyKey: 'end' })));
    await one.updateRetryState({ executionId: 'e', attempts: 1, maxAttempts: 3, nextRetryAt: new Date(0) });
    const claims = (await Promise.all(managers.map((each) => each.claimRetry()))).filter(
      (claim) => claim !== undefined,
    );
    expect(claims).toHaveLength(1);
    await two.completeExecution('e', { result: 1, claim: claims[0]?.claim });
    expect(await one.getPendingRetries()).toEqual([]);
    expect(await one.getToolStats('search')).toMatchObject({ totalExecutions: 21, cacheHits: 20 });
    expect(await two.getToolStats('book')).toMatchObject({ totalExecutions: 2, completed: 1, failed: 1 });
  });

  it('keeps speech: chunks in order, segments once, an interruption, events', async () => {
    const [one, two] = both((store) => new SpeechStateManager({ store }));
    const session = await one.createSession({ keepAudio: true });
    const events: string[] = [];
    const ended = Promise.withResolvers<void>();
    const stop = two.subscribe(
      session,
      (event) => {
        events.push(event.kind === 'segment' ? event.segment.text : event.kind);
        if (event.kind === 'session' && event.session.status === 'ended') ended.resolve();
      },
      { since: 0 },
    );
    await one.updateSessionStatus(session, 'active');
    for (const sequence of [0, 1, 3]) await one.addAudioChunk(session, { sequence, audio: new Uint8Array(10) });
    await expect(two.addAudioChunk(session, { sequence: 2, audio: new Uint8Array(1) })).rejects.toMatchObject({
      code: 'SPEECH_LATE_INPUT',
    });
    await Promise.all(
      [one, two].flatMap((each) =>
        numbers(5).map((n) => each.addTranscription(session, { text: `s${n}`, sequence: n })),
      ),
    );
    const { segments } = await two.getTranscript(session);
    expect(segments.map(({ text }) => text).toSorted()).toEqual(['s1', 's2', 's3', 's4', 's5']);
    const { utteranceId } = await one.enqueueUtterance(session, 'A long answer');
    await two.enqueueUtterance(session, 'and more');
    await two.playbackProgress(session, utteranceId, { generatedBytes: 100, playedBytes: 40 });
    expect((await one.getTtsState(session)).isSpeaking).toBe(true);
    expect(await two.bargeIn(session, { playedText: 'A long' })).toMatchObject({
      cut: { status: 'cut' },
      dropped: [{}],
    });
    expect(await one.getSttState(session)).toMatchObject({ audioReceivedBytes: 30, gaps: [{ from: 2, to: 2 }] });
    await two.endSession(session, 'user_ended');
    await expect(one.addTranscription(session, { text: 'late' })).rejects.toMatchObject({
      code: 'SPEECH_SESSION_ENDED',
    });
    await ended.promise;
    stop();
    for (const text of ['s1', 's5', 'A long']) expect(events.filter((each) => each === text)).toHaveLength(1);
  });
});

it('makes each of many changes of the same thing, however many are made at once', async () => {
  const many = numbers(200);
  const agents = new AgentStateStore({ store: 'memory:' });
  const recovery = new AgentRecoveryManager({ agentStore: agents });
  const workflows = new WorkflowStateManager({ store: 'memory:', checkpointInterval: 50 });
  const knowledge = new KnowledgeStateManager({ store: 'memory:' });
  await Promise.all(many.map((step) => agents.saveCheckpoint({ agentId: 'a', step })));
  expect((await agents.listCheckpoints('a')).map(({ step }) => step)).toEqual(many);
  await Promise.all(many.map((each) => recovery.onFailure('a', `failure ${each}`)));
  expect((await recovery.getFailureStats('a')).failures).toBe(200);
  await workflows.create({ workflowId: 'w', totalSteps: 200 });
  await Promise.all(many.map((stepNumber) => workflows.updateStep('w', { stepNumber, status: 'completed' })));
  expect(await workflows.listCheckpoints('w')).toHaveLength(4);
  const source = { knowledgeBaseId: 'b', sourceId: 's' };
  await Promise.all(many.map((documentsSynced) => knowledge.updateSourceState({ ...source, documentsSynced })));
  expect(await knowledge.getSources('b')).toMatchObject([{ documentsSynced: 200 }]);
  for (const manager of [recovery, agents, workflows, knowledge]) await manager.close();
});

describe.each(['postgres', 'redis'].filter((engine) => engine in statePlaces))('on %s', (engine) => {
  it('judges leases by the clock of the server, whatever that of a process says', async () => {
    const place = await (statePlaces[engine] as () => Promise<StatePlace>)();
    onTestFinished(() => place.dispose());
    const store = await openLocation(place.location);
    onTestFinished(() => store.close());
    const right = new OrchestrationStateManager({ store, leaseMilliseconds: 60_000 });
    const clocks = [3_600_000, -3_600_000].map((offset) => ({ now: () => Date.now() + offset }));
    const wrong = clocks.map((clock) => new OrchestrationStateManager({ store, clock, leaseMilliseconds: 60_000 }));
    await right.createTeam({ teamId: 't', agents: { ann: {}, bob: {} } });
    await right.enqueueTask('t', { taskId: 'k' });
    await right.claimTask('t', 'ann');
    for (const teams of wrong) {
      expect((await teams.getTeam('t'))?.agents).toMatchObject({
        ann: { availability: 'busy', currentTask: 'k' },
        bob: { availability: 'idle' },
      });
      expect((await teams.getQueueStatus('t')).totals).toMatchObject({ pending: 0, inProgress: 1 });
      await expect(teams.completeTask('t', 'k')).rejects.toMatchObject({ code: 'TEAM_TASK_OWNER' });
      await teams.close();
    }
    await right.close();
  });
});
