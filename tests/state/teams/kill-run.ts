// Tasks of a team under kill -9: several processes claim and complete them, are killed at random and started again. In the end every
// task was completed once, and the totals, the rows and what the workers were told agree.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OrchestrationStateManager } from '../../../src/state.ts';
import { openStoreAt } from '../../chaos/place.ts';

export interface KillRun {
  /** A folder, or `postgres://…#schema`. */
  readonly place: string;
  /** Where workers write what they were told. */
  readonly folder: string;
  readonly tasks: number;
  readonly workers: number;
  readonly concurrency: number;
  /** Milliseconds between two kills. */
  readonly pause: number;
  /** Kills at least so often, even if the tasks are done sooner. */
  readonly kills: number;
}

export interface KillReport {
  readonly problems: readonly string[];
  readonly kills: number;
  readonly ownersLost: number;
  readonly milliseconds: number;
}

const team = 'team';

export async function killRun({
  place,
  folder,
  tasks,
  workers,
  concurrency,
  pause,
  kills: wanted,
}: KillRun): Promise<KillReport> {
  const store = await openStoreAt(place);
  const teams = new OrchestrationStateManager({ store });
  const logs = Array.from({ length: workers }, (_, index) => join(folder, `told-${index}`));
  const children: ChildProcess[] = [];
  const begin = (index: number): Promise<void> => {
    const child = fork(
      join(import.meta.dirname, 'worker-child.ts'),
      [place, team, `agent-${index}`, logs[index] ?? '', String(concurrency)],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    children[index] = child;
    return new Promise((resolve) => child.once('message', () => resolve()));
  };
  let kills = 0;
  try {
    await teams.createTeam({ teamId: team });
    const enqueue = async (from: number, to: number): Promise<void> => {
      for (let start = from; start < to; start += 500)
        await Promise.all(
          Array.from({ length: Math.min(500, to - start) }, (_, offset) =>
            teams.enqueueTask(team, {
              taskId: `task-${start + offset}`,
              ...(offset % 2 === 0 ? { capability: 'even' } : {}),
            }),
          ),
        );
    };
    const half = Math.floor(tasks / 2);
    await enqueue(0, half);
    const started = performance.now();
    await Promise.all(children.concat(Array.from({ length: workers })).map((_, index) => begin(index)));
    const rest = enqueue(half, tasks);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const { totals } = await teams.getQueueStatus(team, { limit: 0 });
      const isDone = totals.completed + totals.failed === tasks;
      if (isDone && kills >= wanted) break;
      const index = kills % workers;
      const child = children[index];
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill('SIGKILL');
      await ended;
      kills++;
      await begin(index);
    }
    await rest;
    const milliseconds = performance.now() - started;
    return { ...(await examine(teams, tasks, logs)), kills, milliseconds };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await teams.close();
    await store.close();
  }
}

async function examine(
  teams: OrchestrationStateManager,
  tasks: number,
  logs: readonly string[],
): Promise<{ readonly problems: readonly string[]; readonly ownersLost: number }> {
  const problems: string[] = [];
  const told = logs.flatMap((log) => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []));
  if (new Set(told).size !== told.length) problems.push('A task was completed by two workers.');
  let ownersLost = 0;
  for (let number = 0; number < tasks; number++) {
    const task = await teams.getTask(team, `task-${number}`);
    if (task?.status !== 'completed') problems.push(`task-${number} is ${task?.status ?? 'missing'}.`);
    // Every claim ended with the task, or with the death of its owner.
    if (task !== undefined && task.attempts !== task.ownersLost + 1)
      problems.push(`task-${number} was claimed ${task.attempts} times, and ${task.ownersLost} owners were lost.`);
    ownersLost += task?.ownersLost ?? 0;
  }
  const { totals, pending, inProgress } = await teams.getQueueStatus(team, { limit: 10 });
  if (totals.completed !== tasks || totals.pending !== 0 || pending.length + inProgress.length > 0)
    problems.push(`The totals are ${JSON.stringify(totals)}.`);
  return { problems, ownersLost };
}
