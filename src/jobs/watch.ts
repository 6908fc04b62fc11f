// Wakes those who wait for the end of a job. All who wait in one process share one look at the change feed, and a job that
// takes many steps wakes nobody before its last.
import type { Change, Store } from '../store/store.ts';
import { jobIndexRows } from './rows.ts';

interface Following {
  readonly stop: AbortController;
  /** What is committed from then on is heard of. */
  readonly begun: Promise<void>;
}

export class JobWatch {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<() => void>>();
  #following: Following | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Looks again whenever the job has ended or is gone, until `look` says that it is enough. */
  async until(job: string, look: () => Promise<boolean>): Promise<void> {
    for (;;) {
      let wake: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const waiting = this.#waiting.get(job) ?? new Set();
      this.#waiting.set(job, waiting.add(wake));
      try {
        const following = (this.#following ??= this.#follow());
        await following.begun;
        if (await look()) return;
        await changed;
      } finally {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(job);
        if (this.#waiting.size === 0) this.#rest();
      }
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
