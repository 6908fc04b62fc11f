// Mistakes that callers of state managers make: each is an error that names what was written.
import { expect, it, onTestFinished } from 'vitest';
import {
  AgentRecoveryManager,
  AgentStateStore,
  KnowledgeStateManager,
  OrchestrationStateManager,
  SpeechStateManager,
  StateManager,
  ToolStateManager,
  WorkflowStateManager,
} from '../../src/state.ts';
import { loose, refusal } from '../support/mistakes.ts';

it('refuses what state managers cannot use', async () => {
  const state = new StateManager();
  const workflows = new WorkflowStateManager({ store: 'memory:' });
  const teams = new OrchestrationStateManager({ store: 'memory:' });
  const knowledge = new KnowledgeStateManager({ store: 'memory:' });
  onTestFinished(async () => {
    await Promise.all([state.close(), workflows.close(), teams.close(), knowledge.close()]);
  });
  const self: Record<string, unknown> = {};
  self['self'] = self;
  expect((await refusal(() => state.save('k', self))).length).toBeLessThan(300);
  expect(await refusal(() => state.save('k', { at: new Date(0) }))).toContain('.at is a Date, which');
  expect(await refusal(() => loose(state, 'save')('k', 1, { ifVersion: '5' }))).toContain("option 'ifVersion' must be");
  expect(await refusal(() => loose(state, 'mutate')('k'))).toContain('the change must be a function');
  expect(await refusal(() => loose(workflows, 'list')({ status: 'DONE' }))).toContain("option 'status' must be");
  await teams.createTeam({ teamId: 't' });
  expect(await refusal(() => loose(teams, 'getAvailableAgents')('t', { capability: 5 }))).toContain("'capability'");
  expect(await refusal(() => teams.createTeam({ teamId: '' }))).toContain("1 to 200 characters, not ''.");
  const items = { a: 1 };
  expect(await refusal(() => loose(knowledge, 'index')('s', items, undefined, { knowledgeBase: 'b' }))).toContain(
    'items must be a list or something to iterate over',
  );
});

