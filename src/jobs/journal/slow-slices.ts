// Notes of slices that kept a process busy for long: nothing else of it could run meanwhile. They are kept for whoever looks after the
// system, also in another process, and go with their job.
import type { Clock } from '../../base/clock.ts';
import { commitWithRetry, scanAll, StoreConflictError, type Store, type Write } from '../../store/door.ts';
import { jobRows, slowSliceRows, type SlowSliceFacts } from '../rows.ts';

/** A slice that took longer than `slowSliceMilliseconds`. */
export interface SlowSlice {
  readonly job: string;
  readonly role: string;
  readonly step: number;
  /** The commit that it ended with. */
  readonly commit: string;
  readonly milliseconds: number;
  readonly time: Date;
}

const keptMilliseconds = 28 * 24 * 3_600_000;
const maxKept = 500;
const maxTries = 10;
/** How many notes are written before those that are too many are removed. */
const notesBetween = 20;

/** Writes notes of slices, and now and then removes those that are too many or too old. */
export class SlowSlices {
  readonly #store: Store;
  readonly #clock: Clock;
  #written = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A note that cannot be written is missing in a list, and harms no job. */
  async note(job: string, facts: SlowSliceFacts): Promise<void> {
    try {
      await this.#write(job, facts);
      if (this.#written++ % notesBetween === 0) await this.#prune();
    } catch {
      // The store is out of reach, or the job changes all the time.
    }
  }

  /** Unless the job was deleted meanwhile. */
  async #write(job: string, facts: SlowSliceFacts): Promise<void> {
    const value = { ...facts, time: this.#clock.now() };
    await commitWithRetry(
      this.#store,
      maxTries,
      async () => {
        const [entry] = await this.#store.read(jobRows, [[job]]);
        if (entry === undefined) return undefined;
        return {
          checks: [{ kind: 'revision', collection: jobRows, key: [job], revision: entry.revision }],
          writes: [{ kind: 'put', collection: slowSliceRows, key: [job, facts.commit], value }],
        };
      },
      ({ message }) => new StoreConflictError(`The note of a slow slice was not written: ${message}`, { job }),
    );
  }

  async #prune(): Promise<void> {
    const all = await slowSlices(this.#store, Number.POSITIVE_INFINITY);
    const oldest = this.#clock.now() - keptMilliseconds;
    const writes = all
      .filter(({ time }, index) => index >= maxKept || time.getTime() < oldest)
      .map(({ job, commit }): Write => ({ kind: 'remove', collection: slowSliceRows, key: [job, commit] }));
    if (writes.length > 0) await this.#store.commit([{ writes }]);
  }
}

/** The latest first. */
export async function slowSlices(store: Store, limit: number): Promise<readonly SlowSlice[]> {
  const found: SlowSlice[] = [];
  for await (const { key, value } of scanAll(store, slowSliceRows, {}))
    found.push({ job: String(key[0]), ...value, time: new Date(value.time) });
  return found.toSorted((a, b) => b.time.getTime() - a.time.getTime()).slice(0, limit);
}
