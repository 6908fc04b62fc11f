// Transactions inside an asynchronous call whose outcome will be recorded. The last one is held and committed together
// with the outcome, so that objects and outcome agree after a crash; earlier ones are committed when the next begins.
// Only the function of the transaction is ever retried, never the call.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Check, Revision, Write } from '../../store/door.ts';
import type { ObjectGraph } from '../object-graph.ts';
import type { RowTransaction } from './row-transaction.ts';

/** A transaction that has run but is not committed. */
export interface Ran<Result> {
  readonly transaction: RowTransaction;
  readonly result: Result;
}

interface Held {
  readonly objects: ObjectGraph;
  /** Runs the function of the transaction again on the current state. */
  readonly again: () => Promise<Ran<unknown>>;
  readonly ran: Ran<unknown>;
  /** Commits it by itself. */
  readonly commit: (ran: Ran<unknown>) => Promise<void>;
}

const scopes = new AsyncLocalStorage<CallScope>();

export class CallScope {
  #held: Held | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  /** The scope of the current call, if any. */
  static current(): CallScope | undefined {
    const scope = scopes.getStore();
    return scope === undefined || scope.#hasEnded ? undefined : scope;
  }

  /** Runs a call whose transactions belong to this scope. */
  async run<Result>(call: () => Result): Promise<Awaited<Result>> {
    try {
      return await scopes.run(this, call);
    } finally {
      await this.#last.catch(() => undefined);
      this.#hasEnded = true;
    }
  }

  /** Runs a transaction and holds its commit; commits the previous one first. */
  async hold<Result>(
    objects: ObjectGraph,
    again: () => Promise<Ran<Result>>,
    commit: (ran: Ran<unknown>) => Promise<void>,
  ): Promise<Result> {
    const next = this.#last
      .catch(() => undefined)
      .then(async () => {
        const before = this.#held;
        this.#held = undefined;
        if (before !== undefined) await before.commit(before.ran);
        const ran = await again();
        if (ran.transaction.hasWrites) this.#held = { objects, again, ran, commit };
        return ran.result;
      });
    this.#last = next;
    return next;
  }

  /** The held transaction, to be committed with the outcome. */
  get part(): { readonly checks: readonly Check[]; readonly writes: readonly Write[] } {
    const transaction = this.#held?.ran.transaction;
    return { checks: transaction?.checks() ?? [], writes: transaction?.writes() ?? [] };
  }

  /** Runs the held transaction again after a conflict. Returns its results before and after. */
  async runAgain(): Promise<{ readonly before: unknown; readonly after: unknown } | undefined> {
    const held = this.#held;
    if (held === undefined) return undefined;
    this.#held = undefined;
    const ran = await held.again();
    if (ran.transaction.hasWrites) this.#held = { ...held, ran };
    return { before: held.ran.result, after: ran.result };
  }

  drop(): void {
    this.#held = undefined;
  }

  committed(revision: Revision): void {
    if (this.#held !== undefined) this.#held.objects.plainWrites.loaded.wrote(this.#held.ran.transaction, revision);
    this.#held = undefined;
  }
}
