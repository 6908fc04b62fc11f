import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/door.ts';
import { ToolStateManager, type ToolStateManagerOptions } from './tool-state-manager.ts';

function opened(options: ToolStateManagerOptions = {}): { tools: ToolStateManager; clock: ManualClock } {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 10));
  const tools = new ToolStateManager({ clock, ...options });
  onTestFinished(() => tools.close());
  return { tools, clock };
}

describe('executions', () => {
  it('derives the status from what was reported', async () => {
    const { tools, clock } = opened();
    const begun = await tools.startExecution({
      executionId: 'exec_001',
      toolName: 'search_web',
      parameters: { query: 'news' },
      role: 'researcher',
      metadata: { tenant: 7 },
    });
    expect(begun).toMatchObject({ status: 'running', parameters: { query: 'news' }, metadata: { tenant: 7 } });
    clock.advance(1500);
    await tools.completeExecution('exec_001', { result: { results: [1] } });
    expect(await tools.getExecution('exec_001')).toMatchObject({
      status: 'completed',
      result: { results: [1] },
      durationMs: 1500,
      completedAt: new Date(clock.now()),
      cached: false,
      attempts: 1,
      role: 'researcher',
      jobId: undefined,
    });
    expect(await tools.getExecution('exec_002')).toBeUndefined();
  });

  it('refuses changes that the status does not allow', async () => {
    const { tools } = opened();
    await expect(tools.completeExecution('none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
    await tools.startExecution({ executionId: 'one', toolName: 'a' });
    await tools.cancelExecution('one', { reason: 'not needed' });
    await expect(tools.completeExecution('one')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
    await expect(tools.cancelExecution('one')).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    expect(await tools.getExecution('one')).toMatchObject({ status: 'cancelled', error: 'not needed' });
    await expect(tools.startExecution({ toolName: '' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(tools.startExecution({ toolName: 'a', colour: 'red' } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(() => new ToolStateManager({ cacheTtl: 0 })).toThrow('cacheTtl');
  });

  it('takes a report with an idempotency key once, and refuses the key for another report', async () => {
    const { tools } = opened();
    await tools.startExecution({ executionId: 'one', toolName: 'a', idempotencyKey: 'begin' });
    await tools.startExecution({ executionId: 'one', toolName: 'a', idempotencyKey: 'begin' });
    await tools.completeExecution('one', { result: 1, idempotencyKey: 'end' });
    expect(await tools.completeExecution('one', { result: 1, idempotencyKey: 'end' })).toMatchObject({ result: 1 });
    await expect(tools.completeExecution('one', { result: 2, idempotencyKey: 'end' })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    expect((await tools.getToolStats('a')).totalExecutions).toBe(1);
  });

  it('pages the history by tool, role and time', async () => {
    const { tools, clock } = opened();
    for (let number = 0; number < 25; number++) {
      clock.advance(60_000);
      const role = number % 2 === 0 ? 'even' : 'odd';
      await tools.startExecution({ executionId: `e${number}`, toolName: number < 20 ? 'a' : 'b', role });
    }
    const first = await tools.getExecutionHistory({ toolName: 'a', limit: 15 });
    const second = await tools.getExecutionHistory({ toolName: 'a', limit: 15, cursor: first.cursor });
    const ids = [...first.executions, ...second.executions].map(({ executionId }) => executionId);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, number) => `e${19 - number}`));
    expect(second.cursor).toBeUndefined();
    const odd = await tools.getExecutionHistory({ role: 'odd', limit: 4 });
    expect(odd.executions.map(({ executionId }) => executionId)).toEqual(['e23', 'e21', 'e19', 'e17']);
    const late = await tools.getExecutionHistory({ since: new Date(clock.now() - 120_000) });
    expect(late.executions).toHaveLength(3);
    expect(await tools.deleteHistory({ before: new Date(clock.now()) })).toBe(24);
    expect((await tools.getExecutionHistory()).executions.map(({ executionId }) => executionId)).toEqual(['e24']);
    expect((await tools.getExecutionHistory({ toolName: 'a' })).executions).toEqual([]);
  });

  it('keeps managers with different prefixes apart', async () => {
    const store = await openStore('memory:');
    onTestFinished(() => store.close());
    const one = opened({ store, keyPrefix: 'one' }).tools;
    const two = opened({ store, keyPrefix: 'two' }).tools;
    await one.startExecution({ executionId: 'e', toolName: 'a' });
    await one.completeExecution('e');
    expect(await two.getExecution('e')).toBeUndefined();
    expect((await two.getToolStats('a')).totalExecutions).toBe(0);
    expect((await two.getExecutionHistory()).executions).toEqual([]);
  });
});

describe('cached results', () => {
  it('tells hit, expired and absent apart, at the exact moment', async () => {
    const { tools, clock } = opened({ cacheTtl: 60 });
    expect(await tools.getCachedResult('a', { x: 1 })).toEqual({ status: 'absent' });
    await tools.cacheResult({ toolName: 'a', parameters: { x: 1, y: { b: 2, a: 1 } }, result: 'found' });
    clock.advance(59_999);
    expect(await tools.getCachedResult('a', { y: { a: 1, b: 2 }, x: 1 })).toMatchObject({
      status: 'hit',
      result: 'found',
      ttl: 60,
    });
    clock.advance(1);
    expect(await tools.getCachedResult('a', { x: 1, y: { a: 1, b: 2 } })).toEqual({
      status: 'expired',
      expiredAt: new Date(clock.now()),
    });
  });

  it('tells versions and scopes apart', async () => {
    const { tools } = opened();
    await tools.cacheResult({ toolName: 'a', parameters: 1, result: 'plain' });
    await tools.cacheResult({ toolName: 'a', parameters: 1, result: 'second', version: '2' });
    await tools.cacheResult({ toolName: 'a', parameters: 1, result: 'mine', version: '2', scope: 'tenant' });
    const results = await Promise.all([
      tools.getCachedResult('a', 1),
      tools.getCachedResult('a', 1, { version: '2' }),
      tools.getCachedResult('a', 1, { version: '2', scope: 'tenant' }),
      tools.getCachedResult('a', 1, { version: '3' }),
    ]);
    expect(results.map((found) => (found.status === 'hit' ? found.result : found.status))).toEqual([
      'plain',
      'second',
      'mine',
      'absent',
    ]);
    expect(await tools.invalidateCache('a', { version: '2' })).toBe(2);
    expect(await tools.invalidateCache('a', { parameters: 1 })).toBe(1);
    expect(await tools.invalidateCache('a')).toBe(0);
  });

  it('caches what completes, and counts hits', async () => {
    const { tools } = opened({ cacheResults: true, cacheTtl: 3600 });
    await tools.startExecution({ executionId: 'one', toolName: 'a', parameters: { q: 1 } });
    await tools.completeExecution('one', { result: 'found', durationMs: 10 });
    expect(await tools.getCachedResult('a', { q: 1 })).toMatchObject({ status: 'hit', result: 'found' });
    const stats = await tools.getToolStats('a');
    expect(stats).toMatchObject({ totalExecutions: 2, cacheHits: 1, cacheHitRate: 0.5, avgDurationMs: 10 });
    const { executions } = await tools.getExecutionHistory({ toolName: 'a' });
    expect(executions.filter(({ cached }) => cached)).toHaveLength(1);
  });

  it('loads once for all who miss at the same time, and again after a failure', async () => {
    const { tools } = opened({ clock: undefined });
    let loads = 0;
    const load = async (): Promise<number> => {
      loads++;
      await new Promise((resolve) => setImmediate(resolve));
      if (loads === 1) throw new Error('not yet');
      return 42;
    };
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => tools.getOrLoad('a', { q: 1 }, load)));
    expect(loads).toBe(2);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await tools.getToolStats('a')).toMatchObject({
      totalExecutions: 20,
      failed: 1,
      completed: 19,
      cacheHits: 18,
    });
  });
});

describe('retries', () => {
  it('is handed to one worker when its time has come', async () => {
    const { tools, clock } = opened();
    await tools.startExecution({ executionId: 'one', toolName: 'a' });
    await tools.failExecution('one', { error: new Error('Connection timeout') });
    const state = await tools.updateRetryState({
      executionId: 'one',
      attempts: 2,
      maxAttempts: 5,
      lastError: 'Connection timeout',
      backoffFactor: 3,
    });
    expect(state).toMatchObject({ nextRetryAt: new Date(clock.now() + 3000), exhausted: false });
    expect(await tools.claimRetry()).toBeUndefined();
    expect(await tools.getPendingRetries({ due: true })).toEqual([]);
    expect(await tools.getPendingRetries()).toEqual([state]);
    clock.advance(3000);
    const claimed = await tools.claimRetry();
    expect(claimed).toMatchObject({ executionId: 'one', attempts: 2 });
    expect(await tools.claimRetry()).toBeUndefined();
    await tools.startExecution({ executionId: 'one', toolName: 'a' });
    const done = await tools.completeExecution('one', { result: 1, claim: claimed?.claim });
    expect(done).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await tools.getPendingRetries()).toEqual([]);
    expect(await tools.getRetryState('one')).toBeUndefined();
  });

  it('is over after the last attempt', async () => {
    const { tools } = opened();
    const last = await tools.updateRetryState({ executionId: 'one', attempts: 3, maxAttempts: 3 });
    expect(last).toMatchObject({ nextRetryAt: undefined, exhausted: true });
    expect(await tools.getPendingRetries()).toEqual([]);
  });

  it('refuses what a worker says whose lease was taken over', async () => {
    const { tools } = opened({ clock: undefined });
    await tools.startExecution({ executionId: 'one', toolName: 'a' });
    await tools.failExecution('one', { error: 'lost' });
    await tools.updateRetryState({ executionId: 'one', attempts: 1, maxAttempts: 3, nextRetryAt: new Date(0) });
    const slow = await tools.claimRetry({ leaseMilliseconds: 1 });
    let other;
    while (other === undefined) other = await tools.claimRetry();
    await expect(tools.completeExecution('one', { claim: slow?.claim })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    await tools.completeExecution('one', { claim: other.claim });
  });
});

describe('statistics', () => {
  it('counts by tool, role and time', async () => {
    const { tools, clock } = opened();
    const begin = clock.now();
    for (let number = 1; number <= 100; number++) {
      const executionId = `e${number}`;
      await tools.startExecution({ executionId, toolName: number <= 90 ? 'a' : 'b', role: number % 4 ? 'x' : 'y' });
      if (number % 10 === 0) await tools.failExecution(executionId, { error: 'no', durationMs: number });
      else await tools.completeExecution(executionId, { durationMs: number });
      clock.advance(3_600_000);
    }
    const all = await tools.getToolStats();
    expect(all).toMatchObject({ totalExecutions: 100, completed: 90, failed: 10, successRate: 0.9, errorRate: 0.1 });
    expect(all.avgDurationMs).toBe(50.5);
    expect(Math.abs((all.p50DurationMs ?? 0) - 50)).toBeLessThan(1);
    expect(Math.abs((all.p95DurationMs ?? 0) - 95)).toBeLessThan(1.9);
    expect(Math.abs((all.p99DurationMs ?? 0) - 99)).toBeLessThan(1.98);
    expect(all).toMatchObject({ minDurationMs: 1, maxDurationMs: 100, from: undefined });
    expect(await tools.getToolStats('b')).toMatchObject({ totalExecutions: 10 });
    expect(await tools.getToolStats('a', { role: 'y' })).toMatchObject({ totalExecutions: 22 });
    // Hours at both ends, and whole days between them.
    const some = { since: new Date(begin + 5 * 3_600_000 + 1), until: new Date(begin + 75 * 3_600_000 + 1) };
    expect(await tools.getToolStats(undefined, some)).toMatchObject({
      totalExecutions: 70,
      from: new Date(begin + 5 * 3_600_000),
      until: new Date(begin + 75 * 3_600_000),
    });
    const byTool = await tools.listToolStats({ by: 'tool' });
    expect(byTool.map(({ toolName, totalExecutions }) => [toolName, totalExecutions])).toEqual([
      ['a', 90],
      ['b', 10],
    ]);
    const byRole = await tools.listToolStats({ by: 'role' });
    expect(byRole.map(({ role, totalExecutions }) => [role, totalExecutions])).toEqual([
      ['x', 75],
      ['y', 25],
    ]);
    const byDay = await tools.listToolStats({ by: 'day', ...some });
    expect(byDay.map(({ totalExecutions }) => totalExecutions)).toEqual([9, 24, 24, 13]);
    expect(await tools.listToolStats({ by: 'hour' })).toHaveLength(100);
  });

  it('has nothing to say of no executions', async () => {
    const { tools } = opened();
    expect(await tools.getToolStats('a')).toMatchObject({
      totalExecutions: 0,
      successRate: 0,
      avgDurationMs: undefined,
      p99DurationMs: undefined,
    });
  });
});
