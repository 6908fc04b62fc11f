// Which tenants there are: those that have limits of their own, and those that have jobs. Nobody registers a tenant, so the others are
// found in the index of labels, where each one is a step of its own however many jobs it has.
import { encodeKey, type Store } from '../../store/door.ts';
import { tenantLabel } from '../queue-place.ts';
import { jobIndexRows } from '../rows.ts';
import { tenantRows } from './rows.ts';

/** Names of tenants after another one, in the order of keys. */
export async function tenantNames(store: Store, after: string | undefined, limit: number): Promise<string[]> {
  const [limited, labelled] = await Promise.all([
    limitedNames(store, after, limit),
    labelledNames(store, after, limit),
  ]);
  const byKey = new Map([...limited, ...labelled].map((name) => [encodeKey([name]) as string, name]));
  return [...byKey.keys()]
    .toSorted()
    .slice(0, limit)
    .map((key) => byKey.get(key) as string);
}

async function limitedNames(store: Store, after: string | undefined, limit: number): Promise<string[]> {
  const range = after === undefined ? {} : { from: [next(after)] };
  const { entries } = await store.scan(tenantRows, range, { limit });
  return entries.map(({ key }) => String(key[0]));
}

async function labelledNames(store: Store, after: string | undefined, limit: number): Promise<string[]> {
  const names: string[] = [];
  let last = after;
  while (names.length < limit) {
    const from = last === undefined ? {} : { from: ['label', `${tenantLabel}${next(last)}`] };
    const range = { prefix: ['label'], startsWith: tenantLabel, ...from };
    const { entries } = await store.scan(jobIndexRows, range, { limit: 1 });
    const [entry] = entries;
    if (entry === undefined) break;
    last = String(entry.key[1]).slice(tenantLabel.length);
    names.push(last);
  }
  return names;
}

/** The first text after another one. */
function next(name: string): string {
  return `${name}\0`;
}
