// Group commit: whatever arrives while a durable write is under way goes into the next one, so that many commits share
// one sync and nobody waits longer than for the write before theirs.
import { StoreBusyError, StoreClosedError, StoreUnavailableError, StoreUnknownOutcomeError } from '../errors.ts';
import type { Outcome, PlainTransaction } from './plan.ts';

type CommitGroup = (transactions: readonly PlainTransaction[]) => Promise<readonly Outcome[]>;

interface Waiting {
  readonly transactions: readonly PlainTransaction[];
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

// Large enough that the sync no longer matters, small enough that a failed group is cheap to run again.
const maxGroupTransactions = 1000;

export class GroupCommit {
  readonly #commitGroup: CommitGroup;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(commitGroup: CommitGroup) {
    this.#commitGroup = commitGroup;
  }

  submit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transactions, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything submitted so far has been settled. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Everything submitted in this turn of the event loop is to share the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commitNext(this.#takeGroup());
    this.#running = undefined;
  }

  #takeGroup(): Waiting[] {
    let count = 0;
    let taken = 0;
    while (taken < this.#waiting.length) {
      count += this.#waiting[taken]?.transactions.length ?? 0;
      if (taken > 0 && count > maxGroupTransactions) break;
      taken++;
    }
    return this.#waiting.splice(0, taken);
  }

  async #commitNext(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commitGroup(group.flatMap((member) => member.transactions));
      let position = 0;
      for (const { transactions, resolve } of group) {
        resolve(outcomes.slice(position, (position += transactions.length)));
      }
    } catch (error) {
      if (group.length > 1 && mayConcernOneMember(error)) {
        for (const member of group) await this.#commitNext([member]);
      } else {
        for (const member of group) member.reject(error);
      }
    }
  }
}

// When the store itself is out of reach, trying the members one by one would only wait longer; and when it is unknown
// whether the group was written, writing it again could write it twice.
function mayConcernOneMember(error: unknown): boolean {
  return !(
    error instanceof StoreUnknownOutcomeError ||
    error instanceof StoreUnavailableError ||
    error instanceof StoreBusyError ||
    error instanceof StoreClosedError
  );
}
