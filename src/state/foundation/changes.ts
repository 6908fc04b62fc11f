// Changes that depend on what is there: decided on what was read, committed if that is still so, and decided again otherwise. However
// many callers change the same thing at once, in however many processes, each of them is told what became of its own change.
import { commitParts, type Conflict, type Lease, type Store, type TransactionPart } from '../../store/door.ts';
import { StateConflictError } from './errors.ts';
import { Turns } from './turns.ts';

/** What is told to the caller, and what is to be committed before; without a part nothing is. */
export interface Decision<Value> {
  readonly value: Value;
  readonly part?: Partial<TransactionPart> | undefined;
}

/** A lease under which something is committed, and the error if another process has it by now. */
export interface Under {
  readonly lease: Lease;
  lost(): Error;
}

/** Only processes compete here, and one of them always gets ahead. */
const maxTries = 1000;

export class Changes {
  readonly #store: () => Promise<Store>;
  readonly #turns = new Turns();

  constructor(store: () => Promise<Store>) {
    this.#store = store;
  }

  /**
   * Decides and commits until nothing is in the way. `decide` must read again what it depends on. Calls of this process about the same
   * thing take turns, in their order.
   */
  make<Value>(
    what: string,
    decide: (store: Store) => Promise<Decision<Value>> | Decision<Value>,
    under?: Under,
  ): Promise<Value> {
    return this.#turns.take(what, async () => {
      const store = await this.#store();
      for (let tried = 1; ; tried++) {
        const { value, part } = await decide(store);
        if (part === undefined) return value;
        const result = await commitParts(store, [part], under?.lease);
        if (result.status === 'committed') return value;
        if (under !== undefined && result.conflict.kind === 'lease') throw under.lost();
        if (tried === maxTries) throw conflictOver(what, result.conflict);
        await pauseAfter(tried);
      }
    });
  }
}

/** The error of a change that others were always ahead of. */
export function conflictOver(what: string, conflict?: Conflict): StateConflictError {
  return new StateConflictError(
    `${what} could not be changed: other processes committed first, ${maxTries} times. Try again.`,
    { what, ...conflict },
  );
}

/** Lets others get ahead who have lost as often: not at all at first, and then for a random time. */
export async function pauseAfter(tried: number): Promise<void> {
  if (tried <= 3) return;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tried, 50)));
}
