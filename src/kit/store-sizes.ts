// How large the store was, hour by hour: whoever works on it writes the size down once an hour, so that its growth can be seen.
import { afterQuietly, type Clock } from '../base/clock.ts';
import { recordCollection, type Store } from '../store/door.ts';

/** The size of a store at a time. */
export interface StoreSize {
  readonly time: Date;
  readonly bytes: number;
}

/** [hour]: the first size that was measured in it. */
const sizeRows = recordCollection<{ readonly time: number; readonly bytes: number }>('store_sizes');
const hour = 3_600_000;
const firstMilliseconds = 600_000;
/** Four weeks. */
const keptHours = 24 * 28;

export class StoreSizes {
  readonly #store: Store;
  readonly #clock: Clock;
  #running = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Measures once an hour until a worker has ended. */
  begin(ended: Promise<void>): void {
    if (this.#store.size === undefined) return;
    const own = ++this.#running;
    let cancel = (): void => undefined;
    const after = (milliseconds: number): void => {
      cancel = afterQuietly(this.#clock, milliseconds, () => {
        // A size that could not be written down is missing in a picture, and nothing else.
        void this.measure()
          .catch(() => undefined)
          .finally(() => {
            if (own === this.#running) after(hour);
          });
      });
    };
    // Soon, for workers that are started again often.
    after(firstMilliseconds);
    const stop = (): void => {
      cancel();
      this.#running++;
    };
    ended.then(stop, stop);
  }

  /** Writes the size down, unless somebody has done so in this hour, and drops what is older than four weeks. */
  async measure(): Promise<void> {
    const store = this.#store;
    await store.declare(sizeRows);
    const time = this.#clock.now();
    const key = [Math.floor(time / hour)];
    const [known] = await store.read(sizeRows, [key]);
    if (known !== undefined) return;
    const bytes = await store.size?.();
    if (bytes === undefined) return;
    const old = await store.scan(sizeRows, { prefix: [], to: [(key[0] as number) - keptHours] }, { limit: 100 });
    await store.commit([
      {
        checks: [{ kind: 'absent', collection: sizeRows, key }],
        writes: [
          { kind: 'put', collection: sizeRows, key, value: { time, bytes } },
          ...old.entries.map((entry) => ({ kind: 'remove' as const, collection: sizeRows, key: entry.key })),
        ],
      },
    ]);
  }

  /** Oldest first. */
  async list(): Promise<readonly StoreSize[]> {
    await this.#store.declare(sizeRows);
    const { entries } = await this.#store.scan(sizeRows, { prefix: [] }, { limit: keptHours + 100 });
    return entries.map(({ value: { time, bytes } }) => ({ time: new Date(time), bytes }));
  }
}
