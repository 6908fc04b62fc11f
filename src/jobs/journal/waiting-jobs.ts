// How long jobs wait in a queue for a process that works on them. A job that is worked on keeps its place in the queue, and does not
// wait.
import { encodeKey, readUndamaged, type Key, type Range, type Store } from '../../store/door.ts';
import { timeOfPlace } from '../changes/job-changes.ts';
import { needOf, standingAt } from '../queue-place.ts';
import type { VersionNeed } from '../code-version.ts';
import { jobRows, jobWorkRows } from '../rows.ts';

/** So many of the first jobs are looked at: those of higher priority stand before older ones. */
export const maxLookedAt = 100;
const pageSize = 200;

/** Since when the longest of these jobs has waited, given the keys of their items; undefined if there are none. */
export async function waitingSince(store: Store, items: readonly Key[]): Promise<number | undefined> {
  if (items.length === 0) return undefined;
  // Whoever works on a job with a damaged row reports it.
  const rows = await readUndamaged(
    store,
    jobRows,
    items.map((key) => [standingAt(key).id]),
    () => undefined,
  );
  const times = rows.flatMap((row, index) =>
    row === undefined ? [] : [timeOfPlace(row.value, standingAt(items[index] as Key).at)],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The items of the first jobs of a role and tenant that nobody works on, and whose need of a version counts. */
export async function firstWaiting(
  store: Store,
  { role, tenant }: { readonly role: string; readonly tenant: string },
  counts: (need: VersionNeed) => boolean,
): Promise<Key[]> {
  const found: Key[] = [];
  // Jobs without a tenant and a need stand in the queue itself, before its parts.
  if (tenant === '') found.push(...(await unclaimedIn(store, { prefix: [role], to: [role, ''] })));
  let from: Key = [role, tenant];
  for (;;) {
    const { entries } = await store.scan(jobWorkRows, { prefix: [role, tenant], from }, { limit: 1 });
    const part = entries[0] === undefined ? undefined : standingAt(entries[0].key).part;
    if (part === undefined) return found;
    const [, need] = part;
    if (counts(needOf(part))) found.push(...(await unclaimedIn(store, { prefix: [role, tenant, need] })));
    from = [role, tenant, `${need}\0`];
  }
}

async function unclaimedIn(store: Store, range: Range): Promise<Key[]> {
  const held = await store.holders(jobWorkRows, range);
  const claimed = new Set<string>(held.filter(({ isExpired }) => !isExpired).map(({ key }) => encodeKey(key)));
  const found: Key[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.scan(jobWorkRows, range, { limit: pageSize, cursor });
    found.push(...page.entries.map(({ key }) => key).filter((key) => !claimed.has(encodeKey(key))));
    ({ cursor } = page);
  } while (cursor !== undefined && found.length < maxLookedAt);
  return found.slice(0, maxLookedAt);
}
