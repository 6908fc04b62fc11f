// Group commit: transactions submitted during a durable write go into the next one. Many commits share one sync, and
// each waits for at most one write before its own.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreBusyError, StoreClosedError, StoreUnavailableError, StoreUnknownOutcomeError } from '../errors.ts';
import type { Outcome, PlainTransaction } from './plan.ts';

type CommitGroup = (transactions: readonly PlainTransaction[]) => Promise<readonly Outcome[]>;

interface Waiting {
  readonly transactions: readonly PlainTransaction[];
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

// Large enough to make the sync negligible, small enough to make a retry of the group cheap.
const maxGroupTransactions = 1000;

// What a write that waits for a server costs at least is worth more than the time these many callers take to come back.
const maxGatheredTransactions = 16;

export interface GroupCommitOptions {
  /**
   * After a small group, lets its callers submit what comes next before the next write. Otherwise callers fall into two
   * halves that wait for each other's writes. Worthwhile where a write is slow.
   */
  readonly gathers?: boolean;
}

export class GroupCommit {
  readonly #commitGroup: CommitGroup;
  readonly #gathers: boolean;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(commitGroup: CommitGroup, { gathers = false }: GroupCommitOptions = {}) {
    this.#commitGroup = commitGroup;
    this.#gathers = gathers;
  }

  submit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transactions, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything submitted so far has settled. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Lets everything submitted in this turn of the event loop share the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      await this.#commitNext(group);
      if (this.#gathers && group.length <= maxGatheredTransactions) await nextTurn();
    }
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

// If the store is unreachable, retrying members one by one only takes longer; if the outcome is unknown, retrying could
// write twice.
function mayConcernOneMember(error: unknown): boolean {
  return !(
    error instanceof StoreUnknownOutcomeError ||
    error instanceof StoreUnavailableError ||
    error instanceof StoreBusyError ||
    error instanceof StoreClosedError
  );
}
