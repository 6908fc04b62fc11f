// Commands of the managers that the killed process and the one after it give: each report has an idempotency key, so that one that
// was made before the kill and not acknowledged is made again without harm.
import { type Store } from '../../../src/index.ts';
import { AgentRecoveryManager, AgentStateStore, ToolStateManager, WorkflowStateManager } from '../../../src/state.ts';

export const rounds = 40;

export interface Managers {
  readonly tools: ToolStateManager;
  readonly workflows: WorkflowStateManager;
  readonly agents: AgentStateStore;
  readonly recovery: AgentRecoveryManager;
}

export function managersOn(store: Store): Managers {
  const agents = new AgentStateStore({ store, keyPrefix: 'kill', keepSnapshots: 3 });
  return {
    tools: new ToolStateManager({ store, keyPrefix: 'kill', cacheResults: true }),
    workflows: new WorkflowStateManager({ store, keyPrefix: 'kill', checkpointInterval: 5 }),
    agents,
    recovery: new AgentRecoveryManager({
      agentStore: agents,
      maxRecoveryAttempts: 1000,
      backoff: { initial: 0 },
      leaseMilliseconds: 1,
    }),
  };
}

/** One of everything, in order. What is begun and not acknowledged may be given again. */
export async function command({ tools, workflows, agents, recovery }: Managers, round: number): Promise<void> {
  const executionId = `execution ${round}`;
  await tools.startExecution({ executionId, toolName: 'search', parameters: { round }, idempotencyKey: 'start' });
  if (round % 4 === 0) {
    await tools.failExecution(executionId, { error: 'no', durationMs: round, idempotencyKey: 'fail' });
    await tools.updateRetryState({ executionId, attempts: 1, maxAttempts: 2, nextRetryAt: new Date(0) });
  } else await tools.completeExecution(executionId, { result: round, durationMs: round, idempotencyKey: 'end' });
  await workflows.create({ workflowId: 'w', totalSteps: rounds, idempotencyKey: 'create' });
  const step = { stepNumber: round, status: 'completed' as const, result: round, durationMs: 1 };
  await workflows.updateStep('w', step, { idempotencyKey: `step ${round}` });
  await unlessThere(() => workflows.checkpoint('w', { checkpointId: `mine ${round}` }));
  await unlessThere(() => workflows.resumeFrom('w', `mine ${round}`, { id: `resumed ${round}` }));
  await unlessThere(() => agents.saveSnapshot({ agentId: 'a', snapshotId: `s${round}`, memoryState: round }));
  await unlessThere(() => agents.saveCheckpoint({ agentId: 'a', checkpointId: `c${round}`, step: round }));
  await recovery.onFailure('a', `failure ${round}`, { idempotencyKey: `failure ${round}` });
  // The lease of the process that was killed may not have expired yet.
  await unlessThere(() => recovery.recover('a'));
}

async function unlessThere(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if ((error as { code?: string }).code !== 'STATE_CONFLICT') throw error;
  }
}
