// What happens to a team, as events: commits from the change feed, and deaths, which nobody commits, by looking every now and then.
import { after } from '../../base/clock.ts';
import type { ChangeSet } from '../../store/door.ts';
import type { Place } from '../foundation/place.ts';
import type { AgentCoordinationState, TeamEvent, TeamTask } from './records.ts';
import { memberRows, presenceItems, queueItems, taskRows, teamRows } from './rows.ts';

export interface WatchedTeam {
  readonly place: Place;
  readonly teamId: string;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  readonly intervalMilliseconds: number;
  members(): Promise<readonly AgentCoordinationState[]>;
  task(taskId: string): Promise<TeamTask | undefined>;
}

export async function* watchTeam(watched: WatchedTeam): AsyncGenerator<TeamEvent, void, undefined> {
  const { place, teamId, signal, intervalMilliseconds } = watched;
  const store = await place.store();
  const since = watched.since ?? (await store.revision());
  const stop = new AbortController();
  const following = store.follow({
    collections: [teamRows, memberRows, presenceItems, queueItems, taskRows],
    range: { prefix: [place.prefix, teamId] },
    since,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  const changes = following[Symbol.asyncIterator]();
  let members = new Map<string, string>();
  const statuses = new Map<string, string>();
  const record = async (): Promise<TeamEvent[]> => {
    const now = new Map((await watched.members()).map((agent) => [agent.agentId, agent]));
    const events: TeamEvent[] = [];
    for (const [agentId, agent] of now)
      if (members.get(agentId) !== JSON.stringify(agent)) events.push({ kind: 'agent', revision, agentId, agent });
    for (const agentId of members.keys())
      if (!now.has(agentId)) events.push({ kind: 'agent', revision, agentId, agent: undefined });
    members = new Map([...now].map(([agentId, agent]) => [agentId, JSON.stringify(agent)]));
    return events;
  };
  let revision = since;
  try {
    // Whoever watches from now on hears of changes, and whoever goes on from a revision hears who is there now.
    const first = await record();
    if (watched.since !== undefined) yield* first;
    let next = changes.next();
    for (;;) {
      const result = await firstOf(next, place, intervalMilliseconds, signal);
      if (signal.aborted) return;
      if (result === 'tick') {
        yield* await record();
        for (const [taskId, before] of [...statuses]) yield* taskEvents(taskId, before);
        continue;
      }
      if (result.done === true) return;
      ({ revision } = result.value);
      const tasks = new Set<string>();
      let isDeleted = false;
      for (const { collection, key, kind } of result.value.changes) {
        if (collection === taskRows.name) tasks.add(key[2] as string);
        else if (collection === queueItems.name && kind === 'released') tasks.add(key[5] as string);
        else if (collection === teamRows.name && kind === 'remove') isDeleted = true;
      }
      for (const taskId of tasks) yield* taskEvents(taskId, undefined);
      yield* await record();
      if (isDeleted) {
        yield { kind: 'deleted', revision };
        return;
      }
      next = changes.next();
    }
  } finally {
    stop.abort();
    await changes.return?.();
  }

  /** `before`: only if its status is another one now. Tasks in progress are remembered, because their owners may die. */
  async function* taskEvents(taskId: string, before: string | undefined): AsyncGenerator<TeamEvent, void, undefined> {
    const task = await watched.task(taskId);
    const status = task?.status ?? 'removed';
    if (status === 'in_progress') statuses.set(taskId, status);
    else statuses.delete(taskId);
    if (status !== before) yield { kind: 'task', revision, taskId, task };
  }
}

/** The next change, or `tick` after a while without one. */
async function firstOf(
  next: Promise<IteratorResult<ChangeSet, unknown>>,
  place: Place,
  milliseconds: number,
  signal: AbortSignal,
): Promise<IteratorResult<ChangeSet, unknown> | 'tick'> {
  let cancel = (): void => undefined;
  let unlisten = (): void => undefined;
  const tick = new Promise<'tick'>((resolve) => {
    cancel = after(place.clock, milliseconds, () => resolve('tick'));
    const aborted = (): void => resolve('tick');
    signal.addEventListener('abort', aborted, { once: true });
    unlisten = () => signal.removeEventListener('abort', aborted);
  });
  try {
    return await Promise.race([next, tick]);
  } finally {
    cancel();
    unlisten();
  }
}
