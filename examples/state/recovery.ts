// Checkpoint and recovery by hand: a loop of one's own, outside of any kit, that reports how far it came. (A job of a kit needs none
// of this: it goes on by itself, inside a line of code.)
import { AgentRecoveryManager, AgentStateStore } from 'statek/state';

const papers = ['Solaris', 'Eden', 'Ubik', 'Fiasco', 'Dune', 'Flow my tears'];

export async function recoveryByHand(folder: string): Promise<void> {
  await inProcess(folder, 'first', async ({ agentStore }) => read(agentStore, 0, { failsAt: 3 }));
  await inProcess(folder, 'second', async ({ recovery }) => {
    const { reason, attemptsLeft } = await recovery.canRecover('reader');
    console.log(`another process: ${reason}, ${attemptsLeft} attempts left`);
    const { from } = await recovery.recover('reader', { from: 'latest' });
    console.log(`recovered from ${from?.id}`);
    const { failures, attemptsLeft: left } = await recovery.onSuccess('reader');
    console.log(`after a success: ${failures} failures, ${left} attempts left`);
  });
}

interface Parts {
  readonly agentStore: AgentStateStore;
  readonly recovery: AgentRecoveryManager;
}

/** What a process of the application does: it knows how the agent goes on, and reports when it has failed. */
async function inProcess(folder: string, name: string, work: (parts: Parts) => Promise<void>): Promise<void> {
  const agentStore = new AgentStateStore({ store: folder, keepCheckpoints: 3 });
  const recovery = new AgentRecoveryManager({ agentStore, autoRecover: false, maxRecoveryAttempts: 3 });
  await recovery.register('reader', ({ checkpoint }) => read(agentStore, checkpoint?.step ?? 0, {}));
  try {
    await work({ agentStore, recovery });
  } catch (error) {
    console.log(`${name} process: ${(error as Error).message}`);
    await recovery.onFailure('reader', error, { idempotencyKey: name });
  }
  await recovery.close();
  await agentStore.close();
}

async function read(agentStore: AgentStateStore, from: number, { failsAt }: { failsAt?: number }): Promise<void> {
  for (const [index, paper] of papers.entries()) {
    if (index < from) continue;
    if (index === failsAt) throw new Error(`The connection was lost over ${paper}.`);
    console.log(`  reads ${paper}`);
    const step = index + 1;
    await agentStore.saveCheckpoint({ agentId: 'reader', checkpointId: `paper_${step}`, step, state: { last: paper } });
  }
}
