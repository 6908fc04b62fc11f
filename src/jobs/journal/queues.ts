// Queues and workers as they are now: what waits to be worked on, and who holds what.
import { scanAll, type Key } from '../../store/door.ts';
import { needOf, standingAt } from '../queue-place.ts';
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
  /** Jobs among them that only some versions of the code may work on. */
  readonly versions: readonly QueuedVersion[];
}

/** Jobs in a queue that need a version of the code: this one or a later one, or if they are pinned, this one. */
export interface QueuedVersion {
  readonly version: string;
  readonly pinned: boolean;
  readonly jobs: number;
  /** Jobs that a process works on. */
  readonly claimed: number;
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
    const versions = new Map<string, QueuedVersion>();
    let jobs = 0;
    let first: number | undefined;
    for await (const item of scanAll(store, jobWorkRows, { prefix: [role] })) {
      first = Math.min(first ?? Number.POSITIVE_INFINITY, standingAt(item.key).at);
      jobs++;
      countVersion(versions, item.key, { jobs: 1 });
    }
    const held = (await store.holders(jobWorkRows, { prefix: [role] })).filter(({ expiresAt }) => expiresAt > now);
    for (const lease of held) countVersion(versions, lease.key, { claimed: 1 });
    queues.push({
      role,
      jobs,
      claimed: held.length,
      oldestMilliseconds: first === undefined ? undefined : Math.max(0, now - first),
      versions: [...versions.values()],
    });
  }
  return queues;
}

function countVersion(
  versions: Map<string, QueuedVersion>,
  key: Key,
  { jobs = 0, claimed = 0 }: Partial<Pick<QueuedVersion, 'jobs' | 'claimed'>>,
): void {
  const { part } = standingAt(key);
  const { needs, pinned = false } = part === undefined ? {} : needOf(part);
  if (needs === undefined) return;
  const name = `${needs} ${pinned}`;
  const before = versions.get(name) ?? { version: needs, pinned, jobs: 0, claimed: 0 };
  versions.set(name, { ...before, jobs: before.jobs + jobs, claimed: before.claimed + claimed });
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
