// Whether jobs stand under leases of processes that may be dead. A living process renews its leases, so each lease is
// watched until it is renewed, given back, or can be claimed: whoever asks "is nothing left to do" waits that long.
import { after } from '../../base/clock.ts';
import type { Lease } from '../../store/door.ts';
import { jobWorkRows } from '../rows.ts';
import type { JobSystem } from '../system.ts';

const lookMilliseconds = 50;

export class LeasesOfOthers {
  readonly #system: JobSystem;
  /** Each lease that was seen: when it was to run out, and when that was seen. */
  readonly #seen = new Map<number, { readonly expiresAt: number; readonly since: number }>();

  constructor(system: JobSystem) {
    this.#system = system;
  }

  /** Waits a moment if a job of this process's roles may come free; whether there is one. */
  async mayEnd(): Promise<boolean> {
    const { store, clock } = this.#system;
    const undecided = (await this.#leases()).filter((lease) => this.#isUndecided(lease));
    if (undecided.length === 0) return false;
    await store.expireDead?.(jobWorkRows);
    await new Promise<void>((resolve) => after(clock, lookMilliseconds, resolve));
    return true;
  }

  async #leases(): Promise<readonly Lease[]> {
    const { store, drivers, active } = this.#system;
    const all = await Promise.all(drivers.roles().map((role) => store.holders(jobWorkRows, { prefix: [role] })));
    return all.flat().filter(({ key }) => !active.has(String(key.at(-1))));
  }

  #isUndecided({ token, expiresAt }: Lease): boolean {
    const now = performance.now();
    const seen = this.#seen.get(token);
    if (seen === undefined) {
      this.#seen.set(token, { expiresAt, since: now });
      return true;
    }
    const { leaseMilliseconds } = this.#system.workspaces.context.leases;
    // Bounded by the machine's time as well, since a clock may stand still.
    return expiresAt <= seen.expiresAt && now - seen.since < leaseMilliseconds * 1.5;
  }
}
