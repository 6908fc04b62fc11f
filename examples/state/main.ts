// The seven managers of state, each with what people do with it first. They stand alone here, on one store; in a kit they are
// `kit.state`, `kit.agents`, `kit.workflows`, `kit.teams`, `kit.knowledge`, `kit.tools` and `kit.speech`.
import { openStore, type Store } from 'statek';
import {
  AgentRecoveryManager,
  AgentStateStore,
  AudioSessionStatus,
  IndexingStatus,
  KnowledgeStateManager,
  OrchestrationStateManager,
  SpeechStateManager,
  StateManager,
  StreamingMode,
  SyncStatus,
  ToolStateManager,
  TranscriptionStatus,
  WorkflowStateManager,
} from 'statek/state';

const store = await openStore('memory:');
for (const part of [namedValues, agents, workflows, teams, knowledge, tools, speech]) await part(store);
await store.close();

function title(text: string): void {
  console.log(`\n${text}`);
}

async function namedValues(on: Store): Promise<void> {
  title('Named values');
  const state = new StateManager({ store: on, keyPrefix: 'example:' });
  const heard: string[] = [];
  const onChange = (key: string, before: unknown, after: unknown): void => {
    heard.push(`${key}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  };
  const subscription = state.subscribe('agent:*', onChange, { since: await state.revision() });
  await state.save('agent:researcher', { status: 'running', currentTask: 'analyze_data', progress: 0.45 });
  await state.update('agent:researcher', { progress: 0.75 });
  console.log(await state.get('agent:researcher'));
  console.log((await state.listKeys('agent:*')).keys);
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(heard.join('\n'));
  subscription.unsubscribe();
  await state.delete('agent:researcher');
  console.log(await state.get('agent:researcher'));
  await state.close();
}

async function agents(on: Store): Promise<void> {
  title('Agents');
  const agentStore = new AgentStateStore({ store: on });
  await agentStore.saveSnapshot({
    agentId: 'researcher_01',
    memoryState: { topics: ['durability'] },
    toolState: { searches: 3 },
    conversationHistory: [{ role: 'user', content: 'Find three papers.' }],
    metadata: { version: '1.0', taskCount: 42 },
  });
  for (const { snapshotId, metadata } of await agentStore.listSnapshots('researcher_01'))
    console.log(snapshotId, metadata);
  await agentStore.saveCheckpoint({
    agentId: 'researcher_01',
    checkpointId: 'task_step_5',
    step: 5,
    state: { currentTask: 'data_analysis', tokensUsed: 15_000 },
  });
  const recovery = new AgentRecoveryManager({ agentStore, maxRecoveryAttempts: 3 });
  await recovery.register('researcher_01', ({ checkpoint }) => console.log('goes on with', checkpoint?.state));
  await recovery.onFailure('researcher_01', new Error('Connection lost'));
  const { from } = await recovery.recover('researcher_01', { from: 'latest' });
  console.log('recovered from', from?.id);
  await recovery.close();
  await agentStore.close();
}

async function workflows(on: Store): Promise<void> {
  title('Workflows');
  const workflow = new WorkflowStateManager({ store: on, checkpointInterval: 5 });
  await workflow.create({ workflowId: 'research_pipeline', totalSteps: 10, context: { topic: 'AI trends' } });
  await workflow.updateStep('research_pipeline', {
    stepNumber: 1,
    name: 'data_collection',
    status: 'completed',
    result: { documents: 150 },
    durationMs: 5400,
  });
  const current = await workflow.get('research_pipeline');
  console.log(`${current.status}, ${current.currentStep}/${current.totalSteps}`);
  await workflow.checkpoint('research_pipeline', { checkpointId: 'step_1_complete' });
  await workflow.pause('research_pipeline');
  console.log(await workflow.getStatus('research_pipeline'));
  await workflow.resume('research_pipeline');
  const again = await workflow.resumeFrom('research_pipeline', 'step_1_complete', { id: 'second_try' });
  console.log(`${again.workflowId} begins at step ${again.currentStep}`);
  await workflow.cancel('research_pipeline', 'User requested cancellation');
  console.log(await workflow.getStatus('research_pipeline'));
  await workflow.close();
}

async function teams(on: Store): Promise<void> {
  title('Teams');
  const team = new OrchestrationStateManager({ store: on });
  await team.createTeam({
    teamId: 'research_team',
    agents: {
      researcher: { capabilities: ['research', 'analysis'] },
      writer: { capabilities: ['writing', 'editing'] },
    },
  });
  const free = await team.getAvailableAgents('research_team', { capability: 'research' });
  console.log(free.map(({ agentId }) => agentId));
  await team.enqueueTask('research_team', {
    taskId: 'task_002',
    type: 'analysis',
    priority: 'high',
    data: { topic: 'AI trends' },
  });
  await team.assignTask('research_team', 'task_002', 'researcher');
  await team.claimTask('research_team', 'researcher');
  const members = (await team.getTeam('research_team'))?.agents ?? {};
  for (const [agentId, { availability }] of Object.entries(members)) console.log(`${agentId}: ${availability}`);
  await team.completeTask('research_team', 'task_002', { analysis: 'It grows.' });
  const { pending, inProgress, completed } = await team.getQueueStatus('research_team');
  console.log(`pending ${pending.length}, in progress ${inProgress.length}, completed ${completed.length}`);
  await team.close();
}

async function knowledge(on: Store): Promise<void> {
  title('Knowledge');
  const base = new KnowledgeStateManager({ store: on });
  await base.createKnowledgeBase('company_docs');
  // Indexing that is done elsewhere is reported.
  await base.updateIndexingProgress({
    knowledgeBaseId: 'company_docs',
    sourceId: 'confluence_docs',
    status: IndexingStatus.IN_PROGRESS,
    totalDocuments: 1000,
    processedDocuments: 450,
    failedDocuments: 5,
  });
  await base.updateSourceState({
    knowledgeBaseId: 'company_docs',
    sourceId: 'confluence_docs',
    syncStatus: SyncStatus.SYNCING,
    documentsSynced: 250,
    documentsPending: 50,
  });
  // Indexing that is done here goes on after a crash where it was.
  const pages = [
    { id: 'travel', content: 'Trips by train are paid in advance.' },
    { id: 'leave', content: 'Ask for leave two weeks before it begins.' },
  ];
  const report = await base.index('handbook', pages, undefined, { knowledgeBase: 'company_docs' });
  console.log(report);
  const { results } = await base.search('company_docs', 'train trips');
  console.log(results.map(({ itemId }) => itemId));
  for (const { sourceId, syncStatus } of await base.getSources('company_docs'))
    console.log(`${sourceId}: ${syncStatus}`);
  await base.close();
}

async function tools(on: Store): Promise<void> {
  title('Tools');
  const state = new ToolStateManager({ store: on, cacheResults: true, cacheTtl: 3600 });
  const query = { query: 'AI news' };
  await state.startExecution({ executionId: 'exec_001', toolName: 'search_web', parameters: query });
  await state.completeExecution('exec_001', { result: { results: ['one'] }, durationMs: 1500 });
  await state.cacheResult({ toolName: 'search_web', parameters: query, result: { results: ['one'] } });
  const cached = await state.getCachedResult('search_web', query);
  console.log(cached.status);
  await state.startExecution({ executionId: 'exec_002', toolName: 'search_web', parameters: { query: 'more' } });
  await state.failExecution('exec_002', { error: new Error('Connection timeout'), durationMs: 500 });
  await state.updateRetryState({
    executionId: 'exec_002',
    attempts: 2,
    maxAttempts: 5,
    lastError: 'Connection timeout',
    backoffFactor: 2,
  });
  console.log(
    (await state.getPendingRetries()).map(({ executionId, attempts }) => `${executionId}: ${attempts} attempts`),
  );
  const stats = await state.getToolStats('search_web');
  console.log(`${stats.totalExecutions} executions, ${stats.cacheHits} from the cache, ${stats.failed} failed`);
  await state.close();
}

async function speech(on: Store): Promise<void> {
  title('Speech');
  const voice = new SpeechStateManager({ store: on });
  const sessionId = await voice.createSession({
    sessionType: 'voice_conversation',
    streamingMode: StreamingMode.BIDIRECTIONAL,
    config: { sttProvider: 'openai', ttsProvider: 'elevenlabs', language: 'en-US' },
  });
  await voice.updateSessionStatus(sessionId, AudioSessionStatus.ACTIVE);
  await voice.updateSttState({
    sessionId,
    status: TranscriptionStatus.TRANSCRIBING,
    audioReceivedBytes: 45_000,
    transcriptionProgress: 0.6,
  });
  console.log(`${((await voice.getSttState(sessionId)).transcriptionProgress ?? 0) * 100} % transcribed`);
  await voice.updateTtsState({
    sessionId,
    textQueue: ['Hello! How can I help you today?'],
    audioGeneratedBytes: 12_000,
    audioPlayedBytes: 8000,
  });
  console.log('speaking:', (await voice.getTtsState(sessionId)).isSpeaking);
  const { turnCount, currentSpeaker } = await voice.updateConversationState({
    sessionId,
    transcript: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi! How can I help?' },
    ],
  });
  console.log(`${turnCount} turns, the last by the ${currentSpeaker}`);
  console.log((await voice.endSession(sessionId, 'user_ended')).status);
  await voice.close();
}