it('stores no fact of another kind than its own, and names what was wrong', async () => {
  const agents = new AgentStateStore();
  const recovery = new AgentRecoveryManager({ agentStore: agents });
  const workflows = new WorkflowStateManager();
  const teams = new OrchestrationStateManager();
  const knowledge = new KnowledgeStateManager();
  const tools = new ToolStateManager();
  const speech = new SpeechStateManager();
  const state = new StateManager();
  const all = { agents, recovery, workflows, teams, knowledge, tools, speech, state };
  onTestFinished(async () => {
    for (const manager of Object.values(all).toReversed()) await manager.close();
  });
  await workflows.create({ workflowId: 'w', totalSteps: 3 });
  await teams.createTeam({ teamId: 't' });
  await speech.createSession({ sessionId: 's' });
  const base = { knowledgeBaseId: 'b', sourceId: 's' };
  const calls: readonly (readonly [keyof typeof all, method: string, given: readonly unknown[], told: string])[] = [
    ['agents', 'saveCheckpoint', [{ agentId: 'a', step: 'five' }], "'step' must be a whole number, 0 or more"],
    ['agents', 'saveSnapshot', [{ agentId: 'a', timestamp: '2026-01-01' }], "'timestamp' must be a Date with a time"],
    ['agents', 'saveSnapshot', [{ agentId: 'a', conversationHistory: {} }], "'conversationHistory' must be a list"],
    ['agents', 'saveSnapshot', [{}], "'agentId' must be a text of 1 to 200 characters, not undefined"],
    ['agents', 'getCheckpoint', [{ agentId: 'a' }], 'getCheckpoint: agentId must be a text of 1 to 200 characters'],
    ['recovery', 'register', [{ id: 'a' }], 'register: agentId must be a text of 1 to 200 characters, not an object'],
    ['recovery', 'register', ['a', 5], 'register: the handler must be a function'],
    ['recovery', 'onFailure', ['a', 'x', { idempotencyKey: 5 }], "'idempotencyKey' must be a text of 1 to 800"],
    ['workflows', 'create', [{ workflowId: 'x' }], "'totalSteps' must be a whole number from 1 to 100000"],
    ['workflows', 'updateStep', ['w', { stepNumber: 1, status: 'done' }], "'status' must be 'pending' or 'running'"],
    ['workflows', 'updateStep', ['w', { stepNumber: 1, status: 'failed', durationMs: '9' }], "'durationMs' must be a"],
    ['workflows', 'checkpoint', [{ workflowId: 'w' }], 'checkpoint: workflowId must be a text of 1 to 200 characters'],
    ['workflows', 'subscribe', ['w', 'call me'], 'subscribe: the callback must be a function'],
    ['workflows', 'resumeFrom', ['w', 5], 'resumeFrom: checkpointId must be a text'],
    ['teams', 'addAgent', ['t', 'm', { capabilities: 'search' }], "'capabilities' must be a list"],
    ['teams', 'addAgent', ['t', 'm', { capabilities: [5] }], "'capabilities' must be a list in which each is a text"],
    ['teams', 'addAgent', ['t', 'm', { present: 'yes' }], "'present' must be true or false"],
    ['teams', 'claimTask', ['t', 'm', { signal: {} }], "'signal' must be an AbortSignal"],
    ['teams', 'updateAgentStatus', ['t', 'm', {}], "'status' must be a text of 1 to 200 characters"],
    ['knowledge', 'updateSourceState', [{ ...base, documentsSynced: '250' }], "'documentsSynced' must be a whole"],
    ['knowledge', 'updateSourceState', [{ ...base, lastSync: 5 }], "'lastSync' must be a Date with a time, not 5"],
    ['knowledge', 'index', ['s', [], 'x', { knowledgeBase: 'b' }], 'index: the handler must be a function'],
    ['knowledge', 'index', ['s', null, undefined, { knowledgeBase: 'b' }], 'items must be a list'],
    ['tools', 'startExecution', [{ toolName: 'x', startedAt: 5 }], "'startedAt' must be a Date with a time"],
    ['tools', 'getToolStats', ['x', { since: 'yesterday' }], "'since' must be a Date with a time"],
    ['tools', 'getOrLoad', ['x', {}, 5], 'getOrLoad: what loads it must be a function'],
    ['tools', 'releaseRetry', [{}], 'the claim must be the claim of a retry, as claimRetry returns it'],
    ['tools', 'updateRetryState', [{ executionId: 'e', attempts: 1 }], "'maxAttempts' must be a whole number"],
    ['speech', 'addTranscription', ['s', { text: 'x', confidence: 5 }], "'confidence' must be a number from 0 to 1"],
    ['speech', 'updateTtsState', [{ sessionId: 's', textQueue: 'Hello' }], "'textQueue' must be a list"],
    ['speech', 'updateConversationState', [{ sessionId: 's', transcript: [{ role: 'user' }] }], "'content' must be"],
    ['speech', 'updateConversationState', [{ sessionId: 's', turnCount: 5 }], "has no option 'turnCount'"],
    ['state', 'getMany', ['k'], 'the keys must be a list'],
    ['state', 'saveMany', [5], 'the values must be an object'],
    ['state', 'get', [{}], 'state.get: a key must be a text, not an object'],
  ];
  for (const [manager, method, given, told] of calls)
    expect(await refusal(() => loose(all[manager], method)(...given)), `${manager}.${method}`).toContain(told);
});

it('refuses places that it cannot open, before anything is opened', () => {
  const managers = [AgentStateStore, AgentRecoveryManager, WorkflowStateManager, ToolStateManager, StateManager];
  for (const Manager of managers) {
    const made = (options: object) => () => new (Manager as new (options: object) => unknown)(options);
    expect(made({ store: 5 })).toThrow("option 'store' must be a folder, a .db file, 'memory:'");
    expect(made({ backend: 'redis' })).toThrow("the backend 'redis' needs the option 'redisUrl'");
    expect(made({ backend: 'mongo' })).toThrow("option 'backend' must be 'memory' or 'file'");
    expect(made({ redisUrl: 'redis://x' })).toThrow("option 'redisUrl' is for the backend 'redis'");
    expect(made({ clock: 5 })).toThrow("option 'clock' must have a function 'now'");
    expect(made({ keyPrefix: 5 })).toThrow("option 'keyPrefix' must be a text");
    expect(made({ store: 'memory:', backend: 'memory' })).toThrow("give either 'store' or 'backend'");
  }
});
