// What a job has used of its limits. Counted once each, since the job began or was reopened, and without its warmup.
import { defaultLimits, limitBounds, type WorkspaceLimits } from '../workspace/door.ts';
import type { JobLimits } from './settings/limits.ts';

/** Limits as they are kept: what is not there is unlimited, or, of a workspace, as its kit says. */
export type StoredLimits = Partial<Readonly<Record<keyof JobLimits, number>>>;

export function storedLimits(limits: Partial<JobLimits>): StoredLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => Number.isFinite(value)));
}

/** Milliseconds the job may take. */
export function allowance(limits: StoredLimits | undefined): number | undefined {
  return limits?.seconds === undefined ? undefined : limits.seconds * 1000;
}

/** What a job's limits mean for its workspace. No slice may take longer than the whole job. */
export function workspaceLimits(limits: StoredLimits): Partial<WorkspaceLimits> {
  const { heapBytes, consoleBytes, sliceMilliseconds: said, seconds } = limits;
  const most = seconds === undefined ? undefined : Math.max(1, Math.floor(seconds * 1000));
  const slice = most === undefined ? said : Math.min(said ?? defaultLimits.softCpuMilliseconds, most);
  return {
    ...(slice === undefined
      ? {}
      : {
          softCpuMilliseconds: slice,
          hardCpuMilliseconds: Math.min(slice * 2, limitBounds.hardCpuMilliseconds[1]),
        }),
    ...(heapBytes === undefined ? {} : { heapBytes }),
    ...(consoleBytes === undefined ? {} : { consoleBytes }),
  };
}

export type Counts = {
  readonly turns: number;
  readonly errors: number;
  readonly errorsInARow: number;
  readonly tokens: number;
  readonly cost: number;
  /** When counting began. */
  readonly since: number;
};

export function noCounts(now: number): Counts {
  return { turns: 0, errors: 0, errorsInARow: 0, tokens: 0, cost: 0, since: now };
}

/** Which limit is reached, in words; undefined if none is. */
export function reachedLimit(limits: StoredLimits, counts: Counts, now: number): string | undefined {
  const isReached = (name: keyof JobLimits, used: number): boolean =>
    used >= (limits[name] ?? Number.POSITIVE_INFINITY);
  if (isReached('turns', counts.turns)) return `it took ${counts.turns} turns`;
  if (isReached('errorsInARow', counts.errorsInARow)) return `there were ${counts.errorsInARow} errors in a row`;
  if (isReached('errors', counts.errors)) return `there were ${counts.errors} errors`;
  if (isReached('tokens', counts.tokens)) return `it used ${counts.tokens} tokens`;
  if (isReached('cost', counts.cost)) return `it cost ${counts.cost} US dollars`;
  if (isReached('seconds', (now - counts.since) / 1000)) return `it took longer than ${limits.seconds ?? 0} seconds`;
  return undefined;
}
