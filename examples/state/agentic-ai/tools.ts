// AgenticAI's snippets for ToolStateManager, line by line.
import {
  ToolExecutionStatus,
  ToolStateManager,
  type NewCacheEntry,
  type NewRetryState,
  type NewToolExecution,
} from 'statek/state';

export async function tools(folder: string): Promise<void> {
  const toolState = new ToolStateManager({
    persistence: 'sqlite',
    filePath: folder,
    cacheResults: true,
    cacheTtl: 3600,
  });

  const execution: NewToolExecution = {
    executionId: 'exec_001',
    toolName: 'search_web',
    status: ToolExecutionStatus.RUNNING,
    startedAt: new Date(),
    parameters: { query: 'AI news' },
  };
  await toolState.startExecution(execution);
  await toolState.completeExecution('exec_001', { result: { results: ['one'] }, durationMs: 1500 });
  const history = await toolState.getExecutionHistory({ toolName: 'search_web', limit: 100 });
  console.log(history.executions.map(({ executionId, status }) => `${executionId} ${status}`));

  const cacheEntry: NewCacheEntry = {
    toolName: 'search_web',
    parametersHash: 'abc123',
    result: { results: ['two'] },
    createdAt: new Date(),
    ttl: 3600,
  };
  await toolState.cacheResult(cacheEntry);
  // Says whether there is a result, was one, or never was one.
  const cached = await toolState.getCachedResult('search_web', { query: 'AI news' });
  if (cached.status === 'hit') console.log('Using cached result', cached.result);

  const retryState: NewRetryState = {
    executionId: 'exec_002',
    attempts: 2,
    maxAttempts: 5,
    lastError: 'Connection timeout',
    nextRetryAt: new Date(Date.now() - 1000),
    backoffFactor: 2,
  };
  await toolState.updateRetryState(retryState);
  for (const retry of await toolState.getPendingRetries())
    if (retry.nextRetryAt !== undefined && retry.nextRetryAt <= new Date())
      console.log(`retries ${retry.executionId}: ${retry.lastError}`); // claimRetry() hands it to one worker

  const stats = await toolState.getToolStats('search_web');
  const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;
  console.log(`Total Executions: ${stats.totalExecutions}`); // an answer of the cache is one, too
  console.log(`Success Rate: ${percent(stats.successRate)}`);
  console.log(`Avg Duration: ${stats.avgDurationMs}ms`);
  console.log(`Cache Hit Rate: ${percent(stats.cacheHitRate)}`);
  console.log(`Error Rate: ${percent(stats.errorRate)}`);
  await toolState.close();
}
