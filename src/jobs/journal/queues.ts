// Queues and workers as they are now: what waits to be worked on, and who holds what.
import { scanAll } from '../../store/door.ts';
import { jobWorkRows, roleRows } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** What waits in the queue of a role. */
export interface QueueSummary {
  readonly role: string;
  /** Jobs that have something to do, whether or not a process works on them. */
  readonly jobs: number;
  /** Jobs that a process works on. */
  readonly claimed: number;
  /** How long the first job of the queue has been there, in milliseconds; undefined if the queue is empty. */
  readonly oldestMilliseconds: number | undefined;
}

/** A process that holds leases of jobs. */
export interface WorkerSummary {
  readonly owner: string;
  readonly jobs: number;
  /** When the last of its leases expires. */
  readonly until: Date;
}

export async function queueSummaries(system: JobSystem): Promise<readonly QueueSummary[]> {
  const { store } = system;
  const now = system.moment();
  const queues: QueueSummary[] = [];
  for await (const { key } of scanAll(store, roleRows, {})) {
    const role = String(key[0]);
    let jobs = 0;
    let first: number | undefined;
    for await (const item of scanAll(store, jobWorkRows, { prefix: [role] })) {
      first ??= Number(item.key[1]);
      jobs++;
    }
    const claimed = (await store.holders(jobWorkRows, { prefix: [role] })).filter(
      ({ expiresAt }) => expiresAt > now,
    ).length;
    queues.push({
      role,
      jobs,
      claimed,
      oldestMilliseconds: first === undefined ? undefined : Math.max(0, now - first),
    });
  }
  return queues;
}

export async function workerSummaries(system: JobSystem): Promise<readonly WorkerSummary[]> {
  const owners = new Map<string, { jobs: number; until: number }>();
  const now = system.moment();
  for (const { owner, expiresAt } of await system.store.holders(jobWorkRows)) {
    if (expiresAt <= now) continue;
    const known = owners.get(owner);
    owners.set(owner, { jobs: (known?.jobs ?? 0) + 1, until: Math.max(known?.until ?? 0, expiresAt) });
  }
  return [...owners].map(([owner, { jobs, until }]) => ({ owner, jobs, until: new Date(until) }));
}
