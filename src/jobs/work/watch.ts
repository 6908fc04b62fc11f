// Wakes those who wait for the end of a job. All who wait in one process share one look at the change feed, and a job that
// takes many steps wakes nobody before its last.
import { after, type Clock } from '../../base/clock.ts';
import type { Change, Store } from '../../store/door.ts';
import { isOutage } from './outages.ts';
import { jobIndexRows } from '../rows.ts';

interface Following {
  readonly stop: AbortController;
  /** What is committed from then on is heard of. */
  readonly begun: Promise<void>;
}

const retryMilliseconds = 200;
/** A store that is out of reach for longer is an error for those who wait. */
const patienceMilliseconds = 60_000;

export class JobWatch {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  #following: Following | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Looks again whenever the job has ended or is gone, until `look` says that it is enough. A store that is out of reach
   * for a while is waited for.
   */
  async until(job: string, look: () => Promise<boolean>): Promise<void> {
    let failedSince: number | undefined;
    for (;;) {
      try {
        if (await this.#untilChange(job, look)) return;
        failedSince = undefined;
      } catch (error) {
        failedSince ??= performance.now();
        if (!isOutage(error) || performance.now() - failedSince > patienceMilliseconds) throw error;
        await new Promise<void>((resolve) => after(this.#clock, retryMilliseconds, resolve));
      }
    }
  }

  /** Looks, and waits for a change if that was not enough. */
  async #untilChange(job: string, look: () => Promise<boolean>): Promise<boolean> {
    let wake: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => (wake = resolve));
    const waiting = this.#waiting.get(job) ?? new Set();
    this.#waiting.set(job, waiting.add(wake));
    try {
      const following = (this.#following ??= this.#follow());
      await following.begun;
      if (await look()) return true;
      await changed;
      return false;
    } finally {
      waiting.delete(wake);
      if (waiting.size === 0) this.#waiting.delete(job);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  /** Nobody waits any more, unless somebody is just about to. */
  #rest(): void {
    setImmediate(() => {
      if (this.#waiting.size > 0) return;
      this.#following?.stop.abort();
      this.#following = undefined;
    });
  }

  #follow(): Following {
    const stop = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    void (async () => {
      const since = await this.#store.revision();
      const changes = this.#store.follow({ collections: [jobIndexRows], since, signal: stop.signal });
      begin();
      for await (const set of changes) {
        for (const change of set.changes)
          if (isTheEnd(change)) for (const wake of this.#waiting.get(String(change.key.at(-1))) ?? []) wake();
      }
    })()
      .catch(() => undefined)
      .finally(() => {
        // Whoever still waits looks again, and is told what is wrong with the store.
        begin();
        if (this.#following?.stop === stop) this.#following = undefined;
        if (!stop.signal.aborted) for (const wakes of this.#waiting.values()) for (const wake of wakes) wake();
      });
    return { stop, begun };
  }
}

function isTheEnd({ kind, key }: Change): boolean {
  return kind === 'remove' ? key[0] === 'all' : key[0] === 'status' && key[1] === 'DONE';
}
