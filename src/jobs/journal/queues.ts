// Queues and workers as they are now: what waits to be worked on, who holds what, and who died over what.
import { encodeKey, scanAll, type Key } from '../../store/door.ts';
import { runRows } from '../../workspace/door.ts';
import { timeOfPlace } from '../changes/job-changes.ts';
import { needOf, standingAt, workKey } from '../queue-place.ts';
import { crashRows, jobRows, jobWorkRows, roleRows } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { readable } from './listing.ts';
import { maxLookedAt, waitingSince } from './waiting-jobs.ts';

/** What waits in the queue of a role. */
export interface QueueSummary {
  readonly role: string;
  /** Jobs that have something to do, whether or not a process works on them. */
  readonly jobs: number;
  /** Jobs that a process works on. */
  readonly claimed: number;
  /** How long the first job of the queue has been there, in milliseconds; undefined if the queue is empty. */
  readonly oldestMilliseconds: number | undefined;
  /** How long the first job has waited that no process works on, in milliseconds; undefined if there is none. */
  readonly waitingMilliseconds: number | undefined;
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

/** A job or workspace that a process holds, so that no other one works on it. */
export interface LeaseSummary {
  readonly owner: string;
  readonly job: string | undefined;
  readonly workspace: string | undefined;
  readonly role: string | undefined;
  /** Since when the job has had something to do; undefined for workspaces by themselves. */
  readonly since: Date | undefined;
  /** A lease that has ended is there until another process takes it: its owner has died or was cut off. */
  readonly until: Date;
}

/** The leases of all processes: those of jobs first, then those of workspaces that are used by themselves. */
export async function leaseSummaries(system: JobSystem, limit: number): Promise<readonly LeaseSummary[]> {
  const { store } = system;
  const held = (await store.holders(jobWorkRows)).slice(0, limit);
  const jobs = await readable(
    system,
    jobRows,
    held.map(({ key }) => [String(key.at(-1))]),
  );
  const ofJobs = held.map(({ owner, key, expiresAt }, index): LeaseSummary => {
    const row = jobs[index]?.value;
    return {
      owner,
      job: String(key.at(-1)),
      workspace: row?.workspace,
      role: String(key[0]),
      since: row === undefined || row.at === null ? undefined : new Date(timeOfPlace(row, row.at)),
      until: new Date(expiresAt),
    };
  });
  const others = (await store.holders(runRows)).slice(0, limit - ofJobs.length);
  return [
    ...ofJobs,
    ...others.map(({ owner, key, expiresAt }) => ({
      owner,
      job: undefined,
      workspace: String(key[0]),
      role: undefined,
      since: undefined,
      until: new Date(expiresAt),
    })),
  ];
}

/** A process that died, or was cut off, while it worked on a job. */
export interface CrashSummary {
  readonly job: string;
  readonly time: Date;
  /** How often in a row, without anything of the job being committed in between. */
  readonly times: number;
}

/** The latest first. */
export async function crashSummaries({ store }: JobSystem, limit: number): Promise<readonly CrashSummary[]> {
  const { entries } = await store.scan(crashRows, {}, { limit, reverse: true });
  return entries.map(({ key, value }) => ({ job: String(key[1]), time: new Date(Number(key[0])), times: value.times }));
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
    const held = (await store.holders(jobWorkRows, { prefix: [role] })).filter(({ isExpired }) => !isExpired);
    const claimed = new Set<string>(held.map(({ key: item }) => encodeKey(item)));
    const waiting: Key[] = [];
    for await (const item of scanAll(store, jobWorkRows, { prefix: [role] })) {
      first = Math.min(first ?? Number.POSITIVE_INFINITY, standingAt(item.key).at);
      jobs++;
      if (waiting.length < maxLookedAt && !claimed.has(encodeKey(item.key))) waiting.push(item.key);
      countVersion(versions, item.key, { jobs: 1 });
    }
    const since = await waitingSince(store, waiting);
    for (const lease of held) countVersion(versions, lease.key, { claimed: 1 });
    queues.push({
      role,
      jobs,
      claimed: held.length,
      oldestMilliseconds: first === undefined ? undefined : Math.max(0, now - first),
      waitingMilliseconds: since === undefined ? undefined : Math.max(0, Math.round(now - since)),
      versions: [...versions.values()],
    });
  }
  return queues;
}

/** Whether a job stands in its queue for code of one version, and no process works on it. */
export async function awaitsVersion({ store }: JobSystem, id: string): Promise<boolean> {
  const [entry] = await store.read(jobRows, [[id]]);
  if (entry === undefined) return false;
  const { at, queue } = entry.value;
  if (at === null || queue === undefined || needOf(queue).needs === undefined) return false;
  return (await store.holders(jobWorkRows, { prefix: workKey({ ...entry.value, at }) })).length === 0;
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
  for (const { owner, expiresAt, isExpired } of await system.store.holders(jobWorkRows)) {
    if (isExpired) continue;
    const known = owners.get(owner);
    owners.set(owner, { jobs: (known?.jobs ?? 0) + 1, until: Math.max(known?.until ?? 0, expiresAt) });
  }
  return [...owners].map(([owner, { jobs, until }]) => ({ owner, jobs, until: new Date(until) }));
}
