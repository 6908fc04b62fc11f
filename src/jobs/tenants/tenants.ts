// The tenants of a store: whose label `tenant:…` jobs have. Their limits hold in all processes together.
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import { storedBytesOf } from '../../history/door.ts';
import { commitParts, scanAll, type Lease, type Store, type Write } from '../../store/door.ts';
import type { Clock } from '../../base/clock.ts';
import { TenantLimitError } from '../errors.ts';
import { tenantLabel, tenantOf } from '../queue-place.ts';
import { jobIndexRows, type JobRow } from '../rows.ts';
import { DailyUse } from './daily-use.ts';
import { tenantNames } from './tenant-names.ts';
import { dayOf, tenantRows, tenantSizeRows, tenantSlotRows, type TenantLimits } from './rows.ts';

const names: OptionNames<TenantLimits> = { jobsAtOnce: true, tokensPerDay: true, costPerDay: true, bytes: true };
/** Limits of tenants that have none of their own. */
const everyone = '*';
/** How long limits that were read are relied on; workers hear of changes at once. */
const reliedMilliseconds = 1000;
const sizeMilliseconds = 10 * 60_000;
/** How soon a job that waits for money or tokens looks again: limits may be raised. */
const lookAgainMilliseconds = 5 * 60_000;
const maxSlots = 100_000;

/** What a tenant has used. */
export interface TenantUse {
  /** Jobs at work now. */
  readonly jobsAtOnce: number;
  /** Tokens of today (UTC). */
  readonly tokens: number;
  /** US dollars of today (UTC). */
  readonly cost: number;
  /** Bytes that the histories of its programs take. */
  readonly bytes: number;
}

/** A tenant, what it may use, and what it uses. */
export interface TenantState {
  readonly name: string;
  /** Its own limits, or those of `*`. */
  readonly limits: TenantLimits;
  /** Undefined for `*`, which is no tenant: its limits are for those that have none of their own. */
  readonly usage: TenantUse | undefined;
}

/** Tenants by name; give `cursor` to the next call until it is undefined. */
export interface TenantPage {
  readonly tenants: readonly TenantState[];
  readonly cursor: string | undefined;
}

