// Uses of objects outside transactions. Code that runs without yielding to the event loop is an implicit transaction, committed
// when it yields. Later writes see its changes immediately, and fail with it if it cannot be committed.
import type { Check, RecordCollection, Revision, Write } from '../../store/door.ts';
import { ObjectConflictError } from '../errors.ts';
import { LoadedRows } from './loaded-rows.ts';
import { isPending, PendingSource, type PendingWrites } from './pending-source.ts';
import { checkScannedRange } from '../instances/overlooked.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { RowTransaction } from './row-transaction.ts';
import { objectCollections } from '../rows.ts';
import { rowName, withoutCreations } from '../singleton-creation.ts';

export class PlainWrites {
  /** Rows loaded from a store without synchronous reads. */
  readonly loaded: LoadedRows;
  readonly #objects: ObjectGraph;
  readonly #pending: PendingWrites[] = [];
  #open: RowTransaction | undefined;
  #count = 0;
  #last: Promise<void> = Promise.resolve();
  #failures: Error[] = [];

  constructor(objects: ObjectGraph) {
    this.#objects = objects;
    this.loaded = new LoadedRows(objects.store.synchronous === undefined);
  }

  /** The transaction of the code that runs now. */
  current(): RowTransaction {
    if (this.#open === undefined) {
      const base = this.#objects.committedRows() ?? this.loaded;
      this.#open = new RowTransaction(new PendingSource(base, [...this.#pending]));
      queueMicrotask(() => this.end());
    }
    return this.#open;
  }

  /** Ends the current transaction and starts to commit its changes. */
  end(): void {
    const transaction = this.#open;
    this.#open = undefined;
    if (transaction === undefined || !transaction.hasWrites) return;
    if (transaction.doom !== undefined) {
      this.#fail(transaction.doom);
      return;
    }
    const pending: PendingWrites = { number: ++this.#count, transaction, committed: undefined, failure: undefined };
    this.#pending.push(pending);
    this.#last = this.#last.then(() => this.#commit(pending));
  }

  /** Waits until all changes so far are durable or have failed. */
  async settle(): Promise<void> {
    this.end();
    await this.#last;
  }

  /** Like `settle`; throws the failures since the last call. */
  async flush(): Promise<void> {
    await this.settle();
    const failures = this.#failures;
    this.#failures = [];
    const [failure] = failures;
    if (failures.length === 1 && failure !== undefined) throw failure;
    if (failures.length > 1)
      throw new AggregateError(
        failures,
        `${failures.length} changes of durable objects could not be committed; see errors.`,
      );
  }

  /** Changes are being committed. */
  get isBusy(): boolean {
    return this.#pending.length > 0 || this.#open?.hasWrites === true;
  }

  async #commit(pending: PendingWrites): Promise<void> {
    try {
      const part = { checks: await this.#checks(pending.transaction), writes: pending.transaction.writes() };
      const { store } = this.#objects;
      const [result] = await store.commit([part]);
      if (result?.status !== 'committed') {
        await this.#commitRest(pending, part, result?.conflict.message);
        return;
      }
      pending.committed = result.revision;
      this.loaded.wrote(pending.transaction, result.revision);
    } catch (error) {
      pending.failure = error instanceof Error ? error : new Error(String(error));
      this.#fail(pending.failure);
      await this.#reload(pending.transaction);
    } finally {
      this.#pending.splice(this.#pending.indexOf(pending), 1);
    }
  }

  /** After a conflict: commits the rest without singletons that another process has created. */
  async #commitRest(
    pending: PendingWrites,
    part: { readonly checks: readonly Check[]; readonly writes: readonly Write[] },
    message: string | undefined,
  ): Promise<void> {
    const { store } = this.#objects;
    const rest = await withoutCreations(store, pending.transaction, part);
    if (rest === undefined) throw conflict(message);
    const { checks, writes, replaced } = rest;
    // If nothing is left, nothing is committed and there is no revision.
    const [result] =
      writes.length === 0 ? [{ status: 'committed' as const, revision: 0 }] : await store.commit([{ checks, writes }]);
    if (result?.status !== 'committed') throw conflict(result?.conflict.message);
    pending.committed = result.revision;
    pending.replaced = replaced;
  }

  #fail(failure: Error): void {
    this.#failures.push(failure);
    // A warning, in case flush() is never called.
    process.emitWarning(`A change of durable objects was dropped: ${failure.message}`, {
      code: 'STATEK_CHANGE_LOST',
    });
  }

  /** Reloads stale rows, which would make all later writes fail too. */
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
      // The store is unreachable, which has been reported already.
    }
  }

  /** The checks of a transaction, with the outcomes of the pending writes it has read. */
  async #checks(transaction: RowTransaction): Promise<Check[]> {
    const source = transaction.source as PendingSource;
    const checks = transaction.checks();
    const seen = source.pending.filter(({ committed }) => committed !== undefined);
    const result: Check[] = [];
    for (const check of checks) {
      if (check.kind === 'revision' && isPending(check.revision)) {
        const pending = source.writesOf(check.revision);
        if (pending.committed === undefined) throw dependencyFailed(pending);
        result.push({ ...check, revision: committedRevision(pending, pending.committed, check) });
      } else if (check.kind === 'unchanged') {
        const pending = source.failedIn(check.collection as RecordCollection<unknown>, check.range);
        if (pending !== undefined) throw dependencyFailed(pending);
        const since = await checkScannedRange(this.#objects.store, check, seen);
        result.push({ ...check, since });
      } else result.push(check);
    }
    return result;
  }
}

/** The revision of a row that pending writes contained, or that another process wrote with the same content. */
function committedRevision(
  { replaced }: PendingWrites,
  committed: Revision,
  { collection, key }: Extract<Check, { kind: 'revision' }>,
): Revision {
  const name = rowName(collection, key);
  if (replaced?.has(name) !== true) return committed;
  const revision = replaced.get(name);
  if (revision === undefined) throw conflict('Another process created the same singleton first, and changed it.');
  return revision;
}

function conflict(message: string | undefined): ObjectConflictError {
  return new ObjectConflictError(
    `Another process changed the same objects at the same time: ${message ?? ''} The changes made outside a transaction were dropped. Use transaction(…), which retries automatically.`,
  );
}

function dependencyFailed({ failure }: PendingWrites): ObjectConflictError {
  return new ObjectConflictError(
    `This change depends on one that was dropped: ${failure?.message ?? ''} Use transaction(…), which retries automatically.`,
  );
}
