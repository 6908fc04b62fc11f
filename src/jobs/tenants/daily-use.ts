// What tenants have used of models today. Rows come in the order of their time, so what was added up once is not read again;
// only the last minute is, because others commit a little later than their clocks say.
import { scanAll, type Store, type Write } from '../../store/door.ts';
import { dayOf, tenantUsageRows, type UsedRow } from './rows.ts';

const unsettledMilliseconds = 60_000;
/** After so long everything is read again, whatever a clock did. */
const wholeMilliseconds = 10 * 60_000;

interface Settled extends UsedRow {
  readonly day: string;
  readonly until: number;
  readonly since: number;
}

export class DailyUse {
  readonly #store: Store;
  readonly #settled = new Map<string, Settled>();

  constructor(store: Store) {
    this.#store = store;
  }

  async of(tenant: string, now: number): Promise<UsedRow> {
    const day = dayOf(now);
    const known = this.#settled.get(tenant);
    const isOld =
      known === undefined || known.day !== day || now - known.since > wholeMilliseconds || now < known.until;
    const from = isOld ? { tokens: 0, cost: 0, until: 0, since: now } : known;
    const until = Math.max(from.until, now - unsettledMilliseconds);
    const settled = { tokens: from.tokens, cost: from.cost };
    const all = { ...settled };
    const range = { prefix: [tenant, day], from: [tenant, day, from.until] };
    for await (const { key, value } of scanAll(this.#store, tenantUsageRows, range)) {
      add(all, value);
      if (Number(key[2]) < until) add(settled, value);
    }
    this.#settled.set(tenant, { ...settled, day, until, since: from.since });
    return all;
  }
}

/** What was used is kept for so many days. */
const keptDays = 40;
const removedAtOnce = 200;

/** Removes what was used long ago; returns how many rows that were. */
export async function dropOldUse(store: Store, now: number): Promise<number> {
  const oldest = dayOf(now - keptDays * 24 * 3_600_000);
  let removed = 0;
  let writes: Write[] = [];
  const flush = async (): Promise<void> => {
    if (writes.length > 0) await store.commit([{ writes }]);
    removed += writes.length;
    writes = [];
  };
  for await (const { key } of scanAll(store, tenantUsageRows, {})) {
    if (String(key[1]) >= oldest) continue;
    writes.push({ kind: 'remove', collection: tenantUsageRows, key });
    if (writes.length >= removedAtOnce) await flush();
  }
  await flush();
  return removed;
}

function add(sum: { tokens: number; cost: number }, { tokens, cost }: UsedRow): void {
  sum.tokens += tokens;
  sum.cost += cost;
}
