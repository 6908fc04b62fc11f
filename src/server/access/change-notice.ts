// What has changed besides the events of jobs: that a job was deleted, that schedules, limits of tenants, durable objects or a part of the state are others
// than before.
// A notice says what to read again, and nothing more: it is made from the keys of the store's feed and never stored. Whoever
// was disconnected reads everything again.
import { jobRows, scheduleRows, tenantRows } from '../../jobs/door.ts';
import { objectCollections } from '../../objects/door.ts';
import { statePartOf, stateParts } from '../../state/door.ts';
import type { Change } from '../../store/door.ts';

/** `all`: more has changed than a slow reader was told of. */
export const changedParts = ['schedules', 'tenants', 'objects', ...stateParts, 'all'] as const;
type ChangedPart = (typeof changedParts)[number];

export type ChangeNotice =
  | { readonly kind: 'deleted'; readonly job: string }
  | { readonly kind: 'changed'; readonly what: ChangedPart };

const ofObjects: ReadonlySet<string> = new Set(objectCollections.map(({ name }) => name));

export const everythingChanged: ChangeNotice = { kind: 'changed', what: 'all' };

/** The notices of one commit, each part once. */
export function noticesOf(changes: readonly Change[]): readonly ChangeNotice[] {
  const parts = new Set<ChangedPart>();
  const deleted: ChangeNotice[] = [];
  for (const { kind, collection, key } of changes) {
    if (collection === jobRows.name) {
      if (kind === 'remove') deleted.push({ kind: 'deleted', job: String(key[0]) });
    } else if (collection === scheduleRows.name) parts.add('schedules');
    else if (collection === tenantRows.name) parts.add('tenants');
    else if (ofObjects.has(collection)) parts.add('objects');
    else {
      const part = statePartOf(collection);
      if (part !== undefined) parts.add(part);
    }
  }
  return [...deleted, ...[...parts].map((what) => ({ kind: 'changed' as const, what }))];
}
