// Every option, record, field and value that docs/state/agentic-ai.md lists is there: reported as AgenticAI's users report it, and read
// back. What is computed here instead of being said is computed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import {
  AgentRecoveryManager,
  AgentStateStore,
  AudioSessionStatus,
  FileBackend,
  IndexingStatus,
  KnowledgeStateManager,
  MemoryBackend,
  OrchestrationStateManager,
  RedisBackend,
  SpeechStateManager,
  StateManager,
  StepStatus,
  StreamingMode,
  SyncStatus,
  ToolExecutionStatus,
  ToolStateManager,
  TranscriptionStatus,
  WorkflowStateManager,
  WorkflowStatus,
} from '../../src/state.ts';

const start = Date.parse('2026-03-04T09:00:00Z');
const at = (milliseconds: number): Date => new Date(start + milliseconds);

function kept<Manager extends { close(): Promise<void> }>(manager: Manager): Manager {
  onTestFinished(() => manager.close());
  return manager;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'statek-original-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'state');
}

it('StateManager, StateConfig and the backends', async () => {
  const clock = new ManualClock(start);
  const configs = [
    { backend: 'memory', autoSave: true, saveInterval: 30, ttl: 60, keyPrefix: 'agenticai:', clock },
    { backend: 'file', filePath: folder(), autoSave: false, saveInterval: 30, ttl: 60, keyPrefix: 'agenticai:', clock },
    { backend: MemoryBackend(), ttl: 60, clock },
    { backend: FileBackend({ basePath: folder(), format: 'msgpack', compression: true }), ttl: 60, clock },
  ] as const;
  for (const config of configs) {
    const state = kept(new StateManager(config));
    await state.save('agent:a', { status: 'running' });
    await state.flush();
    await state.update('agent:a', { progress: 0.75 });
    expect(await state.get('agent:a')).toEqual({ status: 'running', progress: 0.75 });
    expect((await state.listKeys('agent:*')).keys).toEqual(['agent:a']);
    clock.advance(60_000);
    expect(await state.get('agent:a')).toBeUndefined();
    await state.delete('agent:a');
  }
  // Opened on first use: there is no server.
  kept(new StateManager({ backend: 'redis', redisUrl: 'redis://localhost:1', keyPrefix: 'agenticai:' }));
  const redis = { url: 'redis://localhost:1', db: 0, keyPrefix: 'agenticai:', connectionPoolSize: 10 };
  kept(new StateManager({ backend: RedisBackend(redis) }));
});

it('persistence of the other managers', async () => {
  for (const Manager of [
    AgentStateStore,
    WorkflowStateManager,
    OrchestrationStateManager,
    KnowledgeStateManager,
    ToolStateManager,
    SpeechStateManager,
  ]) {
    kept(new Manager({ persistence: 'redis', redisUrl: 'redis://localhost:1' }));
    expect(() => new Manager({ persistence: 'redis' })).toThrow("needs the option 'redisUrl'");
  }
});

it('AgentStateStore, AgentSnapshot, AgentCheckpoint, AgentRecoveryManager', async () => {
  const agents = kept(new AgentStateStore({ store: 'memory:', clock: new ManualClock(start) }));
  const snapshot = {
    agentId: 'a',
    timestamp: at(1000),
    memoryState: { facts: [1] },
    toolState: { search: 'ready' },
    conversationHistory: [{ role: 'user', content: 'Hello' }],
    metadata: { version: '1.0' },
  };
  await agents.saveSnapshot(snapshot);
  expect(await agents.getSnapshot('a')).toMatchObject(snapshot);
  const { memoryState: _m, toolState: _t, conversationHistory: _c, ...listed } = snapshot;
  expect(await agents.listSnapshots('a')).toMatchObject([listed]);
  const checkpoint = { agentId: 'a', checkpointId: 'c', step: 5, state: { page: 1 }, recoverable: true };
  await agents.saveCheckpoint(checkpoint);
  expect(await agents.getCheckpoint('a', 'c')).toMatchObject(checkpoint);
  await agents.saveCheckpoint({ ...checkpoint, checkpointId: 'd', recoverable: false });
  await expect(agents.recover('a', { from: 'd' })).rejects.toMatchObject({ code: 'AGENT_RECOVERY' });

  const told: unknown[] = [];
  const recovery = kept(new AgentRecoveryManager({ agentStore: agents, autoRecover: false, maxRecoveryAttempts: 1 }));
  await recovery.register('a', (given) => void told.push(given.checkpoint?.state));
  await recovery.recover('a', { from: 'c' });
  expect(told).toEqual([{ page: 1 }]);
  await expect(recovery.recover('a', { from: 'c' })).rejects.toMatchObject({ code: 'AGENT_RECOVERY' });
});