/** What the jobs of each tenant may use together, and what they use: `kit.tenants`. */
export class Tenants {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #daily: DailyUse;
  readonly #made = new Map<string, number>();
  #limits: { readonly byName: ReadonlyMap<string, TenantLimits>; readonly read: number } | undefined;
  readonly #measuring = new Map<string, Promise<number>>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#daily = new DailyUse(store);
  }

  /** Sets the limits of a tenant; `*` for all that have none of their own. Without any limit they are taken away. */
  async limit(name: string, limits: TenantLimits): Promise<void> {
    refuseName(name);
    refuseUnknownOptions('kit.tenants.limit', limits, names);
    const where = `kit.tenants.limit('${name}')`;
    const { jobsAtOnce, tokensPerDay, costPerDay, bytes } = limits;
    if (jobsAtOnce !== undefined) wholeNumberOption(where, 'jobsAtOnce', jobsAtOnce, 1, maxSlots);
    if (tokensPerDay !== undefined) wholeNumberOption(where, 'tokensPerDay', tokensPerDay, 0, Number.MAX_SAFE_INTEGER);
    if (bytes !== undefined) wholeNumberOption(where, 'bytes', bytes, 0, Number.MAX_SAFE_INTEGER);
    if (costPerDay !== undefined && !(typeof costPerDay === 'number' && costPerDay >= 0))
      throw new InvalidOptionError(`${where}: option 'costPerDay' must be a number of US dollars.`, {
        name: 'costPerDay',
      });
    const kept = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
    const place = { collection: tenantRows, key: [name] };
    const write: Write =
      Object.keys(kept).length === 0 ? { kind: 'remove', ...place } : { kind: 'put', ...place, value: kept };
    await commitParts(this.#store, [{ writes: [write] }]);
    this.forget();
  }

  /** The limits that hold for a tenant: its own, or those of `*`. */
  async limits(name: string): Promise<TenantLimits> {
    refuseName(name);
    return (await this.#limitsOf(name)) ?? {};
  }

  /** What a tenant uses now. */
  async usage(name: string): Promise<TenantUse> {
    refuseName(name);
    return this.#used(name, await this.#measure(name));
  }

  /**
   * Tenants that have limits or jobs, by name, with what they may use and what they use. What their histories take was measured at most
   * ten minutes before.
   */
  async list(
    options: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
  ): Promise<TenantPage> {
    refuseUnknownOptions('kit.tenants.list', options, { limit: true, cursor: true });
    const limit = wholeNumberOption('kit.tenants.list', 'limit', options.limit ?? 100, 1, 1000);
    const found = await tenantNames(this.#store, options.cursor, limit + 1);
    const tenants: TenantState[] = [];
    for (const name of found.slice(0, limit)) tenants.push(await this.state(name));
    return { tenants, cursor: found.length > limit ? found[limit - 1] : undefined };
  }

  /** @internal One tenant as `list` has it. */
  async state(name: string): Promise<TenantState> {
    const usage = name === everyone ? undefined : await this.#used(name, await this.#knownBytes(name));
    return { name, limits: await this.limits(name), usage };
  }

  /** The tenants that have limits of their own, and `*`. */
  async *all(): AsyncGenerator<{ readonly name: string; readonly limits: TenantLimits }, void, undefined> {
    for await (const { key, value } of scanAll(this.#store, tenantRows, {}))
      yield { name: String(key[0]), limits: value };
  }

  /** @internal Limits may have changed. */
  forget(): void {
    this.#limits = undefined;
  }

  /** @internal Slots for jobs of a tenant, as many as are free and wanted; undefined if it may have any number of jobs at work. */
  async slots(
    tenant: string,
    wanted: number,
    claim: { readonly owner: string; readonly leaseMilliseconds: number },
  ): Promise<Lease[] | undefined> {
    const most = (await this.#limitsOf(tenant))?.jobsAtOnce;
    if (most === undefined) return undefined;
    await this.#makeSlots(tenant, most);
    // Those beyond the limit are of a higher one, and go when nobody holds them any more.
    const range = { prefix: [tenant], to: [tenant, most] };
    const claimed = await this.#store.claim(tenantSlotRows, { ...claim, limit: wanted, range });
    return claimed.map(({ lease }) => lease);
  }

  /** @internal Until when a job may not ask a model, because its tenant has used up its day; undefined if it may. */
  async spentUntil(row: JobRow): Promise<number | undefined> {
    const tenant = tenantOf(row);
    const limits = tenant === undefined ? undefined : await this.#limitsOf(tenant);
    if (tenant === undefined || (limits?.tokensPerDay === undefined && limits?.costPerDay === undefined))
      return undefined;
    const now = this.#clock.now();
    const { tokens, cost } = await this.#daily.of(tenant, now);
    const { tokensPerDay = Number.POSITIVE_INFINITY, costPerDay = Number.POSITIVE_INFINITY } = limits;
    if (tokens < tokensPerDay && cost < costPerDay) return undefined;
    const tomorrow = Date.parse(`${dayOf(now)}T00:00:00Z`) + 24 * 3_600_000;
    return Math.min(tomorrow, now + lookAgainMilliseconds);
  }

  /** @internal Refuses jobs of tenants whose histories take more than they may. */
  async refuseFull(labels: readonly string[] | undefined, where: string): Promise<void> {
    const tenant = tenantOf({ labels: labels ?? [] });
    const most = tenant === undefined ? undefined : (await this.#limitsOf(tenant))?.bytes;
    if (tenant === undefined || most === undefined) return;
    const bytes = await this.#knownBytes(tenant);
    if (bytes >= most)
      throw new TenantLimitError(
        `${where}: the programs of the tenant '${tenant}' take ${bytes} bytes, and may take ${most}. Delete jobs, drop old commits with kit.gc(), or raise the limit with kit.tenants.limit.`,
        { tenant, bytes, limit: most },
      );
  }

  async #used(name: string, bytes: number): Promise<TenantUse> {
    const now = this.#clock.now();
    const held = await this.#store.holders(tenantSlotRows, { prefix: [name] });
    const jobsAtOnce = held.filter(({ isExpired }) => !isExpired).length;
    return { jobsAtOnce, ...(await this.#daily.of(name, now)), bytes };
  }

  async #limitsOf(tenant: string): Promise<TenantLimits | undefined> {
    const now = performance.now();
    if (this.#limits === undefined || now - this.#limits.read > reliedMilliseconds) {
      const byName = new Map<string, TenantLimits>();
      for await (const { name, limits } of this.all()) byName.set(name, limits);
      this.#limits = { byName, read: now };
    }
    return this.#limits.byName.get(tenant) ?? this.#limits.byName.get(everyone);
  }

  /** Slots are made when they are first needed, by whoever needs them. */
  async #makeSlots(tenant: string, most: number): Promise<void> {
    if (this.#made.get(tenant) === most) return;
    const there = new Set<number>();
    for await (const { key } of scanAll(this.#store, tenantSlotRows, { prefix: [tenant] })) there.add(Number(key[1]));
    const missing = Array.from({ length: most }, (_, number) => number).filter((number) => !there.has(number));
    // Others may make them at the same time; one that is there is not made again.
    await this.#store.commit(
      missing.map((number) => ({
        checks: [{ kind: 'absent', collection: tenantSlotRows, key: [tenant, number] }],
        writes: [{ kind: 'put', collection: tenantSlotRows, key: [tenant, number], value: null }],
      })),
    );
    this.#made.set(tenant, most);
  }

  async #knownBytes(tenant: string): Promise<number> {
    const [entry] = await this.#store.read(tenantSizeRows, [[tenant]]);
    if (entry === undefined) return this.#measure(tenant);
    // It takes a while for many jobs, so nobody waits for it.
    if (this.#clock.now() - entry.value.time > sizeMilliseconds) void this.#measure(tenant).catch(() => undefined);
    return entry.value.bytes;
  }

  #measure(tenant: string): Promise<number> {
    const under = this.#measuring.get(tenant);
    if (under !== undefined) return under;
    const measuring = this.#measured(tenant).finally(() => this.#measuring.delete(tenant));
    this.#measuring.set(tenant, measuring);
    return measuring;
  }

  async #measured(tenant: string): Promise<number> {
    let bytes = 0;
    for await (const { key } of scanAll(this.#store, jobIndexRows, { prefix: ['label', `${tenantLabel}${tenant}`] }))
      bytes += await storedBytesOf(this.#store, String(key.at(-1)));
    const value = { bytes, time: this.#clock.now() };
    await commitParts(this.#store, [{ writes: [{ kind: 'put', collection: tenantSizeRows, key: [tenant], value }] }]);
    return bytes;
  }
}

function refuseName(name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > 100)
    throw new InvalidOptionError('kit.tenants: the name of a tenant has 1 to 100 characters.', { name: 'tenant' });
}
