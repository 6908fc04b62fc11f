// AgenticAI's snippets for OrchestrationStateManager, line by line.
import { OrchestrationStateManager, type NewTeam } from 'statek/state';

export async function teams(folder: string): Promise<void> {
  const orchState = new OrchestrationStateManager({ persistence: 'sqlite', filePath: folder, syncInterval: 1 });

  // New members are idle without a task, and a new queue is empty: nobody says so.
  const teamState: NewTeam = {
    teamId: 'research_team',
    agents: {
      researcher: { capabilities: ['research', 'analysis'] },
      writer: { capabilities: ['writing', 'editing'] },
    },
  };
  await orchState.createTeam(teamState);

  await orchState.updateAgentStatus('research_team', 'researcher', { status: 'working', currentTask: 'task_001' });
  const team = await orchState.getTeam('research_team');
  for (const [agentId, agentState] of Object.entries(team?.agents ?? {}))
    console.log(`${agentId}: ${agentState.status}`);
  const available = await orchState.getAvailableAgents('research_team', { capability: 'research' });
  console.log(available.length);
  await orchState.updateAgentStatus('research_team', 'researcher', { status: 'idle' });

  await orchState.enqueueTask('research_team', {
    taskId: 'task_002',
    type: 'analysis',
    priority: 'high',
    data: { topic: 'AI trends' },
  });
  await orchState.assignTask('research_team', 'task_002', 'researcher');
  await orchState.completeTask('research_team', 'task_002', { analysis: '...' });
  const queue = await orchState.getQueueStatus('research_team');
  console.log(`Pending: ${queue.pending.length}`);
  console.log(`In Progress: ${queue.inProgress.length}`);
  console.log(`Completed: ${queue.completed.length}`);
  await orchState.close();
}
