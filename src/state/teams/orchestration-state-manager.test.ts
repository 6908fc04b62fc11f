// Teams on one store in memory, with a clock that the test moves.
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { OrchestrationStateManager, type OrchestrationStateManagerOptions } from './orchestration-state-manager.ts';
import type { TeamEvent } from './records.ts';
import { taskRows } from './rows.ts';

const team = 'team';

function manager(options: OrchestrationStateManagerOptions = {}): OrchestrationStateManager {
  const teams = new OrchestrationStateManager({ store: 'memory:', ...options });
  onTestFinished(() => teams.close());
  return teams;
}

/** A store, its clock, and two managers as if in two processes. */
async function two(): Promise<{
  readonly store: Store;
  readonly clock: ManualClock;
  readonly first: OrchestrationStateManager;
  readonly second: OrchestrationStateManager;
}> {
  const clock = new ManualClock(1_000_000);
  const store = await openStore('memory:', { clock });
  onTestFinished(() => store.close());
  const [first, second] = [manager({ store, clock }), manager({ store, clock })];
  return { store, clock, first, second };
}

it('hands tasks out by priority and age, to members that can do them', async () => {
  const teams = manager();
  await teams.createTeam({ teamId: team, agents: { ann: { capabilities: ['search'] }, bob: {} } });
  await teams.enqueueTask(team, { taskId: 'low', priority: 'low' });
  await teams.enqueueTask(team, { taskId: 'normal-1' });
  await teams.enqueueTask(team, { taskId: 'normal-2' });
  await teams.enqueueTask(team, { taskId: 'search', priority: 60, capability: 'search' });
  await teams.enqueueTask(team, { taskId: 'critical', priority: 'critical' });
  const status = await teams.getQueueStatus(team, { limit: 4 });
  expect(status.pending.map(({ taskId }) => taskId)).toEqual(['critical', 'search', 'normal-1', 'normal-2']);
  expect(status.totals).toEqual({ pending: 5, inProgress: 0, completed: 0, failed: 0, cancelled: 0 });
  const order: (string | undefined)[] = [];
  for (const agent of ['bob', 'bob', 'ann', 'ann', 'ann', 'ann'])
    order.push((await teams.claimTask(team, agent))?.task.taskId);
  expect(order).toEqual(['critical', 'normal-1', 'search', 'normal-2', 'low', undefined]);
  const { inProgress, totals } = await teams.getQueueStatus(team);
  expect(totals).toMatchObject({ pending: 0, inProgress: 5 });
  expect(inProgress.every(({ agentId }) => agentId === 'ann' || agentId === 'bob')).toBe(true);
});

it('lets only the owner complete a task, and names the owner', async () => {
  const { first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {}, bob: { present: false } } });
  await first.enqueueTask(team, { taskId: 'one', data: { topic: 'trends' } });
  const claimed = await first.claimTask(team, 'ann');
  await expect(second.completeTask(team, 'one', 1)).rejects.toMatchObject({
    code: 'TEAM_TASK_OWNER',
    message: expect.stringContaining("'ann'") as string,
    details: { agentId: 'ann' },
  });
  expect((await second.getTask(team, 'one'))?.status).toBe('in_progress');
  // Whoever shows the token is the owner.
  const done = await second.completeTask(team, 'one', { answer: 42 }, { token: claimed?.token });
  expect(done).toMatchObject({ status: 'completed', agentId: 'ann', result: { answer: 42 }, attempts: 1 });
  // Said again by the owner, and by somebody else.
  expect((await first.completeTask(team, 'one', { answer: 42 })).status).toBe('completed');
  await expect(second.completeTask(team, 'one')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await expect(second.completeTask(team, 'two')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
});

it('returns the task of an owner whose lease expired, and fences the owner off', async () => {
  const { clock, first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {} } });
  await second.addAgent(team, 'bob');
  await first.enqueueTask(team, { taskId: 'one' });
  const claimed = await first.claimTask(team, 'ann');
  expect(await second.claimTask(team, 'bob')).toBeUndefined();
  clock.advance(5001);
  expect((await second.getTask(team, 'one'))?.status).toBe('pending');
  expect((await second.getTeam(team))?.agents['ann']).toMatchObject({ availability: 'gone', status: 'gone' });
  const again = await second.claimTask(team, 'bob');
  expect(again?.task).toMatchObject({ taskId: 'one', attempts: 2, ownersLost: 1 });
  await expect(first.completeTask(team, 'one', 'late')).rejects.toMatchObject({ details: { agentId: 'bob' } });
  expect((await second.completeTask(team, 'one', 'right')).result).toBe('right');
  expect(claimed?.token).not.toBe(again?.token);
});

