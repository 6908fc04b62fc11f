// Transactions inside an asynchronous call whose outcome will be recorded. The last one is held back and committed
// together with the outcome, so that after a crash objects and outcome agree; those before it are committed when the next
// begins. Only the transaction's own function ever runs again, never the call.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Check, Revision, Write } from '../../store/store.ts';
import type { ObjectGraph } from '../object-graph.ts';
import type { RowTransaction } from './row-transaction.ts';

/** A transaction that has run and is not committed. */
export interface Ran<Result> {
  readonly transaction: RowTransaction;
  readonly result: Result;
}

interface Held {
  readonly objects: ObjectGraph;
  /** Runs the transaction's function once more, on what is there now. */
  readonly again: () => Promise<Ran<unknown>>;
  readonly ran: Ran<unknown>;
  /** Commits it by itself. */
  readonly commit: (ran: Ran<unknown>) => Promise<void>;
}

const scopes = new AsyncLocalStorage<CallScope>();

export class CallScope {
  #held: Held | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** The scope of the call that is under way here, if there is one. */
  static current(): CallScope | undefined {
    const scope = scopes.getStore();
    return scope === undefined || scope.#isOver ? undefined : scope;
  }

  /** Makes a call whose transactions belong to this scope. */
  async run<Result>(call: () => Result): Promise<Awaited<Result>> {
    try {
      return await scopes.run(this, call);
    } finally {
      await this.#last.catch(() => undefined);
      this.#isOver = true;
    }
  }

  /** Runs a transaction and holds it back; the one before it is committed first. */
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

  /** What goes into the store with the outcome. */
  get part(): { readonly checks: readonly Check[]; readonly writes: readonly Write[] } {
    const transaction = this.#held?.ran.transaction;
    return { checks: transaction?.checks() ?? [], writes: transaction?.writes() ?? [] };
  }

  /** The objects changed before the outcome was recorded: runs the held transaction again, and tells what it gave. */
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
    if (this.#held !== undefined) this.#held.objects.turns.loaded.wrote(this.#held.ran.transaction, revision);
    this.#held = undefined;
  }
}