it('WorkflowStateManager, WorkflowState, WorkflowStatus, StepState, WorkflowCheckpoint', async () => {
  const clock = new ManualClock(start);
  const workflows = kept(new WorkflowStateManager({ store: 'memory:', checkpointInterval: 1, clock }));
  const created = { workflowId: 'w', status: WorkflowStatus.PENDING, totalSteps: 2, currentStep: 0, context: { a: 1 } };
  expect(await workflows.create(created as never)).toMatchObject(created);
  const step = { stepNumber: 1, name: 'collect', status: StepStatus.COMPLETED, result: { n: 150 }, durationMs: 5400 };
  expect(await workflows.updateStep('w', step)).toMatchObject(step);
  expect(await workflows.get('w')).toMatchObject({ currentStep: 1, totalSteps: 2, steps: [step] });
  expect((await workflows.listCheckpoints('w'))[0]?.checkpointId).toBe('step_1_complete');
  await workflows.checkpoint('w', { checkpointId: 'mine', context: { b: 2 } });
  expect((await workflows.listCheckpoints('w'))[1]).toMatchObject({
    workflowId: 'w',
    checkpointId: 'mine',
    step: 1,
    state: { status: 'running' },
    context: { b: 2 },
    timestamp: at(0),
  });
  const again = await workflows.resumeFrom('w', 'mine', { id: 'again' });
  expect(again).toMatchObject({ workflowId: 'again', currentStep: 1, context: { b: 2 } });
  await workflows.pause('w');
  expect(await workflows.getStatus('w')).toBe(WorkflowStatus.PAUSED);
  await workflows.resume('w');
  expect(await workflows.getStatus('w')).toBe(WorkflowStatus.RUNNING);
  await workflows.cancel('w', 'User requested cancellation');
  expect(await workflows.get('w')).toMatchObject({
    status: WorkflowStatus.CANCELLED,
    reason: 'User requested cancellation',
  });
  const reach = async (status: StepStatus): Promise<WorkflowStatus> => {
    await workflows.create({ workflowId: status, totalSteps: 1 });
    await workflows.updateStep(status, { stepNumber: 1, status });
    return workflows.getStatus(status);
  };
  expect(await reach('waiting')).toBe(WorkflowStatus.WAITING);
  expect(await reach('failed')).toBe(WorkflowStatus.FAILED);
  expect(await reach('completed')).toBe(WorkflowStatus.COMPLETED);
});

it('OrchestrationStateManager, TeamState, AgentCoordinationState, TaskQueueState', async () => {
  const teams = kept(new OrchestrationStateManager({ store: 'memory:', syncInterval: 1 }));
  const team = await teams.createTeam({ teamId: 't', agents: { researcher: { capabilities: ['research'] } } });
  expect(team).toMatchObject({
    teamId: 't',
    agents: {
      researcher: { agentId: 'researcher', status: 'idle', capabilities: ['research'], currentTask: undefined },
    },
    taskQueue: { pending: [], inProgress: [], completed: [] },
  });
  const available = () => teams.getAvailableAgents('t', { capability: 'research' });
  expect(await available()).toHaveLength(1);
  await teams.updateAgentStatus('t', 'researcher', { status: 'working', currentTask: 'task_001' });
  expect((await teams.getTeam('t'))?.agents['researcher']).toMatchObject({
    status: 'working',
    currentTask: 'task_001',
  });
  expect(await available()).toHaveLength(0);
  await teams.updateAgentStatus('t', 'researcher', { status: 'idle' });
  const task = { taskId: 'task_002', type: 'analysis', priority: 'high', data: { topic: 'AI trends' } } as const;
  await teams.enqueueTask('t', task);
  expect((await teams.getQueueStatus('t')).pending).toMatchObject([task]);
  await teams.assignTask('t', 'task_002', 'researcher');
  await teams.claimTask('t', 'researcher');
  expect((await teams.getQueueStatus('t')).inProgress).toMatchObject([{ agentId: 'researcher' }]);
  await teams.completeTask('t', 'task_002', { analysis: '...' });
  expect((await teams.getQueueStatus('t')).completed).toMatchObject([{ ...task, result: { analysis: '...' } }]);
});

it('KnowledgeStateManager, IndexingProgress, SourceState, KnowledgeBaseState', async () => {
  const knowledge = kept(new KnowledgeStateManager({ store: 'memory:', clock: new ManualClock(start) }));
  const progress = {
    knowledgeBaseId: 'b',
    status: IndexingStatus.IN_PROGRESS,
    totalDocuments: 1000,
    processedDocuments: 450,
    failedDocuments: 5,
    startedAt: at(-450_000),
  };
  await knowledge.updateIndexingProgress(progress);
  expect(await knowledge.getIndexingProgress('b')).toMatchObject({ ...progress, estimatedCompletion: at(550_000) });
  for (const status of Object.values(IndexingStatus)) {
    await knowledge.updateIndexingProgress({ knowledgeBaseId: status, status });
    expect((await knowledge.getIndexingProgress(status))?.status).toBe(status);
  }
  const source = {
    sourceId: 's',
    knowledgeBaseId: 'b',
    syncStatus: SyncStatus.SYNCING,
    lastSync: at(-3_600_000),
    documentsSynced: 250,
    documentsPending: 50,
  };
  await knowledge.updateSourceState({ ...source, embeddings: 1200, storageBytes: 2 ** 20 });
  expect(await knowledge.getSources('b')).toMatchObject([source]);
  for (const syncStatus of Object.values(SyncStatus))
    expect(await knowledge.updateSourceState({ ...source, syncStatus })).toMatchObject({ syncStatus });
  expect(await knowledge.getKnowledgeBaseState('b')).toMatchObject({
    totalDocuments: 250,
    totalEmbeddings: 1200,
    lastUpdated: at(0),
    storageSizeMb: 1,
  });
});

