// Where a job stands in the queue of its role. Most stand in the queue itself, by priority and age. Jobs of a tenant, and jobs
// that only some versions of the code may work on, stand in parts of their own, so that a claim never meets what it may not
// take, and no tenant is in the way of another.
import type { Key } from '../store/door.ts';
import { meetsNeed, type VersionNeed } from './code-version.ts';
import type { JobRow, QueuePart } from './rows.ts';

type Standing = Pick<JobRow, 'status' | 'labels' | 'cancelling' | 'late' | 'overdue' | 'needs' | 'pinned'>;

/** The part that a job belongs to now; undefined for the queue itself. */
export function partFor(row: Standing): QueuePart | undefined {
  const tenant = tenantOf(row) ?? '';
  const need = needText(row);
  return tenant === '' && need === '' ? undefined : [tenant, need];
}

/** What the label begins with that says whose a job is. */
export const tenantLabel = 'tenant:';

/** Whose job it is: that is what its label `tenant:…` says. */
export function tenantOf({ labels }: Pick<JobRow, 'labels'>): string | undefined {
  return labels.find((label) => label.startsWith(tenantLabel))?.slice(tenantLabel.length);
}

/** Ending a job needs none of its code in particular, and must not wait for a version that nobody has any more. */
function needText(row: Standing): string {
  const isEnding = row.status === 'DONE' || row.cancelling !== undefined || row.late === true || row.overdue === true;
  if (isEnding || row.needs === undefined) return '';
  return `${row.pinned === true ? '=' : '>'}${row.needs}`;
}

export function needOf([, need]: QueuePart): VersionNeed {
  if (need === '') return {};
  return { needs: need.slice(1), ...(need.startsWith('=') ? { pinned: true } : {}) };
}

/** Whether code of a version may take jobs of a part. */
export function mayTake(part: QueuePart, version: string | undefined): boolean {
  return meetsNeed(needOf(part), version);
}

/** The item of a job in the queue. */
export function workKey({ role, at, id, queue }: Pick<JobRow, 'role' | 'id' | 'queue'> & { readonly at: number }): Key {
  return queue === undefined ? [role, at, id] : [role, ...queue, at, id];
}

/** What the key of an item says. */
export function standingAt(key: Key): {
  readonly role: string;
  readonly part: QueuePart | undefined;
  readonly at: number;
  readonly id: string;
} {
  return {
    role: String(key[0]),
    part: key.length === 3 ? undefined : [String(key[1]), String(key[2])],
    at: Number(key.at(-2)),
    id: String(key.at(-1)),
  };
}
