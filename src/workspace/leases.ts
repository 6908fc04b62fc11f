// Leases on workspaces: only the process that holds one runs the workspace. A lease is kept while its workspace is used,
// renewed in the background, and given back after a moment without use.
import { after, afterQuietly, type Clock } from '../base/clock.ts';
import type { Lease, Store } from '../store/store.ts';
import { KitClosedError, WorkspaceTakenError } from './errors.ts';
import type { LeasePlace } from './extension.ts';

export interface LeaseOptions {
  readonly owner: string;
  readonly leaseMilliseconds: number;
  /** How long to wait for a workspace another process is running. */
  readonly waitMilliseconds: number;
  /** The item whose lease says who runs a workspace. */
  readonly placeOf: (workspace: string) => Promise<LeasePlace>;
}

interface Held {
  lease: Lease;
  users: number;
  giveBack: (() => void) | undefined;
  /** Somebody else claimed it, and gives it back. */
  adopted: boolean;
}

// Keeping a lease over the pause between two steps saves two commits each time.
const restMilliseconds = 200;
const retryMilliseconds = 20;

export class Leases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #options: LeaseOptions;
  readonly #held = new Map<string, Held>();
  readonly #claiming = new Map<string, Promise<Held>>();
  /** Users of leases that were lost and not yet claimed again. */
  readonly #users = new Map<string, number>();
  #stopRenewing: () => void = () => undefined;
  #closing = false;

  constructor(store: Store, clock: Clock, options: LeaseOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#options = options;
    this.#renewLater();
  }

  get owner(): string {
    return this.#options.owner;
  }

  get leaseMilliseconds(): number {
    return this.#options.leaseMilliseconds;
  }

  /** Keeps a lease that was claimed elsewhere in this process, until `abandon`. */
  adopt(workspace: string, lease: Lease): void {
    this.#held.set(workspace, {
      lease,
      users: this.#users.get(workspace) ?? 0,
      giveBack: undefined,
      adopted: true,
    });
    this.#users.delete(workspace);
  }

  /** The lease that was adopted is not wanted any more; returns it unless it was lost. */
  abandon(workspace: string): Lease | undefined {
    const held = this.#held.get(workspace);
    if (held === undefined || !held.adopted) return undefined;
    this.#held.delete(workspace);
    if (held.users > 0) this.#users.set(workspace, held.users);
    return held.lease;
  }

  /** Gives back at once what was claimed again after a lease was lost, and that nobody uses now. */
  async letGo(workspace: string): Promise<void> {
    const held = this.#held.get(workspace);
    if (held !== undefined && !held.adopted && held.users === 0) await this.#release(workspace);
  }

  /** The lease if this process has it now. */
  held(workspace: string): Lease | undefined {
    return this.#held.get(workspace)?.lease;
  }

  /** Takes the workspace's lease, waiting for another process to let go of it. Every `take` is followed by a `put`. */
  async take(workspace: string): Promise<void> {
    if (this.#closing) throw new KitClosedError('This kit was closed. Open another one with Statek.open.');
    const held = await this.#holding(workspace);
    held.users++;
    held.giveBack?.();
  }

  /** From now on nothing new begins. */
  refuseMore(): void {
    this.#closing = true;
  }

  /** The lease as it is now, between `take` and `put`; claimed again if it was lost. */
  async current(workspace: string): Promise<Lease> {
    return (await this.#holding(workspace)).lease;
  }

  async #holding(workspace: string): Promise<Held> {
    let held = this.#held.get(workspace);
    if (held === undefined) {
      let claiming = this.#claiming.get(workspace);
      if (claiming === undefined) {
        claiming = this.#claim(workspace).finally(() => this.#claiming.delete(workspace));
        this.#claiming.set(workspace, claiming);
      }
      held = await claiming;
    }
    return held;
  }

  /** The lease is no longer needed by this user. */
  put(workspace: string): void {
    const held = this.#held.get(workspace);
    if (held === undefined) {
      const users = (this.#users.get(workspace) ?? 1) - 1;
      if (users > 0) this.#users.set(workspace, users);
      else this.#users.delete(workspace);
      return;
    }
    if (--held.users > 0 || held.adopted) return;
    held.giveBack = afterQuietly(this.#clock, restMilliseconds, () => void this.#release(workspace));
  }

  /** The store said that this lease is not held any more. */
  lost(workspace: string, lease: Lease): void {
    const held = this.#held.get(workspace);
    if (held?.lease.token !== lease.token) return;
    held.giveBack?.();
    this.#held.delete(workspace);
    this.#users.set(workspace, held.users);
  }

  async close(): Promise<void> {
    this.#stopRenewing();
    await Promise.all([...this.#held.keys()].map((workspace) => this.#release(workspace)));
  }

  async #claim(workspace: string): Promise<Held> {
    const { owner, leaseMilliseconds, waitMilliseconds } = this.#options;
    const started = performance.now();
    for (;;) {
      if (this.#closing) throw new KitClosedError('This kit was closed. Open another one with Statek.open.');
      const { collection, key } = await this.#options.placeOf(workspace);
      const [claimed] = await this.#store.claim(collection, {
        owner,
        leaseMilliseconds,
        limit: 1,
        range: { prefix: key },
      });
      if (claimed !== undefined) {
        const held = {
          lease: claimed.lease,
          users: this.#users.get(workspace) ?? 0,
          giveBack: undefined,
          adopted: false,
        };
        this.#users.delete(workspace);
        this.#held.set(workspace, held);
        return held;
      }
      if (performance.now() - started > waitMilliseconds) {
        throw new WorkspaceTakenError(
          `Another process is running the workspace '${workspace}', for more than ${waitMilliseconds} ms. Try again later.`,
          { workspace },
        );
      }
      await new Promise<void>((resolve) => after(this.#clock, retryMilliseconds, resolve));
    }
  }

  #renewLater(): void {
    this.#stopRenewing = afterQuietly(this.#clock, this.#options.leaseMilliseconds / 3, () => {
      if (this.#closing && this.#held.size === 0) return;
      void this.#renew();
      this.#renewLater();
    });
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.entries()].filter(
      ([, { lease }]) => lease.expiresAt - this.#clock.now() < (this.#options.leaseMilliseconds * 2) / 3,
    );
    if (held.length === 0) return;
    try {
      const results = await this.#store.renew(
        held.map(([, { lease }]) => lease),
        this.#options.leaseMilliseconds,
      );
      for (const [index, result] of results.entries()) {
        const [workspace, entry] = held[index] as [string, Held];
        if (result.status === 'renewed') entry.lease = result.lease;
        else this.lost(workspace, entry.lease);
      }
    } catch {
      // The store is out of reach for now. Nothing wrong can happen: commits are refused once the lease has run out.
    }
  }

  async #release(workspace: string): Promise<void> {
    const held = this.#held.get(workspace);
    if (held === undefined) return;
    held.giveBack?.();
    this.#held.delete(workspace);
    await this.#store.release([held.lease]).catch(() => undefined);
  }
}
