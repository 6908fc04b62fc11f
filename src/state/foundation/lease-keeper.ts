// Leases that a manager holds: they are renewed while it lives, off this thread where the store has sessions, and other processes
// take them over when it dies.
import { afterQuietly, type Clock } from '../../base/clock.ts';
import type { Claimed, Lease, Range, Store, StoreSession, WorkCollection } from '../../store/door.ts';

export interface LeaseKeeperOptions {
  readonly store: () => Promise<Store>;
  readonly clock: Clock;
  /** This manager, for people. */
  readonly name: string;
  readonly leaseMilliseconds: number;
}

interface Held {
  lease: Lease;
  readonly lost: () => void;
}

/** A thread that does not reach its event loop for so long gives up what it holds. */
const patienceMilliseconds = 30_000;

export class LeaseKeeper {
  readonly leaseMilliseconds: number;
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, Held>();
  #session: Promise<StoreSession | undefined> | undefined;
  #openSession: StoreSession | undefined;
  #stopRenewing: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.leaseMilliseconds = options.leaseMilliseconds;
  }

  /** The owner that leases are claimed with. */
  async owner(): Promise<string> {
    this.#session ??= this.#begin();
    try {
      return (await this.#session)?.owner ?? this.#options.name;
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  /** Claims free items and keeps them until they are released; `lost` is called if another process takes one over. */
  async claim<Value>(
    collection: WorkCollection<Value>,
    range: Range,
    lost: (lease: Lease) => void,
    limit = 1,
  ): Promise<readonly Claimed<Value>[]> {
    const store = await this.#options.store();
    const owner = await this.owner();
    const { leaseMilliseconds } = this;
    const claimed = await store.claim(collection, { owner, leaseMilliseconds, limit, range });
    for (const { lease } of claimed) this.#keep(lease, lost);
    return claimed;
  }

  /** Stops renewing a lease that a commit has released. */
  drop(lease: Lease): void {
    if (this.#held.delete(nameOf(lease))) this.#openSession?.drop(lease);
  }

  async release(lease: Lease): Promise<void> {
    this.drop(lease);
    await (await this.#options.store()).release([lease]);
  }

  /** Makes the items of dead processes free now, where the store can tell. */
  async expireDead(collection: WorkCollection<unknown>): Promise<void> {
    const store = await this.#options.store();
    await store.expireDead?.(collection);
  }

  /** The leases in a range that count: neither those of dead processes, nor those that have expired. */
  async live(collection: WorkCollection<unknown>, range: Range): Promise<readonly Lease[]> {
    await this.expireDead(collection);
    return this.unexpired(collection, range);
  }

  /** Like `live`, without looking for dead processes. */
  async unexpired(collection: WorkCollection<unknown>, range: Range): Promise<readonly Lease[]> {
    const store = await this.#options.store();
    return (await store.holders(collection, range)).filter(({ isExpired }) => !isExpired);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.abandon();
    const leases = [...this.#held.values()].map(({ lease }) => lease);
    this.#held.clear();
    // A store that is out of reach lets them expire.
    if (leases.length > 0) await (await this.#options.store()).release(leases).catch(() => undefined);
    await (await this.#session?.catch(() => undefined))?.close();
  }

  /** Renews nothing any more, as if this process had died. */
  abandon(): void {
    this.#isClosed = true;
    this.#stopRenewing?.();
    this.#stopRenewing = undefined;
  }

  async #begin(): Promise<StoreSession | undefined> {
    const { store, name, leaseMilliseconds } = this.#options;
    this.#openSession = await (
      await store()
    ).openSession?.({
      name,
      leaseMilliseconds,
      patienceMilliseconds: Math.max(patienceMilliseconds, 3 * leaseMilliseconds),
      lost: (lease) => this.#lose(lease),
      ended: () => {
        // From now on this thread renews, until the next claim begins another session.
        this.#openSession = undefined;
        this.#session = undefined;
        this.#renewLater();
      },
    });
    for (const { lease } of this.#held.values()) this.#openSession?.keep(lease);
    return this.#openSession;
  }

  #keep(lease: Lease, lost: (lease: Lease) => void): void {
    this.#held.set(nameOf(lease), { lease, lost: () => lost(lease) });
    if (this.#openSession === undefined) this.#renewLater();
    else this.#openSession.keep(lease);
  }

  #lose(lease: Lease): void {
    const held = this.#held.get(nameOf(lease));
    if (held === undefined) return;
    this.drop(lease);
    held.lost();
  }

  #renewLater(): void {
    if (this.#isClosed || this.#stopRenewing !== undefined || this.#held.size === 0) return;
    this.#stopRenewing = afterQuietly(this.#options.clock, this.leaseMilliseconds / 3, () => {
      this.#stopRenewing = undefined;
      if (this.#openSession !== undefined) return;
      void this.#renew().finally(() => this.#renewLater());
    });
  }

  async #renew(): Promise<void> {
    const due = [...this.#held.values()];
    try {
      const store = await this.#options.store();
      const results = await store.renew(
        due.map(({ lease }) => lease),
        this.leaseMilliseconds,
      );
      for (const [index, result] of results.entries()) {
        const held = due[index] as Held;
        if (result.status === 'renewed') held.lease = result.lease;
        else this.#lose(held.lease);
      }
    } catch {
      // The store is out of reach for now. Nothing wrong can happen: commits are refused once another process has claimed.
    }
  }
}

function nameOf({ collection, token }: Lease): string {
  return `${collection} ${token}`;
}
