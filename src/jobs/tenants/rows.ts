// What is kept of tenants: their limits, a slot for each job they may have at work, and what their models have used.
import { recordCollection, workCollection } from '../../store/door.ts';

/** What the jobs of a tenant may use together, in all processes. What is missing is not limited. */
export interface TenantLimits {
  /** Jobs that are worked on at once; others wait in the queue. Jobs that wait for something do not count. */
  readonly jobsAtOnce?: number | undefined;
  /** Tokens of models in a day (UTC); then jobs wait before they ask a model, until the next day. */
  readonly tokensPerDay?: number | undefined;
  /** US dollars for models in a day (UTC), in the same way. */
  readonly costPerDay?: number | undefined;
  /** Bytes that the histories of its programs take; then no more jobs are accepted. */
  readonly bytes?: number | undefined;
}

export interface UsedRow {
  readonly tokens: number;
  readonly cost: number;
}

/** [tenant]; `*` is for those that have no limits of their own. */
export const tenantRows = recordCollection<TenantLimits>('tenants');
/** [tenant, number]: whoever works on a job of the tenant holds the lease of one. */
export const tenantSlotRows = workCollection<null>('tenant_slots');
/** [tenant, day, time, job, number]: one for each request, written with its reply, so that nobody waits for anybody. */
export const tenantUsageRows = recordCollection<UsedRow>('tenant_usage');
/** [tenant]: what its histories took when that was last looked at. */
export const tenantSizeRows = recordCollection<{ readonly bytes: number; readonly time: number }>('tenant_sizes');

export const tenantCollections = [tenantRows, tenantSlotRows, tenantUsageRows, tenantSizeRows] as const;

/** The day of a time, in UTC: `2026-11-18`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
