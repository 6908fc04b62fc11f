import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/door.ts';
import { AgentRecoveryManager, type AgentRecoveryManagerOptions } from './agent-recovery-manager.ts';
import { AgentStateStore, type AgentStateStoreOptions } from './agent-state-store.ts';
import type { AgentRecovery } from './records.ts';

function opened(options: AgentStateStoreOptions = {}): { agents: AgentStateStore; clock: ManualClock } {
  const clock = new ManualClock(1_000_000);
  const agents = new AgentStateStore({ clock, ...options });
  onTestFinished(() => agents.close());
  return { agents, clock };
}

describe('snapshots and checkpoints', () => {
  it('are found by id, and the latest without one', async () => {
    const { agents, clock } = opened();
    const saved = await agents.saveSnapshot({
      agentId: 'researcher_01',
      memoryState: { facts: 3 },
      toolState: { search: 'open' },
      conversationHistory: [{ role: 'user', content: 'Hello' }],
      metadata: { version: '1.0', taskCount: 42 },
    });
    expect(saved).toMatchObject({ snapshotId: 'snapshot_1', number: 1, timestamp: new Date(1_000_000) });
    clock.advance(1000);
    await agents.saveSnapshot({ agentId: 'researcher_01', snapshotId: 'second' });
    expect(await agents.getSnapshot('researcher_01', 'snapshot_1')).toEqual({
      ...saved,
      memoryState: { facts: 3 },
      toolState: { search: 'open' },
      conversationHistory: [{ role: 'user', content: 'Hello' }],
    });
    expect(await agents.getSnapshot('researcher_01')).toMatchObject({ snapshotId: 'second' });
    expect((await agents.listSnapshots('researcher_01')).map(({ snapshotId }) => snapshotId)).toEqual([
      'snapshot_1',
      'second',
    ]);
    expect(await agents.listSnapshots('researcher_01', { after: 1 })).toHaveLength(1);
    expect(await agents.listSnapshots('researcher')).toEqual([]);
    await expect(agents.getSnapshot('researcher_01', 'none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
    await expect(agents.saveSnapshot({ agentId: 'researcher_01', snapshotId: 'second' })).rejects.toMatchObject({
      code: 'STATE_CONFLICT',
    });
    await expect(agents.saveSnapshot({ agentId: 'a', snapshotId: 'latest' })).rejects.toMatchObject({
      code: 'STATE_ARGUMENT',
    });
  });

  it('are kept by number, not by the order of their names', async () => {
    const { agents } = opened({ keepCheckpoints: 3 });
    for (let step = 1; step <= 12; step++) await agents.saveCheckpoint({ agentId: 'a', step });
    const kept = await agents.listCheckpoints('a');
    expect(kept.map(({ number, checkpointId }) => [number, checkpointId])).toEqual([
      [10, 'checkpoint_10'],
      [11, 'checkpoint_11'],
      [12, 'checkpoint_12'],
    ]);
  });

  it('are what an agent is recovered from', async () => {
    const { agents, clock } = opened();
    await expect(agents.recover('a')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
    await agents.saveSnapshot({ agentId: 'a', memoryState: 1 });
    clock.advance(1);
    await agents.saveCheckpoint({ agentId: 'a', checkpointId: 'task_step_5', step: 5, state: { done: 5 } });
    expect(await agents.recover('a')).toMatchObject({
      from: { kind: 'checkpoint', id: 'task_step_5' },
      checkpoint: { step: 5, state: { done: 5 }, recoverable: true },
      jobId: undefined,
    });
    expect(await agents.recover('a', { from: 'snapshot_1' })).toMatchObject({ snapshot: { memoryState: 1 } });
    await agents.saveCheckpoint({ agentId: 'a', checkpointId: 'broken', recoverable: false });
    await expect(agents.recover('a')).rejects.toMatchObject({ code: 'AGENT_RECOVERY' });
  });
});

describe('recovery', () => {
  async function staged(
    options: AgentRecoveryManagerOptions = {},
  ): Promise<{ recovery: AgentRecoveryManager; clock: ManualClock; agentStore: AgentStateStore }> {
    const { agents, clock } = opened();
    await agents.saveCheckpoint({ agentId: 'a', step: 5, state: 'five' });
    const recovery = new AgentRecoveryManager({ agentStore: agents, ...options });
    onTestFinished(() => recovery.close());
    return { recovery, clock, agentStore: agents };
  }

  it('waits longer each time up to a cap, and ends after the last attempt', async () => {
    const { recovery, clock } = await staged({
      maxRecoveryAttempts: 4,
      backoff: { initial: 100, factor: 10, longest: 500 },
    });
    const given: AgentRecovery[] = [];
    await recovery.register('a', (one) => given.push(one));
    await recovery.onFailure('a', new Error('Connection lost'));
    expect(await recovery.canRecover('a')).toMatchObject({ recoverable: true, reason: 'ready', attemptsLeft: 4 });
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await recovery.recover('a', { from: 'latest' });
      const { nextAttemptAt } = await recovery.getFailureStats('a');
      pauses.push((nextAttemptAt?.getTime() ?? 0) - clock.now());
      await expect(recovery.recover('a')).rejects.toMatchObject({ code: 'AGENT_RECOVERY' });
      expect(await recovery.canRecover('a')).toMatchObject({ recoverable: false, reason: 'backoff' });
      clock.advance(pauses.at(-1) ?? 0);
    }
    expect(pauses).toEqual([100, 500, 500]);
    await recovery.recover('a');
    expect(given).toHaveLength(4);
    expect(given[0]).toMatchObject({ checkpoint: { step: 5, state: 'five' } });
    clock.advance(1_000_000);
    await expect(recovery.recover('a')).rejects.toThrow('no attempt is left');
    expect(await recovery.canRecover('a')).toMatchObject({ recoverable: false, reason: 'attempts' });
    expect(await recovery.getFailureStats('a')).toMatchObject({
      failures: 1,
      attempts: 4,
      recoveries: 4,
      exhausted: true,
      lastFailure: { error: 'Error: Connection lost' },
    });
    await recovery.onSuccess('a');
    expect(await recovery.canRecover('a')).toMatchObject({ recoverable: true, attemptsLeft: 4 });
  });

  it('counts an attempt that failed, and survives a restart', async () => {
    const { recovery, agentStore } = await staged();
    await recovery.register('a', () => Promise.reject(new Error('still down')));
    await recovery.onFailure('a', 'down', { idempotencyKey: 'first' });
    await recovery.onFailure('a', 'down', { idempotencyKey: 'first' });
    await expect(recovery.recover('a')).rejects.toThrow('still down');
    const again = new AgentRecoveryManager({ agentStore });
    expect(await again.getFailureStats('a')).toMatchObject({
      failures: 1,
      attempts: 1,
      recoveries: 0,
      attemptsLeft: 2,
    });
    await again.close();
  });

  it('is done by one process at a time', async () => {
    const { recovery, agentStore } = await staged();
    const other = new AgentRecoveryManager({ agentStore });
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    await recovery.register('a', async () => {
      begun.resolve();
      await go.promise;
    });
    const first = recovery.recover('a');
    await begun.promise;
    await expect(other.recover('a')).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    go.resolve();
    await first;
    await other.close();
  });

  it('begins by itself when an agent fails, also one that an earlier process left', async () => {
    const store = await openStore('memory:');
    onTestFinished(() => store.close());
    const agentStore = new AgentStateStore({ store });
    await agentStore.saveCheckpoint({ agentId: 'a', step: 1 });
    const dying = new AgentRecoveryManager({ agentStore });
    await dying.register('a');
    await dying.onFailure('a', 'down');
    await dying.close();
    const recovery = new AgentRecoveryManager({ agentStore, autoRecover: true });
    const recovered = Promise.withResolvers<AgentRecovery>();
    await recovery.register('a', (one) => recovered.resolve(one));
    expect(await recovered.promise).toMatchObject({ agentId: 'a', checkpoint: { step: 1 } });
    await recovery.close();
  });

  it('refuses options that make no sense', async () => {
    const { agents } = opened();
    expect(() => new AgentRecoveryManager({ agentStore: agents, keyPrefix: 'x' })).toThrow('agentStore');
    expect(() => new AgentRecoveryManager({ maxRecoveryAttempts: 0 })).toThrow('maxRecoveryAttempts');
    expect(() => new AgentRecoveryManager({ backoff: { factor: 0.5 } })).toThrow(
      "'factor' must be a number from 1 to 1000",
    );
    expect(() => new AgentRecoveryManager({ retries: 3 } as never)).toThrow('retries');
  });
});