it('fails a task that too many owners died of', async () => {
  const { clock, first } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {} } });
  await first.enqueueTask(team, { taskId: 'deadly', maxOwnersLost: 1 });
  for (let count = 0; count < 2; count++) {
    expect((await first.claimTask(team, 'ann'))?.task.taskId).toBe('deadly');
    clock.advance(6000);
  }
  expect(await first.claimTask(team, 'ann')).toBeUndefined();
  expect(await first.getTask(team, 'deadly')).toMatchObject({ status: 'failed', error: '2 owners died or lost it.' });
});

it('tries a failed task again until its attempts are used up', async () => {
  const teams = manager();
  await teams.createTeam({ teamId: team, agents: { ann: {} } });
  await teams.enqueueTask(team, { taskId: 'one', maxAttempts: 2 });
  await teams.claimTask(team, 'ann');
  expect(await teams.failTask(team, 'one', new Error('no'))).toMatchObject({ status: 'pending', error: 'Error: no' });
  await teams.claimTask(team, 'ann');
  expect((await teams.failTask(team, 'one', 'still no')).status).toBe('failed');
  const { totals, failed } = await teams.getQueueStatus(team);
  expect(totals).toMatchObject({ pending: 0, failed: 1 });
  expect(failed[0]).toMatchObject({ taskId: 'one', error: 'still no', attempts: 2 });
});

it('computes who is idle, busy or gone, and keeps reports as reports', async () => {
  const { clock, first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: { capabilities: ['search'] } } });
  await second.addAgent(team, 'bob', { capabilities: ['search'] });
  await second.addAgent(team, 'eve', { present: false });
  const idle = async (): Promise<string[]> =>
    (await first.getAvailableAgents(team, { capability: 'search' })).map(({ agentId }) => agentId);
  expect(await idle()).toEqual(['ann', 'bob']);
  await second.updateAgentStatus(team, 'bob', { status: 'working', currentTask: 'elsewhere' });
  expect(await idle()).toEqual(['ann']);
  await first.enqueueTask(team, { taskId: 'one' });
  await first.claimTask(team, 'ann');
  expect(await idle()).toEqual([]);
  const { agents = {} } = (await first.getTeam(team)) ?? {};
  expect(agents['ann']).toMatchObject({ availability: 'busy', status: 'working', currentTask: 'one', tasks: ['one'] });
  expect(agents['bob']).toMatchObject({ availability: 'busy', status: 'working', currentTask: 'elsewhere', tasks: [] });
  expect(agents['eve']).toMatchObject({ availability: 'gone' });
  // The process that said "working" is gone, and its word with it.
  clock.advance(6000);
  await first.joinTeam(team, 'bob');
  expect((await first.getTeam(team))?.agents['bob']).toMatchObject({
    availability: 'idle',
    reported: { status: 'working', currentTask: 'elsewhere' },
  });
  const keyed = { status: 'resting', idempotencyKey: 'k' };
  await first.updateAgentStatus(team, 'bob', keyed);
  await first.updateAgentStatus(team, 'bob', { status: 'awake' });
  expect((await first.updateAgentStatus(team, 'bob', keyed)).status).toBe('awake');
});

