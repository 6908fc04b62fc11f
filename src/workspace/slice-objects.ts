// Durable objects in slices: each slice is a transaction of theirs, too. What it read is checked when it commits, and what
// it changed is written with it.
import { KeyLocks } from '../objects/key-locks.ts';
import type { Objects } from '../objects/objects.ts';
import { nodeRows } from '../objects/rows.ts';
import type { RowTransaction } from '../objects/row-transaction.ts';
import { givenUp, mostTries, pause, runOnce } from '../objects/transact.ts';
import { encodeKey, type Key } from '../store/key.ts';
import type { Revision } from '../store/store.ts';
import type { SliceChange } from './commit-slice.ts';
import { ObjectsChanged } from './conflict.ts';

/** After so many tries a slice waits for others of this process that use the same objects. */
const triesBeforeLocks = 3;
/** How many objects are loaded ahead of a slice, at most. */
const mostAhead = 500;

export class SliceObjects {
  readonly #objects: Objects;
  #transaction: RowTransaction | undefined;
  /** What the last slice read: the next one will probably read it too. */
  #last: readonly Key[] = [];

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Runs a slice on the objects as they are at one moment; `runsOnce` if it costs more to run again than to stand still. */
  async run<Result>(slice: () => Result, runsOnce: boolean): Promise<Result> {
    if (this.#objects.turns.isBusy) await this.#objects.turns.settle();
    const { transaction, result } = await runOnce(this.#objects, slice, { ahead: this.#last, runsOnce });
    this.#transaction = transaction;
    this.#last = transaction.keysRead(nodeRows).slice(0, mostAhead);
    return result;
  }

  /** The change of a slice together with what it did to objects. */
  joined(change: SliceChange): SliceChange {
    const transaction = this.#transaction as RowTransaction;
    if (change.dropsObjects === true) this.#transaction = undefined;
    return {
      ...change,
      also: {
        checks: [...transaction.checks(), ...(change.also?.checks ?? [])],
        writes: [...(change.dropsObjects === true ? [] : transaction.writes()), ...(change.also?.writes ?? [])],
      },
    };
  }

  committed(revision: Revision): void {
    if (this.#transaction !== undefined) this.#objects.turns.loaded.wrote(this.#transaction, revision);
    this.#transaction = undefined;
  }

  /** Tries until no object was changed under the slice's hands; gives up after a bounded number of times. */
  async untilUnchanged<Result>(slice: () => Promise<Result>): Promise<Result> {
    let unlock: (() => void) | undefined;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await slice();
        } catch (error) {
          // It does not stand: what is committed next, such as the step's failure, must not be taken for it.
          this.#transaction = undefined;
          if (!(error instanceof ObjectsChanged)) throw error;
          if (tries >= mostTries) throw givenUp(error.message, tries);
          unlock?.();
          unlock = undefined;
          await pause(tries);
          if (tries >= triesBeforeLocks) unlock = await locks.take(this.#last.map((key) => encodeKey(key)));
        }
      }
    } finally {
      unlock?.();
    }
  }
}

const locks = new KeyLocks();
