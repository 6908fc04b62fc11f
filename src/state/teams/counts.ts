// Totals of a team's tasks. Counting rows would read them all, and one row of counts would make every two processes conflict; so
// they are kept in slots, each changed in the commit of the task it counts. Calls of one process never use the same slot at once.
import type { Store, TransactionPart } from '../../store/door.ts';
import { countRows, type CountRow } from './rows.ts';

const slots = 64;
const none: CountRow = { enqueued: 0, completed: 0, failed: 0, cancelled: 0 };

export class Counts {
  readonly #free = new Set(Array.from({ length: slots }, (_, slot) => slot));
  readonly #waiting: ((slot: number) => void)[] = [];

  /** Gives a slot to an action, for as long as it takes. */
  async withSlot<Result>(action: (slot: number) => Promise<Result>): Promise<Result> {
    const slot = await this.#take();
    try {
      return await action(slot);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.add(slot);
      else next(slot);
    }
  }

  /** Any of those that are free, so that processes do not all begin with the same. */
  #take(): Promise<number> | number {
    const free = [...this.#free];
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free.delete(slot);
    return slot;
  }
}

/** One more task with this outcome, as part of its commit. */
export async function counted(
  store: Store,
  key: readonly [prefix: string, team: string, slot: number],
  what: keyof CountRow,
): Promise<TransactionPart> {
  const [entry] = await store.read(countRows, [key]);
  const before = entry?.value ?? none;
  return {
    checks: [
      entry === undefined
        ? { kind: 'absent', collection: countRows, key }
        : { kind: 'revision', collection: countRows, key, revision: entry.revision },
    ],
    writes: [{ kind: 'put', collection: countRows, key, value: { ...before, [what]: before[what] + 1 } }],
  };
}

export async function totalsOf(store: Store, prefix: string, team: string): Promise<CountRow> {
  const keys = Array.from({ length: slots }, (_, slot) => [prefix, team, slot]);
  const totals = { ...none };
  for (const entry of await store.read(countRows, keys)) {
    if (entry === undefined) continue;
    totals.enqueued += entry.value.enqueued;
    totals.completed += entry.value.completed;
    totals.failed += entry.value.failed;
    totals.cancelled += entry.value.cancelled;
  }
  return totals;
}
