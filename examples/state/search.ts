// A web search with a cache, retries and statistics: first as a tool of an agent, where all of it is declared; then for searches that an
// application makes itself and reports.
import { Agent, Statek, tool } from 'statek';
import { ToolStateManager } from 'statek/state';
import { scriptedModel } from 'statek/testing';
import { exampleModels } from '../models.ts';

export async function webSearch(folder: string): Promise<void> {
  await asTool(folder);
  await byHand(`${folder}-reported`);
}

async function asTool(folder: string): Promise<void> {
  const search = tool({
    name: 'search',
    description: 'Searches the web.',
    cache: { ttl: 3_600_000, scope: 'kit' }, // one result for all agents, for an hour
    retry: { attempts: 3, backoff: 1 },
    execute: async ({ query }: { query: string }, { attempt }) => {
      if (attempt === 1) throw new Error('The connection was reset.');
      return `three pages about ${query}`;
    },
  });
  const script = scriptedModel(
    ["print(await search({ query: 'night trains' }));\nprint(await search({ query: 'night trains' }));\nexit()"],
    { by: 'turn' },
  );
  const reader = new Agent({
    role: 'reader',
    chatStyle: 'CONSOLE',
    systemPrompt: 'You search with search({ query }), print what you find, and end with exit().',
    tools: [search],
    metadata: { MODEL: 'script' },
  });
  const kit = await Statek.open({ store: folder, agents: [reader], models: exampleModels({ script }) });
  const job = await kit.submit(reader, { message: 'Search for night trains, twice.' });
  await job.result();
  console.log(await job.console());
  for (const { name, cached, attempts } of (await job.calls()).filter(({ by }) => by === 'program'))
    console.log(`  ${name} ${cached ? 'from the cache' : `${attempts.length} attempts`}`);
  const { totalExecutions, successRate, cacheHitRate } = await kit.tools.getToolStats('search');
  console.log(
    `  ${totalExecutions} executions, ${successRate * 100} % succeeded, ${cacheHitRate * 100} % from the cache`,
  );
  await kit.close();
}

async function byHand(folder: string): Promise<void> {
  const tools = new ToolStateManager({ store: folder, cacheTtl: 3600 });
  // Three ask at the same time, and the web is asked once.
  let loads = 0;
  const load = async (): Promise<string[]> => [`page ${++loads}`];
  const found = await Promise.all([1, 2, 3].map(() => tools.getOrLoad('search', { query: 'trams' }, load)));
  console.log(`reported: ${found.length} results, the web was asked ${loads === 1 ? 'once' : `${loads} times`}`);

  await tools.startExecution({ executionId: 'e1', toolName: 'search', parameters: { query: 'ferries' } });
  await tools.failExecution('e1', { error: new Error('Timeout'), durationMs: 500 });
  await tools.updateRetryState({ executionId: 'e1', attempts: 1, maxAttempts: 5, nextRetryAt: new Date() });
  // Of however many workers, one gets the retry, under a lease.
  const [mine, theirs] = [await tools.claimRetry(), await tools.claimRetry()];
  console.log(`  retry: ${mine?.executionId}, for a second worker: ${theirs?.executionId ?? 'nothing'}`);
  await tools.completeExecution('e1', { result: ['a ferry'], durationMs: 300, claim: mine?.claim });
  const { totalExecutions, completed, failed, cacheHits } = await tools.getToolStats('search');
  console.log(`  ${totalExecutions} executions: ${completed} completed, ${failed} failed, ${cacheHits} from the cache`);
  await tools.close();
}
