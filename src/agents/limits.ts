// What a job has used of its limits. Counted once each, since the job began or was reopened, and without its warmup.
import type { JobLimits } from './settings/limits.ts';

/** Limits as they are kept: what is not there is unlimited. */
export type StoredLimits = Partial<Readonly<Record<keyof JobLimits, number>>>;

export function storedLimits(limits: JobLimits): StoredLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => Number.isFinite(value)));
}

export interface Counts {
  readonly turns: number;
  readonly errors: number;
  readonly errorsInARow: number;
  readonly tokens: number;
  readonly cost: number;
  /** When counting began. */
  readonly since: number;
}

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
