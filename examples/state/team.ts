// A research team: members with capabilities share a queue of tasks. A member dies over a task, and another one gets it.
import { OrchestrationStateManager } from 'statek/state';

export async function researchTeam(folder: string): Promise<void> {
  // Each manager stands for a process: its members are there as long as it is.
  const desk = new OrchestrationStateManager({ store: folder });
  const laptop = new OrchestrationStateManager({ store: folder });
  await desk.createTeam({
    teamId: 'research',
    agents: { ann: { capabilities: ['search'] }, bob: { capabilities: ['writing'] } },
  });
  await laptop.addAgent('research', 'eve', { capabilities: ['search'] });

  await desk.enqueueTask('research', { taskId: 'notes', capability: 'writing', priority: 'low' });
  await desk.enqueueTask('research', { taskId: 'sources', capability: 'search' });
  await desk.enqueueTask('research', { taskId: 'deadline', capability: 'search', priority: 'critical' });

  // The most urgent task comes first, though it came last.
  const urgent = await laptop.claimTask('research', 'eve');
  const next = await desk.claimTask('research', 'ann');
  console.log(`eve has ${urgent?.task.taskId}, ann has ${next?.task.taskId}`);
  const free = await desk.getAvailableAgents('research');
  console.log(`free: ${free.map(({ agentId }) => agentId).join(', ')}`);
  await desk
    .completeTask('research', 'deadline', 'done')
    .catch((error: unknown) => console.log(`refused: ${(error as Error).name}`)); // it is not theirs

  await laptop.close(); // its process is gone, and what it held returns
  await desk.completeTask('research', 'sources', { found: 3 });
  const returned = await desk.claimTask('research', 'ann', { waitMilliseconds: 10_000 });
  console.log(
    `eve is ${(await desk.getTeam('research'))?.agents['eve']?.availability}, ann has ${returned?.task.taskId}`,
  );
  await desk.completeTask('research', 'deadline', { sent: true });
  const { pending, totals } = await desk.getQueueStatus('research');
  console.log(`completed ${totals.completed}, pending: ${pending.map(({ taskId }) => taskId).join(', ')}`);
  await desk.close();
}
