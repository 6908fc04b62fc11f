// Notices that work stands still: a job that is in its queue, and that nobody touches although nothing keeps them from it.
import type { Clock } from '../../base/clock.ts';
import { openStore, type Store, type SynchronousReads } from '../../store/door.ts';
import { jobRows, jobWorkRows } from '../../jobs/door.ts';

/** Before this, jobs may still stand under the leases of processes that are gone. */
const graceMilliseconds = 5000;
/** Shorter than a lease: it must not take one that runs out to get work going again. */
const maxMilliseconds = 1200;

interface Touched {
  readonly revision: number;
  readonly since: number;
}

export class Standstill {
  readonly #store: Store;
  readonly #reads: SynchronousReads;
  readonly #clock: Clock;
  readonly #from: number;
  /** Of each job in a queue: its last change, and when it was first seen. */
  #touched = new Map<string, Touched>();

  static async over(place: string, clock: Clock): Promise<Standstill> {
    const store = await openStore(place, { clock });
    await store.declare(jobRows, jobWorkRows);
    return new Standstill(store, clock);
  }

  private constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#reads = store.synchronous as SynchronousReads;
    this.#clock = clock;
    this.#from = clock.now() + graceMilliseconds;
  }

  /** Lets go of the store, which ends with the last who uses it. */
  close(): Promise<void> {
    return this.#store.close();
  }

  /** Throws if a job has been left alone for too long. */
  look(): void {
    const now = this.#clock.now();
    if (now < this.#from) return;
    const touched = new Map<string, Touched>();
    for (const { value } of this.#reads.scan(jobWorkRows, {}, { limit: 10_000 }).entries) {
      const [job] = this.#reads.read(jobRows, [[value.job]]);
      const before = this.#touched.get(value.job);
      const since = before !== undefined && before.revision === job?.revision ? before.since : now;
      if (now - since > maxMilliseconds)
        throw new Error(`the job '${value.job}' is ready, and nobody has touched it for ${now - since} ms`);
      touched.set(value.job, { revision: job?.revision ?? 0, since });
    }
    this.#touched = touched;
  }
}
