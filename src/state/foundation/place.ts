// Where a manager keeps its rows: a store, and a prefix that keeps several sets of rows in it apart. A manager of a kit uses the
// kit's store; one that stands alone opens its own on first use, because constructors cannot wait.
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Collection, Store } from '../../store/door.ts';
import { openStore } from '../../store/door.ts';
import { StateArgumentError } from './errors.ts';

/** Opens the store of a manager that stands alone. */
export interface StateBackend {
  /** `memory`, `file`, `redis` … */
  readonly name: string;
  open(clock: Clock): Promise<Store>;
}

/** Where a manager keeps its rows; default: in the memory of this process. */
export interface PlaceOptions {
  /** An opened store, or where to open one: a folder, a `.db` file, `memory:`, `postgres://…`, `redis://…`. */
  readonly store?: Store | string | undefined;
  /** A backend that opens the store, instead of `store`. */
  readonly backend?: StateBackend | undefined;
  /** Managers with different prefixes do not see each other's rows; default: ''. */
  readonly keyPrefix?: string | undefined;
  readonly clock?: Clock | undefined;
}

export class Place {
  readonly clock: Clock;
  /** The first part of every key. */
  readonly prefix: string;
  readonly #open: () => Promise<Store>;
  readonly #isOwned: boolean;
  readonly #collections: readonly Collection[];
  #store: Promise<Store> | undefined;
  #isClosed = false;

  /** @param collections declared before the first use */
  constructor(
    { store, backend, keyPrefix = '', clock = systemClock }: PlaceOptions,
    collections: readonly Collection[],
  ) {
    if (store !== undefined && backend !== undefined)
      throw new StateArgumentError("Give either 'store' or 'backend', not both.");
    this.clock = clock;
    this.prefix = keyPrefix;
    this.#collections = collections;
    this.#isOwned = typeof store !== 'object';
    if (typeof store === 'object') this.#open = () => Promise.resolve(store);
    else if (backend === undefined) this.#open = () => openStore(store ?? 'memory:');
    else this.#open = () => backend.open(clock);
  }

  /** The store, with the collections of the manager; opened on first use. */
  store(): Promise<Store> {
    if (this.#isClosed) return Promise.reject(new StateArgumentError('This manager was closed. Make another.'));
    // A failure to open is not remembered: the service behind it may come back.
    this.#store ??= this.#prepared().catch((error: unknown) => {
      this.#store = undefined;
      throw error;
    });
    return this.#store;
  }

  /** Closes the store if this place has opened it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#store?.catch(() => undefined);
    if (this.#isOwned) await opened?.close();
  }

  async #prepared(): Promise<Store> {
    const store = await this.#open();
    try {
      await store.declare(...this.#collections);
      return store;
    } catch (error) {
      if (this.#isOwned) await store.close();
      throw error;
    }
  }
}
