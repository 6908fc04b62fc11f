// Back-pressure: when jobs of a role have waited in its queue for too long, no more of them are accepted, so that whoever submits hears of
// it while there is still something to do about it. What is accepted already goes on: jobs that programs start, and those of schedules.
import { InvalidOptionError, wholeNumberOption } from '../../base/options.ts';
import type { Clock } from '../../base/clock.ts';
import { count } from '../../base/telemetry.ts';
import { readUndamaged, type Store } from '../../store/door.ts';
import type { Drivers } from '../drivers.ts';
import { meetsNeed } from '../code-version.ts';
import { QueueOverloadedError } from '../errors.ts';
import { firstWaiting, waitingSince } from '../journal/waiting-jobs.ts';
import { tenantOf } from '../queue-place.ts';
import { jobRows } from '../rows.ts';

/** How long the jobs of a role may wait, in milliseconds: for all roles, or by role. */
export type MaxQueueAge = number | Readonly<Record<string, number>>;

/** How long a look at a queue is relied on. */
const reliedMilliseconds = 1000;
const maxRemembered = 10_000;
const maxRetryAfterSeconds = 60;
const longest = 365 * 24 * 3_600_000;

/** Rejects an invalid option. */
export function checkMaxQueueAge(where: string, given: unknown): void {
  if (given === undefined) return;
  if (typeof given === 'number') {
    wholeNumberOption(where, 'maxQueueAge', given, 1, longest);
    return;
  }
  if (typeof given !== 'object' || given === null)
    throw new InvalidOptionError(`${where}: option 'maxQueueAge' is a number of milliseconds, or one for each role.`, {
      name: 'maxQueueAge',
    });
  for (const [role, age] of Object.entries(given)) wholeNumberOption(where, `maxQueueAge.${role}`, age, 1, longest);
}

/** What matters of the options of a new job. They are checked later. */
interface Submitted {
  readonly id?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly startAt?: Date | undefined;
}

export interface BackPressureParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly drivers: Drivers;
  readonly maxAge: MaxQueueAge | undefined;
}

export class BackPressure {
  readonly #parts: BackPressureParts;
  readonly #looks = new Map<string, { readonly since: number | undefined; readonly time: number }>();

  constructor(parts: BackPressureParts) {
    this.#parts = parts;
  }

  /** How long jobs of a role may wait before no more are accepted here; undefined if that is not limited. */
  maxAgeOf(role: string): number | undefined {
    const { maxAge } = this.#parts;
    if (typeof maxAge !== 'object') return maxAge;
    return Object.hasOwn(maxAge, role) ? maxAge[role] : undefined;
  }

  /** Refuses new jobs of a role whose queue is overloaded. Those that were submitted before, under the same id, are not new. */
  async refuse(role: string, all: readonly Submitted[], where: string): Promise<void> {
    const maxAge = this.maxAgeOf(role);
    if (maxAge === undefined) return;
    const now = this.#parts.clock.now();
    // What starts later does not stand in the queue yet.
    const joining = all.filter(({ startAt }) => !(startAt instanceof Date) || startAt.getTime() <= now);
    for (const tenant of new Set(joining.map(({ labels }) => tenantIn(labels)))) {
      const since = await this.#since(role, tenant, now);
      const waited = since === undefined ? 0 : Math.round(now - since);
      if (waited <= maxAge) continue;
      const ofTenant = joining.filter(({ labels }) => tenantIn(labels) === tenant);
      if (await this.#allKnown(ofTenant)) continue;
      count('statek.jobs.refused', { role });
      const retryAfterSeconds = Math.min(Math.max(Math.ceil((waited - maxAge) / 1000), 1), maxRetryAfterSeconds);
      throw new QueueOverloadedError(
        `${where}: jobs of the role '${role}'${tenant === '' ? '' : ` and the tenant '${tenant}'`} have waited in the queue for ${seconds(waited)} s, and may wait for ${seconds(maxAge)} s. Start more workers, or submit it again later; maxQueueAge of Statek.open sets the limit.`,
        {
          role,
          ...(tenant === '' ? {} : { tenant }),
          waitedMilliseconds: waited,
          maxQueueAge: maxAge,
          retryAfterSeconds,
        },
      );
    }
  }

  /** Since when the job that comes next to those of this process and tenant has waited. */
  async #since(role: string, tenant: string, now: number): Promise<number | undefined> {
    const { store, drivers } = this.#parts;
    const name = JSON.stringify([role, tenant]);
    const known = this.#looks.get(name);
    if (known !== undefined && now >= known.time && now - known.time < reliedMilliseconds) return known.since;
    // Jobs of other versions wait for other workers, and perhaps on purpose.
    const own = drivers.versionOf(role);
    const items = await firstWaiting(store, { role, tenant }, (need) => meetsNeed(need, own));
    const since = await waitingSince(store, items);
    if (this.#looks.size >= maxRemembered) this.#looks.clear();
    this.#looks.set(name, { since, time: now });
    return since;
  }

  async #allKnown(all: readonly Submitted[]): Promise<boolean> {
    const ids = all.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    if (ids.length < all.length) return false;
    const rows = await readUndamaged(
      this.#parts.store,
      jobRows,
      ids.map((id) => [id]),
      () => undefined,
    );
    return rows.every((row) => row !== undefined);
  }
}

function tenantIn(labels: Submitted['labels']): string {
  return Array.isArray(labels) ? (tenantOf({ labels: labels.filter((one) => typeof one === 'string') }) ?? '') : '';
}

function seconds(milliseconds: number): string {
  return String(Math.round(milliseconds / 100) / 10);
}
