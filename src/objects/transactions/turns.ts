// Uses of objects outside a transaction. What the application does in one synchronous turn is one transaction, committed
// when the turn ends. Later turns see it at once, and fall with it if it could not be committed.
import type { RecordCollection } from '../../store/collection.ts';
import type { Check, Revision, Write } from '../../store/store.ts';
import { ObjectConflictError } from '../errors.ts';
import { LoadedRows } from './loaded-rows.ts';
import { isPending, PendingSource, type PendingTurn } from './pending-source.ts';
import { refuseOverlooked } from '../instances/overlooked.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { RowTransaction } from './row-transaction.ts';
import { objectCollections } from '../rows.ts';
import { rowName, withoutCreations } from '../singleton-creation.ts';

export class Turns {
  /** Rows that were loaded from a store that cannot read at once. */
  readonly loaded: LoadedRows;
  readonly #objects: ObjectGraph;
  readonly #pending: PendingTurn[] = [];
  #open: RowTransaction | undefined;
  #turns = 0;
  #last: Promise<void> = Promise.resolve();
  #failures: Error[] = [];

  constructor(objects: ObjectGraph) {
    this.#objects = objects;
    this.loaded = new LoadedRows(objects.store.synchronous === undefined);
  }

  /** The transaction of the present turn. */
  current(): RowTransaction {
    if (this.#open === undefined) {
      const base = this.#objects.committedRows() ?? this.loaded;
      this.#open = new RowTransaction(new PendingSource(base, [...this.#pending]));
      queueMicrotask(() => this.end());
    }
    return this.#open;
  }

  /** Ends the present turn: what it wrote is on its way to the store. */
  end(): void {
    const transaction = this.#open;
    this.#open = undefined;
    if (transaction === undefined || !transaction.hasWrites) return;
    if (transaction.doom !== undefined) {
      this.#fail(transaction.doom);
      return;
    }
    const turn: PendingTurn = { number: ++this.#turns, transaction, committed: undefined, failure: undefined };
    this.#pending.push(turn);
    this.#last = this.#last.then(() => this.#commit(turn));
  }

  /** Waits until everything written so far is durable, or has failed. */
  async settle(): Promise<void> {
    this.end();
    await this.#last;
  }

  /** The same; throws what could not be committed since it was last asked. */
  async flush(): Promise<void> {
    await this.settle();
    const failures = this.#failures;
    this.#failures = [];
    const [failure] = failures;
    if (failures.length === 1 && failure !== undefined) throw failure;
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} changes could not be kept.`);
  }

  /** Something is on its way to the store. */
  get isBusy(): boolean {
    return this.#pending.length > 0 || this.#open?.hasWrites === true;
  }

  async #commit(turn: PendingTurn): Promise<void> {
    try {
      const part = { checks: await this.#checks(turn.transaction), writes: turn.transaction.writes() };
      const { store } = this.#objects;
      const [result] = await store.commit([part]);
      if (result?.status !== 'committed') {
        await this.#commitRest(turn, part, result?.conflict.message);
        return;
      }
      turn.committed = result.revision;
      this.loaded.wrote(turn.transaction, result.revision);
    } catch (error) {
      turn.failure = error instanceof Error ? error : new Error(String(error));
      this.#fail(turn.failure);
      await this.#reload(turn.transaction);
    } finally {
      this.#pending.splice(this.#pending.indexOf(turn), 1);
    }
  }

  /** After a conflict: commits what is left without the singletons that another process has made meanwhile. */
  async #commitRest(
    turn: PendingTurn,
    part: { readonly checks: readonly Check[]; readonly writes: readonly Write[] },
    message: string | undefined,
  ): Promise<void> {
    const { store } = this.#objects;
    const rest = await withoutCreations(store, turn.transaction, part);
    if (rest === undefined) throw conflict(message);
    const { checks, writes, replaced } = rest;
    // Nothing is left to be committed: then nothing was, and no revision is this turn's.
    const [result] =
      writes.length === 0 ? [{ status: 'committed' as const, revision: 0 }] : await store.commit([{ checks, writes }]);
    if (result?.status !== 'committed') throw conflict(result?.conflict.message);
    turn.committed = result.revision;
    turn.replaced = replaced;
  }

  #fail(failure: Error): void {
    this.#failures.push(failure);
    // Said aloud, in case nobody asks with flush().
    process.emitWarning(`A change of durable objects was not kept: ${failure.message}`, {
      code: 'STATEK_CHANGE_LOST',
    });
  }

  /** Rows that were loaded too long ago would fail every later turn as well. */
  async #reload(transaction: RowTransaction): Promise<void> {
    const { store } = this.#objects;
    if (store.synchronous !== undefined) return;
    try {
      for (const collection of objectCollections) {
        const keys = transaction.keysRead(collection);
        const rows = keys.length === 0 ? [] : await store.read(collection, keys);
        for (const [index, key] of keys.entries()) this.loaded.keep(collection, key, rows[index]);
      }
    } catch {
      // The store cannot be reached; that is the failure which is reported already.
    }
  }

  /** The checks of a turn, in terms of what the turns it has seen have become. */
  async #checks(transaction: RowTransaction): Promise<Check[]> {
    const source = transaction.source as PendingSource;
    const checks = transaction.checks();
    const seen = source.pending.filter(({ committed }) => committed !== undefined);
    const result: Check[] = [];
    for (const check of checks) {
      if (check.kind === 'revision' && isPending(check.revision)) {
        const turn = source.turnOf(check.revision);
        if (turn.committed === undefined) throw fallen(turn);
        result.push({ ...check, revision: committedRevision(turn, turn.committed, check) });
      } else if (check.kind === 'unchanged') {
        const turn = source.fallenIn(check.collection as RecordCollection<unknown>, check.range);
        if (turn !== undefined) throw fallen(turn);
        const since = await refuseOverlooked(this.#objects.store, check, seen);
        result.push({ ...check, since });
      } else result.push(check);
    }
    return result;
  }
}

/** The revision of a row that a turn has written, or has found as another process wrote it. */
function committedRevision(
  { replaced }: PendingTurn,
  committed: Revision,
  { collection, key }: Extract<Check, { kind: 'revision' }>,
): Revision {
  const name = rowName(collection, key);
  if (replaced?.has(name) !== true) return committed;
  const revision = replaced.get(name);
  if (revision === undefined) throw conflict('Another process made the same singleton first, and changed it.');
  return revision;
}

function conflict(message: string | undefined): ObjectConflictError {
  return new ObjectConflictError(
    `Objects were changed by somebody else in the same moment: ${message ?? ''} Nothing of this turn was kept. Use transaction(…), which tries again by itself.`,
  );
}

function fallen({ failure }: PendingTurn): ObjectConflictError {
  return new ObjectConflictError(
    `This change built on one that could not be kept: ${failure?.message ?? ''} Use transaction(…), which tries again by itself.`,
  );
}