it('ToolStateManager, ToolExecution, ToolCacheEntry, RetryState, ToolStats', async () => {
  const clock = new ManualClock(start);
  const tools = kept(new ToolStateManager({ store: 'memory:', cacheResults: true, cacheTtl: 3600, clock }));
  const execution = {
    executionId: 'e',
    toolName: 'search_web',
    status: ToolExecutionStatus.RUNNING,
    startedAt: at(-1500),
    parameters: { query: 'AI news' },
  };
  expect(await tools.startExecution(execution)).toMatchObject(execution);
  await tools.completeExecution('e', { result: ['one'], durationMs: 1500 });
  const { executions } = await tools.getExecutionHistory({ toolName: 'search_web', limit: 100 });
  expect(executions).toMatchObject([{ executionId: 'e', status: 'completed', result: ['one'], durationMs: 1500 }]);

  const entry = { toolName: 'search_web', parametersHash: 'abc123', result: ['two'], createdAt: at(0), ttl: 60 };
  expect(await tools.cacheResult(entry)).toMatchObject(entry);
  const cached = await tools.getCachedResult('search_web', { query: 'AI news' });
  expect(cached).toMatchObject({ status: 'hit', result: ['one'], ttl: 3600 });

  const retry = {
    executionId: 'f',
    attempts: 2,
    maxAttempts: 5,
    lastError: 'Connection timeout',
    nextRetryAt: at(30_000),
    backoffFactor: 2,
  };
  await tools.updateRetryState(retry);
  expect(await tools.getPendingRetries()).toMatchObject([retry]);

  for (const executionId of ['g', 'h']) {
    await tools.startExecution({ executionId, toolName: 'search_web', status: 'pending' });
    expect((await tools.getExecution(executionId))?.status).toBe(ToolExecutionStatus.PENDING);
  }
  expect((await tools.failExecution('g', { error: 'x' })).status).toBe(ToolExecutionStatus.FAILED);
  expect((await tools.cancelExecution('h')).status).toBe(ToolExecutionStatus.CANCELLED);
  expect(await tools.getToolStats('search_web')).toMatchObject({
    totalExecutions: 4,
    successRate: 0.5,
    avgDurationMs: 500,
    cacheHitRate: 0.25,
    errorRate: 0.25,
  });
});

it('SpeechStateManager, STTState, TTSState, VoiceConversationState', async () => {
  const speech = kept(new SpeechStateManager({ store: 'memory:' }));
  for (const streamingMode of Object.values(StreamingMode)) {
    const id = await speech.createSession({
      sessionType: 'voice_conversation',
      streamingMode,
      config: { language: 'en' },
    });
    expect(await speech.getSession(id)).toMatchObject({ streamingMode, status: AudioSessionStatus.INITIALIZING });
  }
  const sessionId = await speech.createSession({ config: { sttProvider: 'openai' } });
  for (const status of [
    AudioSessionStatus.ACTIVE,
    AudioSessionStatus.PAUSED,
    AudioSessionStatus.ERROR,
    AudioSessionStatus.ACTIVE,
  ])
    expect((await speech.updateSessionStatus(sessionId, status)).status).toBe(status);
  for (const status of Object.values(TranscriptionStatus))
    expect((await speech.updateSttState({ sessionId, status })).status).toBe(status);
  const stt = {
    sessionId,
    status: TranscriptionStatus.TRANSCRIBING,
    audioReceivedBytes: 45_000,
    transcriptionProgress: 0.6,
    interimTranscript: 'Hello, I would like to...',
  };
  await speech.updateSttState(stt);
  expect(await speech.getSttState(sessionId)).toMatchObject(stt);
  const tts = { sessionId, textQueue: ['Hello!'], audioGeneratedBytes: 12_000, audioPlayedBytes: 8000 };
  await speech.updateTtsState(tts);
  expect(await speech.getTtsState(sessionId)).toMatchObject({ ...tts, isSpeaking: true });
  const transcript = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi! How can I help?' },
  ];
  const state = {
    sessionId,
    transcript,
    sttState: { transcriptionProgress: 1 },
    ttsState: { audioPlayedBytes: 12_000 },
  };
  expect(await speech.updateConversationState(state)).toMatchObject({
    turnCount: 2,
    currentSpeaker: 'assistant',
    transcript,
    sttState: { transcriptionProgress: 1 },
    ttsState: { isSpeaking: false },
  });
  const ended = await speech.endSession(sessionId, 'user_ended');
  expect(ended).toMatchObject({ endReason: 'user_ended', status: AudioSessionStatus.ENDED });
});
