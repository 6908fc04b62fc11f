// Leases on workspaces: only the process that holds one runs the workspace. A lease is kept while its workspace is used,
// renewed in the background, and given back after a moment without use.
//
// Whoever works on a workspace first acquires its lease and then waits for its turn in this process, in that order, and
// nobody waits for a lease during their turn. So no two of them ever wait for each other.
import { after, afterQuietly, type Clock } from '../base/clock.ts';
import type { Lease, Store, StoreSession } from '../store/door.ts';
import { KitClosedError, WorkspaceTakenError } from './errors.ts';
import type { LeasePlace } from './owners.ts';

export interface LeaseOptions {
  /** This process, for people. */
  readonly name: string;
  readonly leaseMilliseconds: number;
  /** How long to wait for a workspace another process is running. */
  readonly waitMilliseconds: number;
  /** The item whose lease says who runs a workspace. */
  readonly placeOf: (workspace: string) => Promise<LeasePlace>;
}

/** The lease under which something was begun is not held any more; what was not committed never happened. */
export class LeaseLostError extends Error {
  constructor(workspace: string) {
    super(`This process no longer holds the lease of '${workspace}'.`);
  }
}

/** This process's right to run a workspace: from the claim until the lease is given back, used up or lost. */
export class Tenancy {
  readonly workspace: string;
  /** Resolves when the next one may claim the lease. */
  readonly vacated: Promise<void>;
  /** Whoever claimed it, if not this module: it also gives the lease back. */
  readonly onLost: (() => void) | undefined;
  #lease: Lease;
  #state: 'held' | 'used up' | 'lost' = 'held';
  #users = 0;
  #vacate: () => void = () => undefined;
  readonly #unused: (tenancy: Tenancy) => void;

  constructor(
    workspace: string,
    lease: Lease,
    parts: { unused(tenancy: Tenancy): void; readonly onLost?: (() => void) | undefined },
  ) {
    this.workspace = workspace;
    this.#lease = lease;
    this.#unused = parts.unused;
    this.onLost = parts.onLost;
    this.vacated = new Promise((resolve) => {
      this.#vacate = resolve;
    });
  }

  /** The lease as it is now. */
  get lease(): Lease {
    return this.#lease;
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** It ended because another process took the workspace, or could have. */
  get isLost(): boolean {
    return this.#state === 'lost';
  }

  get isUsed(): boolean {
    return this.#users > 0;
  }

  /** One more user. Each calls `release` once. */
  retain(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0 && this.isHeld) this.#unused(this);
  }

  /** The lease after it was renewed. */
  renewed(lease: Lease): void {
    this.#lease = lease;
  }

  /** The last commit under it gave the lease back. */
  useUp(): void {
    if (this.isHeld) this.#state = 'used up';
  }

  lose(): void {
    if (this.isHeld) this.#state = 'lost';
  }

  vacate(): void {
    this.#vacate();
  }
}

// Keeping a lease over the pause between two steps saves two commits each time.
const restMilliseconds = 200;
const retryMilliseconds = 20;
/** A thread that does not come to its event loop for so long gives up what it holds: something is wrong with it. */
const patienceMilliseconds = 30_000;

