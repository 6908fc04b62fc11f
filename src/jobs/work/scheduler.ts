// Takes jobs from the queues of the roles this process knows, as many as it may work on at once. Within a queue they come
// by priority and age; roles take turns, and so do the parts of a role's queue.
import { count } from '../../base/telemetry.ts';
import { after } from '../../base/clock.ts';
import type { Claimed, Key, Lease } from '../../store/door.ts';
import { jobWorkRows, type JobWork } from '../rows.ts';
import type { Tenancy } from '../../workspace/door.ts';
import { QueueParts } from './queue-parts.ts';
import { Runner, type RunnerOptions } from './runner.ts';
import type { JobSystem } from '../system.ts';

const maxAtOnce = 100;
/** A process that dies of a job dies sooner than this. */
const suspicionMilliseconds = 10_000;

export interface SchedulerOptions {
  readonly concurrency: number;
  readonly maxCrashes: number;
}

export class Scheduler {
  readonly #system: JobSystem;
  readonly #options: SchedulerOptions;
  readonly #runners = new Set<Runner>();
  readonly #parts: QueueParts;
  #taken = 0;
  #wanted = false;
  #trouble: Error | undefined;
  #filling: Promise<void> | undefined;
  #stopped = false;
  #turn = 0;
  #alone: Promise<unknown> = Promise.resolve();
  #cancelKick: (() => void) | undefined;

  constructor(system: JobSystem, options: SchedulerOptions) {
    this.#system = system;
    this.#options = options;
    this.#parts = new QueueParts(system.store, (role) => system.versionOf(role));
  }

  /** An item was put into a queue, or was given back. */
  heard(key: Key): void {
    this.#parts.heard(key);
  }

  /** Items may have come that made no sound. */
  lookAgain(): void {
    this.#system.tenants.forget();
    this.#parts.lookAgain();
  }

  /** There may be something to take. Resolves when everything that could be had has been taken. */
  kick(): Promise<void> {
    this.#wanted = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  /** Why it could not look for jobs the last time, if that is so. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  get activeCount(): number {
    return this.#runners.size;
  }

  /** How many jobs it has taken so far. */
  get takenCount(): number {
    return this.#taken;
  }

