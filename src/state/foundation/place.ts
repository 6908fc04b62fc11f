// Where a manager keeps its rows: a store, and a prefix that keeps several sets of rows in it apart. A manager of a kit uses the
// kit's store; one that stands alone opens its own on first use, because constructors cannot wait.
import { described, InvalidOptionError } from '../../base/options.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import {
  isSource,
  openSource,
  openStore,
  sources,
  type Collection,
  type Store,
  type StoreSource,
} from '../../store/door.ts';
import { selectedBackend, type BackendSelection } from '../backends/selected.ts';
import { StateArgumentError } from './errors.ts';
import { is, type Kinds } from './given.ts';

/** Where a manager keeps its rows; default: in the memory of this process. */
export interface PlaceOptions extends BackendSelection {
  /** An opened store, or where to open one: a folder, a `.db` file, `memory:`, `postgres://…`, `redis://…`, `Disk(…)`. */
  readonly store?: Store | StoreSource | string | undefined;
  /** Managers with different prefixes do not see each other's rows; default: ''. */
  readonly keyPrefix?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** For those that take these options among others. A place looks at what they are itself. */
export const placeKinds: Kinds<PlaceOptions> = {
  store: is.anything,
  backend: is.anything,
  persistence: is.anything,
  filePath: is.anything,
  redisUrl: is.anything,
  postgresUrl: is.anything,
  keyPrefix: is.text,
  clock: is.anything,
};

export class Place {
  readonly clock: Clock;
  /** The first part of every key. */
  readonly prefix: string;
  readonly #open: () => Promise<{ readonly store: Store; readonly isOwned: boolean }>;
  readonly #collections: readonly Collection[];
  #opened: Promise<{ readonly store: Store; readonly isOwned: boolean }> | undefined;
  #isClosed = false;

  /** @param collections declared before the first use */
  constructor(where: string, options: PlaceOptions, collections: readonly Collection[]) {
    const { store, keyPrefix = '', clock = systemClock } = options;
    if (typeof (clock as Partial<Clock> | null)?.now !== 'function')
      throw new InvalidOptionError(`${where}: option 'clock' must have a function 'now', not be ${described(clock)}.`, {
        name: 'clock',
      });
    if (store !== undefined && !isSource(store))
      throw new InvalidOptionError(`${where}: option 'store' must be ${sources}, not ${described(store)}.`, {
        name: 'store',
      });
    const backend = selectedBackend(where, options);
    if (store !== undefined && backend !== undefined)
      throw new StateArgumentError(`${where}: give either 'store' or 'backend', not both.`);
    this.clock = clock;
    this.prefix = keyPrefix;
    this.#collections = collections;
    this.#open =
      backend === undefined
        ? () => (store === undefined ? owned(openStore('memory:')) : openSource(store))
        : () => owned(backend.open(clock));
  }

  /** The store, with the collections of the manager; opened on first use. */
  async store(): Promise<Store> {
    if (this.#isClosed) throw new StateArgumentError('This manager was closed. Make another.');
    // A failure to open is not remembered: the service behind it may come back.
    this.#opened ??= this.#prepared().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return (await this.#opened).store;
  }

  /** Closes the store if this place has opened it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    if (opened?.isOwned === true) await opened.store.close();
  }

  async #prepared(): Promise<{ readonly store: Store; readonly isOwned: boolean }> {
    const opened = await this.#open();
    try {
      await opened.store.declare(...this.#collections);
      return opened;
    } catch (error) {
      if (opened.isOwned) await opened.store.close();
      throw error;
    }
  }
}

async function owned(opening: Promise<Store>): Promise<{ readonly store: Store; readonly isOwned: boolean }> {
  return { store: await opening, isOwned: true };
}