export class Leases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #options: LeaseOptions;
  readonly #tenancies = new Map<string, Tenancy>();
  readonly #claiming = new Map<string, Promise<Tenancy>>();
  /** Leases that are given back soon, unless they are used again. */
  readonly #resting = new Map<Tenancy, () => void>();
  #session: Promise<StoreSession | undefined> | undefined;
  #openSession: StoreSession | undefined;
  #stopRenewing: () => void = () => undefined;
  #lastRenewal = performance.now();
  #closing = false;

  constructor(store: Store, clock: Clock, options: LeaseOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#options = options;
    this.#renewLater();
  }

  /** What this process is called in the store. */
  get name(): string {
    return this.#options.name;
  }

  /** The owner to claim with. The first claim begins the session that keeps leases alive. */
  async owner(): Promise<string> {
    const { name, leaseMilliseconds } = this.#options;
    this.#session ??= (async () => {
      this.#openSession = await this.#store.openSession?.({
        name,
        leaseMilliseconds,
        patienceMilliseconds: Math.max(patienceMilliseconds, 3 * leaseMilliseconds),
        lost: (lease) => this.#lostLease(lease),
        ended: () => {
          // From now on this thread renews, until the next claim begins another session.
          this.#openSession = undefined;
          this.#session = undefined;
        },
      });
      for (const tenancy of this.#tenancies.values()) this.#openSession?.keep(tenancy.lease);
      return this.#openSession;
    })();
    try {
      return (await this.#session)?.owner ?? name;
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  /**
   * Renews what this process has been too busy to renew: called before it claims, so that it does not take over from
   * itself.
   */
  async refresh(): Promise<void> {
    if (performance.now() - this.#lastRenewal > this.leaseMilliseconds * 0.9) await this.#renew();
  }

  get leaseMilliseconds(): number {
    return this.#options.leaseMilliseconds;
  }

  /** A lease that was claimed elsewhere in this process; `vacate` ends it, and its claimer gives the lease back. */
  adopt(workspace: string, lease: Lease, onLost: () => void): Tenancy {
    const before = this.#tenancies.get(workspace);
    if (before !== undefined) this.#end(before, 'lost');
    return this.#add(new Tenancy(workspace, lease, { unused: () => undefined, onLost }));
  }

  /** The next slice may take so long: its lease is kept at least that long, whatever the thread does meanwhile. */
  allow(milliseconds: number): void {
    this.#openSession?.allow(milliseconds);
  }

  /** Makes room for the next tenancy. */
  vacate(tenancy: Tenancy): void {
    tenancy.useUp();
    this.#openSession?.drop(tenancy.lease);
    if (this.#tenancies.get(tenancy.workspace) === tenancy) this.#tenancies.delete(tenancy.workspace);
    tenancy.vacate();
  }

  /** Acquires the workspace's lease, waiting for whoever has it. Every `acquire` is followed by one `release`. */
  async acquire(workspace: string): Promise<Tenancy> {
    for (;;) {
      this.#refuseIfClosing();
      const tenancy = this.#tenancies.get(workspace) ?? (await this.#claimOnce(workspace));
      if (tenancy.isHeld) {
        this.#resting.get(tenancy)?.();
        this.#resting.delete(tenancy);
        tenancy.retain();
        return tenancy;
      }
      await tenancy.vacated;
    }
  }

  /** Gives a lease back at once that nobody uses; otherwise it would rest for a while. */
  async releaseIfIdle(workspace: string): Promise<void> {
    const tenancy = this.#tenancies.get(workspace);
    if (tenancy !== undefined && tenancy.onLost === undefined && !tenancy.isUsed) await this.#giveBack(tenancy);
  }

  /** The store said that this lease is not held any more. */
  lost(tenancy: Tenancy): void {
    if (tenancy.isHeld) this.#end(tenancy, 'lost');
  }

  /** From now on nothing new begins. */
  refuseMore(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    this.#stopRenewing();
    await Promise.all([...this.#tenancies.values()].map((tenancy) => this.#giveBack(tenancy)));
    await this.#openSession?.close();
  }

  #refuseIfClosing(): void {
    if (this.#closing) throw new KitClosedError('This kit was closed. Open another one with Statek.open.');
  }

  #claimOnce(workspace: string): Promise<Tenancy> {
    let claiming = this.#claiming.get(workspace);
    if (claiming === undefined) {
      claiming = this.#claim(workspace).finally(() => this.#claiming.delete(workspace));
      this.#claiming.set(workspace, claiming);
    }
    return claiming;
  }

  async #claim(workspace: string): Promise<Tenancy> {
    const { leaseMilliseconds, waitMilliseconds } = this.#options;
    const started = performance.now();
    for (;;) {
      this.#refuseIfClosing();
      const { collection, key } = await this.#options.placeOf(workspace);
      const owner = await this.owner();
      const [claimed] = await this.#store.claim(collection, {
        owner,
        leaseMilliseconds,
        limit: 1,
        range: { prefix: key },
      });
      // A worker of this process may have been quicker: then its lease is the one to use.
      const adopted = this.#tenancies.get(workspace);
      if (claimed !== undefined && adopted === undefined) {
        return this.#add(new Tenancy(workspace, claimed.lease, { unused: (unused) => this.#rest(unused) }));
      }
      if (claimed !== undefined) await this.#store.release([claimed.lease]).catch(() => undefined);
      if (adopted !== undefined) return adopted;
      if (performance.now() - started > waitMilliseconds) {
        throw new WorkspaceTakenError(
          `Another process is running the workspace '${workspace}', for more than ${waitMilliseconds} ms. Try again later.`,
          { workspace },
        );
      }
      await this.#store.expireDead?.(collection);
      await new Promise<void>((resolve) => after(this.#clock, retryMilliseconds, resolve));
    }
  }

  #add(tenancy: Tenancy): Tenancy {
    this.#tenancies.set(tenancy.workspace, tenancy);
    this.#openSession?.keep(tenancy.lease);
    return tenancy;
  }

  #lostLease({ collection, token }: Lease): void {
    for (const tenancy of this.#tenancies.values())
      if (tenancy.lease.token === token && tenancy.lease.collection === collection) this.lost(tenancy);
  }

  #rest(tenancy: Tenancy): void {
    this.#resting.set(
      tenancy,
      afterQuietly(this.#clock, restMilliseconds, () => void this.#giveBack(tenancy)),
    );
  }

  #renewLater(): void {
    this.#stopRenewing = afterQuietly(this.#clock, this.#options.leaseMilliseconds / 3, () => {
      if (this.#closing && this.#tenancies.size === 0) return;
      // A session renews by itself, on a thread that is never busy with guest code.
      if (this.#openSession === undefined) void this.#renew();
      else this.#lastRenewal = performance.now();
      this.#renewLater();
    });
  }

  async #renew(): Promise<void> {
    const due = [...this.#tenancies.values()].filter(({ isHeld }) => isHeld);
    try {
      this.#lastRenewal = performance.now();
      if (due.length === 0) return;
      const results = await this.#store.renew(
        due.map(({ lease }) => lease),
        this.#options.leaseMilliseconds,
      );
      for (const [index, result] of results.entries()) {
        const tenancy = due[index] as Tenancy;
        if (result.status === 'renewed') tenancy.renewed(result.lease);
        else this.lost(tenancy);
      }
    } catch {
      // The store is out of reach for now. Nothing wrong can happen: commits are refused once another process has claimed.
    }
  }

  async #giveBack(tenancy: Tenancy): Promise<void> {
    if (!tenancy.isHeld) return;
    this.#end(tenancy, 'used up');
    await this.#store.release([tenancy.lease]).catch(() => undefined);
  }

  #end(tenancy: Tenancy, how: 'used up' | 'lost'): void {
    if (how === 'lost') tenancy.lose();
    else tenancy.useUp();
    this.#resting.get(tenancy)?.();
    this.#resting.delete(tenancy);
    // One that was adopted is over when its claimer has finished with it.
    if (tenancy.onLost !== undefined && how === 'lost') tenancy.onLost();
    else this.vacate(tenancy);
  }
}