it('reserves a task for one member', async () => {
  const { first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {} } });
  await second.addAgent(team, 'bob');
  await first.enqueueTask(team, { taskId: 'one' });
  await first.enqueueTask(team, { taskId: 'two' });
  expect(await first.assignTask(team, 'two', 'bob')).toMatchObject({ status: 'pending', assignedTo: 'bob' });
  expect((await first.claimTask(team, 'ann'))?.task.taskId).toBe('one');
  expect(await first.claimTask(team, 'ann')).toBeUndefined();
  await expect(first.assignTask(team, 'one', 'bob')).rejects.toMatchObject({ code: 'TEAM_TASK_OWNER' });
  // The member's process may do it without claiming it first.
  await expect(first.completeTask(team, 'two')).rejects.toMatchObject({ code: 'TEAM_TASK_OWNER' });
  expect(await second.completeTask(team, 'two', 1)).toMatchObject({ status: 'completed', agentId: 'bob' });
  await first.enqueueTask(team, { taskId: 'three' });
  await first.assignTask(team, 'three', 'bob');
  await first.removeAgent(team, 'bob');
  expect((await first.claimTask(team, 'ann'))?.task).toMatchObject({ taskId: 'three', assignedTo: undefined });
});

it('refuses what is unknown, repeated or out of range', async () => {
  const teams = manager();
  await teams.createTeam({ teamId: team });
  await expect(teams.createTeam({ teamId: team })).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  await expect(teams.enqueueTask('none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
  await expect(teams.claimTask(team, 'nobody')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
  await expect(teams.enqueueTask(team, { priority: 'urgent' as 'low' })).rejects.toMatchObject({
    code: 'STATE_ARGUMENT',
  });
  await expect(teams.enqueueTask(team, { priorty: 1 } as object)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  const task = { taskId: 'one', data: 1 };
  await teams.enqueueTask(team, task);
  await teams.enqueueTask(team, task);
  await expect(teams.enqueueTask(team, { ...task, data: 2 })).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  expect((await teams.getQueueStatus(team)).totals.pending).toBe(1);
  expect((await teams.cancelTask(team, 'one', 'not needed')).status).toBe('cancelled');
  expect(() => new OrchestrationStateManager({ syncInterval: -1 })).toThrow('syncInterval');
});

it('waits for a task that comes later', async () => {
  const { first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {} } });
  const waiting = first.claimTask(team, 'ann', { waitMilliseconds: 60_000 });
  await second.enqueueTask(team, { taskId: 'one' });
  expect((await waiting)?.task.taskId).toBe('one');
  const stop = new AbortController();
  const stopped = first.claimTask(team, 'ann', { waitMilliseconds: 60_000, signal: stop.signal });
  stop.abort();
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
});

it('tells what happens, also that a member is gone', async () => {
  const { clock, first, second } = await two();
  await first.createTeam({ teamId: team, agents: { ann: {} } });
  const events: TeamEvent[] = [];
  let arrived = (): void => undefined;
  const until = async (wanted: (event: TeamEvent) => boolean): Promise<void> => {
    while (!events.some(wanted)) await new Promise<void>((resolve) => (arrived = resolve));
  };
  const stop = second.subscribe(
    team,
    (event) => {
      events.push(event);
      arrived();
    },
    { since: 0 },
  );
  await first.enqueueTask(team, { taskId: 'one' });
  await first.claimTask(team, 'ann');
  await until((event) => event.kind === 'task' && event.task?.status === 'in_progress');
  clock.advance(6000);
  await until((event) => event.kind === 'agent' && event.agent?.availability === 'gone');
  await until((event) => event.kind === 'task' && event.task?.status === 'pending' && event.task.attempts === 1);
  await second.deleteTeam(team);
  await until((event) => event.kind === 'deleted');
  stop();
  expect(events.at(-1)?.kind).toBe('deleted');
});

it('deletes a team with everything in it, and lists the others', async () => {
  const { store, first } = await two();
  for (const teamId of ['a', 'b', 'c']) await first.createTeam({ teamId, agents: { ann: {} } });
  for (let count = 0; count < 3; count++) await first.enqueueTask('b', { data: count });
  const { teams, cursor } = await first.listTeams({ limit: 2 });
  expect(teams.map(({ teamId }) => teamId)).toEqual(['a', 'b']);
  expect((await first.listTeams({ cursor })).teams.map(({ teamId }) => teamId)).toEqual(['c']);
  await first.deleteTeam('b');
  expect(await first.getTeam('b')).toBeUndefined();
  expect((await store.scan(taskRows, {})).entries).toEqual([]);
  await first.createTeam({ teamId: 'b' });
  expect((await first.getQueueStatus('b')).totals).toMatchObject({ pending: 0 });
});
