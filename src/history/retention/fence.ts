// At most one process removes things at a time. A collector starts by writing the collector record; every transaction that
// removes something checks that this record is unchanged. So a killed collector needs no clean-up, and a slow one can do
// no harm after another took over.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { mustCommit, type Check, type Store, type Transaction } from '../../store/door.ts';
import { collector } from '../collections.ts';
import { HistoryCollectorReplacedError } from '../errors.ts';

const key = ['collector'];
const attempts = 10;

export class Fence {
  readonly #store: Store;
  readonly #check: Check;

  constructor(store: Store, revision: number) {
    this.#store = store;
    this.#check = { kind: 'revision', collection: collector, key, revision };
  }

  /** Commits; throws if another process has taken over or a check fails, and then the unit of work is retried. */
  async commit(transaction: Transaction): Promise<void> {
    const checks = [this.#check, ...(transaction.checks ?? [])];
    const [result] = await this.#store.commit([{ ...transaction, checks }]);
    if (result?.status !== 'committed') throw new StaleFence(result?.conflict.message ?? 'no result');
  }
}

class StaleFence extends Error {}

// Within a process, units of work queue per store.
const queues = new WeakMap<Store, Promise<unknown>>();

/** Runs a unit of work that removes things. It must do its own reads, because it may be retried. */
export function withFence<Result>(store: Store, work: (fence: Fence) => Promise<Result>): Promise<Result> {
  const before = queues.get(store) ?? Promise.resolve();
  // Yields to the event loop first, because the work may never do so itself.
  const result = before.then(() => setImmediate()).then(() => attempt(store, work));
  queues.set(
    store,
    result.catch(() => undefined),
  );
  return result;
}

async function attempt<Result>(store: Store, work: (fence: Fence) => Promise<Result>): Promise<Result> {
  let why = '';
  for (let count = 0; count < attempts; count++) {
    // Backs off, so that the process that took over can make progress.
    if (count > 0) await setTimeout(5 * 2 ** count);
    try {
      return await work(await takeOver(store));
    } catch (error) {
      if (!(error instanceof StaleFence)) throw error;
      why = error.message;
    }
  }
  throw new HistoryCollectorReplacedError(
    `Collection was interrupted ${attempts} times, last because ${why} Everything removed so far was unneeded. Run it in one process at a time.`,
    { attempts },
  );
}

async function takeOver(store: Store): Promise<Fence> {
  const [entry] = await store.read(collector, [key]);
  try {
    const revision = await mustCommit(store, {
      checks: [
        entry === undefined
          ? { kind: 'absent', collection: collector, key }
          : { kind: 'revision', collection: collector, key, revision: entry.revision },
      ],
      writes: [{ kind: 'put', collection: collector, key, value: { run: (entry?.value.run ?? 0) + 1 } }],
    });
    return new Fence(store, revision);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_CONFLICT')
      throw new StaleFence('another process started to collect. ');
    throw error;
  }
}
