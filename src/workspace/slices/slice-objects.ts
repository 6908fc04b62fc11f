// Durable objects in slices: each slice is a transaction of theirs, too. What it read is checked when it commits, and what
// it changed is written with it.
import { KeyLocks, nodeRows, pause, runOnce, type Objects, type RowTransaction } from '../../objects/door.ts';
import { encodeKey, mergeParts, type Key, type Revision } from '../../store/door.ts';
import type { SliceChange } from './slice-transaction.ts';

/** After so many tries a slice waits for others of this process that use the same objects. */
const triesBeforeLocks = 3;
/** How many objects are loaded ahead of a slice, at most. */
const maxAhead = 500;

export class SliceObjects {
  readonly #objects: Objects;
  #transaction: RowTransaction | undefined;
  /** What the last slice read: the next one will probably read it too. */
  #last: readonly Key[] = [];
  #unlock: (() => void) | undefined;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Runs a slice on the objects as they are at one moment; `runsOnce` if it costs more to run again than to stand still. */
  async run<Result>(slice: () => Result, runsOnce: boolean): Promise<Result> {
    if (this.#objects.plainWrites.isBusy) await this.#objects.plainWrites.settle();
    const { transaction, result } = await runOnce(this.#objects, slice, { ahead: this.#last, runsOnce });
    this.#transaction = transaction;
    this.#last = transaction.keysRead(nodeRows).slice(0, maxAhead);
    return result;
  }

  /** The change of a slice together with what it did to objects. */
  joined(change: SliceChange): SliceChange {
    const transaction = this.#transaction as RowTransaction;
    if (change.dropsObjects === true) this.#transaction = undefined;
    return {
      ...change,
      also: mergeParts(
        { checks: transaction.checks(), writes: change.dropsObjects === true ? [] : transaction.writes() },
        change.also,
      ),
    };
  }

  committed(revision: Revision): void {
    if (this.#transaction !== undefined) this.#objects.plainWrites.loaded.wrote(this.#transaction, revision);
    this.#transaction = undefined;
  }

  /** Objects have changed under the slice's hands; it is run again on what is there now. */
  async beforeRetry(tries: number): Promise<void> {
    this.end();
    await pause(tries);
    if (tries >= triesBeforeLocks) this.#unlock = await locks.acquire(this.#last.map((key) => encodeKey(key)));
  }

  /** The slice was committed, or does not stand: what is committed next, such as its step's failure, is not its transaction. */
  end(): void {
    this.#transaction = undefined;
    this.#unlock?.();
    this.#unlock = undefined;
  }
}

const locks = new KeyLocks();
