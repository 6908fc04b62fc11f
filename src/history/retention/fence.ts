// At most one process takes things away at a time. Whoever begins writes the collector's record; every transaction that
// removes something checks that it is still the one written last. So a killed collector needs no clean-up, and a slow
// one can do no harm after another took over.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { mustCommit } from '../../store/must-commit.ts';
import type { Check, Store, Transaction } from '../../store/store.ts';
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

  /** Commits, unless another process has taken over or another check does not hold; then the unit of work starts again. */
  async commit(transaction: Transaction): Promise<void> {
    const checks = [this.#check, ...(transaction.checks ?? [])];
    const [result] = await this.#store.commit([{ ...transaction, checks }]);
    if (result?.status !== 'committed') throw new Outdated(result?.conflict.message ?? 'no result');
  }
}

class Outdated extends Error {}

// Within a process they simply queue, per store.
const queues = new WeakMap<Store, Promise<unknown>>();

/** Runs a unit of work that removes things. It must read what it decides on itself, since it may be run again. */
export function withFence<Result>(store: Store, work: (fence: Fence) => Promise<Result>): Promise<Result> {
  const before = queues.get(store) ?? Promise.resolve();
  // A turn of the event loop first: what runs here may never wait for anything else.
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
    // Whoever was replaced stands back for a while, and the one that replaced it gets on.
    if (count > 0) await setTimeout(5 * 2 ** count);
    try {
      return await work(await takeOver(store));
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      why = error.message;
    }
  }
  throw new HistoryCollectorReplacedError(
    `Collecting was interrupted ${attempts} times, last because ${why} What was removed was not needed. Run it in one process at a time.`,
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
    if ((error as { code?: unknown }).code === 'STORE_CONFLICT') throw new Outdated('another process began. ');
    throw error;
  }
}