  /** Resolves when one of the jobs at work is done with, or at once if there is none. */
  async any(): Promise<void> {
    await Promise.race([...this.#runners].map(({ ended }) => ended));
  }

  /** Takes nothing more; resolves when all jobs have come to a point where they can be given back. */
  async stop(graceMilliseconds: number): Promise<void> {
    this.#stopped = true;
    this.#cancelKick?.();
    for (const runner of this.#runners) runner.stop();
    let cancel: (() => void) | undefined;
    const grace = new Promise<void>((resolve) => {
      cancel = after(this.#system.clock, graceMilliseconds, resolve);
    });
    const all = (async () => {
      await this.#filling;
      for (const runner of this.#runners) runner.stop();
      await Promise.all([...this.#runners].map(({ ended }) => ended));
    })();
    await Promise.race([all, grace]);
    cancel?.();
    for (const runner of this.#runners) runner.abandon();
    await all;
  }

  async #fill(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      this.#trouble = undefined;
      const roles = this.#system.drivers.roles();
      for (let index = 0; index < roles.length; index++) {
        if (this.#stopped) return;
        const role = roles[(this.#turn + index) % roles.length] as string;
        const room = Math.min(this.#room(role), maxAtOnce);
        if (room <= 0) continue;
        try {
          if ((await this.#take(role, room)) === room) this.#wanted = true;
        } catch (error) {
          // The store is out of reach; the slow poll comes back to it.
          this.#trouble = error instanceof Error ? error : new Error(String(error));
          return;
        }
      }
      this.#turn++;
      if (this.#runners.size >= this.#options.concurrency) this.#wanted = false;
    }
  }

  #room(role: string): number {
    const all = this.#options.concurrency - this.#runners.size;
    const limit = this.#system.drivers.get(role)?.concurrency;
    if (limit === undefined) return all;
    let own = 0;
    for (const runner of this.#runners) if (runner.role === role) own++;
    return Math.min(all, limit - own);
  }

  async #take(role: string, limit: number): Promise<number> {
    const { store, workspaces, active, tenants } = this.#system;
    const { leases } = workspaces.context;
    const { leaseMilliseconds } = leases;
    const owner = await leases.owner();
    await leases.refresh();
    const claims: { readonly claimed: Claimed<JobWork>; readonly slot: Lease | undefined }[] = [];
    const unused: Lease[] = [];
    for (const turns = [...(await this.#parts.of(role))]; turns.length > 0 && claims.length < limit;) {
      // As many for each as there is room for all; what one does not need is there for the others.
      const share = Math.ceil((limit - claims.length) / turns.length);
      const [next] = turns.splice(0, 1);
      if (next === undefined) break;
      const tenant = next.part?.[0] ?? '';
      const slots = tenant === '' ? undefined : await tenants.slots(tenant, share, { owner, leaseMilliseconds });
      const most = slots?.length ?? share;
      const claimed =
        most === 0 ? [] : await store.claim(jobWorkRows, { owner, leaseMilliseconds, limit: most, range: next.range });
      claims.push(...claimed.map((one, index) => ({ claimed: one, slot: slots?.[index] })));
      unused.push(...(slots?.slice(claimed.length) ?? []));
      const isUsedUp = claimed.length < share;
      this.#parts.served(next, isUsedUp);
      if (!isUsedUp) turns.push(next);
    }
    if (claims.length > 0) count('statek.jobs.claims', { role }, claims.length);
    const options: RunnerOptions = {
      maxCrashes: this.#options.maxCrashes,
      alone: (action) => this.#oneAtATime(action),
    };
    const refused: Lease[] = [];
    for (const {
      slot,
      claimed: { lease, takenOver, entry },
    } of claims) {
      const previous = active.get(entry.value.job);
      if (this.#stopped || previous !== undefined) {
        refused.push(lease);
        if (slot !== undefined) unused.push(slot);
        // This process is still letting go of the same job. That may need the item itself, so nobody waits for it here.
        void previous?.ended.then(() => this.#kickSoon());
        continue;
      }
      const wasSlow = this.#system.wasSlow(entry.value.job, this.#options.maxCrashes);
      this.#start(new Runner(this.#system, lease, entry.value, takenOver && !wasSlow, options), slot);
    }
    if (unused.length > 0) await store.release(unused).catch(() => undefined);
    if (refused.length > 0) await store.release(refused).catch(() => undefined);
    return claims.length - refused.length;
  }

  /** One after the other; but nobody waits for one that has survived for so long, whatever it is waiting for itself. */
  #oneAtATime(action: () => Promise<void>): Promise<void> {
    const before = this.#alone;
    const next = before.then(action);
    this.#alone = (async () => {
      await before;
      let cancel: (() => void) | undefined;
      const isKnown = new Promise<void>((resolve) => {
        cancel = after(this.#system.clock, suspicionMilliseconds, resolve);
      });
      await Promise.race([next.catch(() => undefined), isKnown]);
      cancel?.();
    })();
    return next;
  }

  #start(runner: Runner, slot: Lease | undefined): void {
    this.#taken++;
    this.#runners.add(runner);
    const { leases } = this.#system.workspaces.context;
    // No workspace has a name that begins with half of a pair. A slot that is lost was taken away; the job goes on to its next rest.
    const held = slot && leases.adopt(`\ud801${runner.id}`, slot, () => undefined);
    void runner.ended.finally(() => {
      this.#runners.delete(runner);
      if (held !== undefined) this.#release(held);
      this.#kickSoon();
    });
  }

  #release(held: Tenancy): void {
    const { isHeld, lease } = held;
    this.#system.workspaces.context.leases.vacate(held);
    if (isHeld) void this.#system.store.release([lease]).catch(() => undefined);
  }

  /** Those that end at about the same time make room for one claim together. */
  #kickSoon(): void {
    if (this.#stopped || this.#cancelKick !== undefined) return;
    this.#cancelKick = after(this.#system.clock, this.#runners.size === 0 ? 0 : 2, () => {
      this.#cancelKick = undefined;
      void this.kick();
    });
  }
}
