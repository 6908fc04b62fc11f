// AgenticAI's snippets for AgentStateStore and AgentRecoveryManager, line by line.
import { AgentRecoveryManager, AgentStateStore, type NewAgentCheckpoint, type NewAgentSnapshot } from 'statek/state';

export async function agents(folder: string): Promise<void> {
  const agentStore = new AgentStateStore({ persistence: 'sqlite', filePath: folder });

  const snapshot: NewAgentSnapshot = {
    agentId: 'researcher_01',
    timestamp: new Date('2026-03-04T09:00:00Z'),
    memoryState: { facts: ['Trains run at night.'] },
    toolState: { search: 'ready' },
    conversationHistory: [{ role: 'user', content: 'Find trains.' }],
    metadata: { version: '1.0', task_count: 42 },
  };
  await agentStore.saveSnapshot(snapshot);
  for (const snap of await agentStore.listSnapshots('researcher_01'))
    console.log(`Snapshot: ${snap.timestamp.toISOString()} - ${JSON.stringify(snap.metadata)}`);

  const checkpoint: NewAgentCheckpoint = {
    agentId: 'researcher_01',
    checkpointId: 'task_step_5',
    step: 5,
    state: { current_task: 'data_analysis', intermediate_results: [1, 2], tokens_used: 15_000 },
    recoverable: true,
  };
  await agentStore.saveCheckpoint(checkpoint);
  // One that is not there is an error; there is no None to forget about.
  const { state } = await agentStore.getCheckpoint('researcher_01', 'task_step_5');
  console.log('restored:', state);

  const recoveryManager = new AgentRecoveryManager({ agentStore, autoRecover: false, maxRecoveryAttempts: 3 });
  // Instead of the agent: its id, and how it goes on.
  await recoveryManager.register('researcher_01', (recovery) =>
    console.log(`goes on after step ${recovery.checkpoint?.step}`),
  );
  try {
    throw new Error('Connection lost');
  } catch (error) {
    await recoveryManager.onFailure('researcher_01', error);
    const recovered = await recoveryManager.recover('researcher_01', { from: 'latest' });
    console.log(`Agent recovered successfully from ${recovered.from?.id}`);
    await recoveryManager.onSuccess('researcher_01');
  }
  await recoveryManager.close();
  await agentStore.close();
}
