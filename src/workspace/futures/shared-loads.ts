// One call for everybody: while somebody fetches an outcome that is going to be cached, others who want the same wait for it, in
// this process and in others. Whoever fetches holds a lease; if its process dies, the next one fetches.
import { after, type Clock } from '../../base/clock.ts';
import { encodeKey, keepLease, type Key, type Lease, type Store, type WorkCollection } from '../../store/door.ts';

const lookMilliseconds = 50;

/** An outcome that somebody has fetched, or the right to fetch it, until `release` is called. */
export type Fetched<Value> = { readonly known: Value } | { readonly release: () => Promise<void> };

/** An item while something is being fetched. */
export type LoadItem = { readonly since: number };

/** Where it is kept who fetches what. */
export interface LoadPlace {
  readonly store: Store;
  readonly clock: Clock;
  readonly collection: WorkCollection<LoadItem>;
  readonly leaseMilliseconds: number;
  /** Whom leases belong to. */
  owner(): Promise<string>;
}

export class SharedLoads {
  readonly #place: LoadPlace;
  /** The last one of this process that wants an outcome: the next waits for it, and asks the store for nothing meanwhile. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(place: LoadPlace) {
    this.#place = place;
  }

  /** `look` reads the cache; undefined when `isOver` says that nobody waits any longer. */
  async fetch<Value>(
    key: Key,
    look: () => Promise<Value | undefined>,
    isOver: () => boolean,
  ): Promise<Fetched<Value> | undefined> {
    const name = encodeKey(key);
    const before = this.#last.get(name);
    const { promise: turn, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(name, turn);
    const leave = (): void => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
      end();
    };
    try {
      await before;
      while (!isOver()) {
        const known = await look();
        if (known !== undefined) {
          leave();
          return { known };
        }
        const lease = await this.#claim(key);
        if (lease === undefined) {
          await new Promise<void>((resolve) => after(this.#place.clock, lookMilliseconds, resolve));
          continue;
        }
        // It may have come between the look and the claim.
        const late = await look();
        const stop = keepLease(this.#place.store, this.#place.clock, lease, this.#place.leaseMilliseconds);
        const release = async (): Promise<void> => {
          await this.#giveUp(stop());
          leave();
        };
        if (late === undefined) return { release };
        await release();
        return { known: late };
      }
      leave();
      return undefined;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #claim(key: Key): Promise<Lease | undefined> {
    const { store, clock, collection, leaseMilliseconds } = this.#place;
    const place = { collection, key };
    const [item] = await store.read(collection, [key]);
    if (item === undefined)
      await store.commit([
        { checks: [{ kind: 'absent', ...place }], writes: [{ kind: 'put', ...place, value: { since: clock.now() } }] },
      ]);
    const owner = await this.#place.owner();
    const [claimed] = await store.claim(collection, { owner, leaseMilliseconds, limit: 1, range: { prefix: key } });
    if (claimed === undefined) await store.expireDead?.(collection);
    return claimed?.lease;
  }

  /** The item goes with its lease. */
  async #giveUp(lease: Lease): Promise<void> {
    const { store, collection } = this.#place;
    const { key } = lease;
    await store
      .commit([{ leases: [{ lease, afterwards: 'release' }], writes: [{ kind: 'remove', collection, key }] }])
      .catch(() => undefined);
  }
}
