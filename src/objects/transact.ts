// Transactions: all or nothing, as if they ran one after another. What was read is checked at the commit; if it changed
// meanwhile, the function runs again on what is there now.
import type { Key } from '../store/key.ts';
import type { Revision } from '../store/store.ts';
import { ambientTransaction } from './ambient.ts';
import { ObjectConflictError, TransactionError } from './errors.ts';
import { loadGenerously } from './load.ts';
import type { ObjectGraph } from './object-graph.ts';
import { nodeRows } from './rows.ts';
import { Fault, LoadedSource } from './row-source.ts';
import { RowTransaction } from './row-transaction.ts';

/** How often a transaction is tried before it gives up. */
export const mostTries = 50;

export interface Ran<Result> {
  readonly transaction: RowTransaction;
  readonly result: Result;
}

/** Runs `action` in a transaction and commits it. Inside another transaction it becomes part of that one. */
export async function transact<Result>(objects: ObjectGraph, action: () => Result): Promise<Result> {
  const outer = ambientTransaction(objects);
  if (outer !== undefined) return joined(outer, action);
  await objects.turns.settle();
  for (let tries = 1; ; tries++) {
    const { transaction, result } = await runOnce(objects, action);
    if (!transaction.hasWrites) return result;
    const [committed] = await objects.store.commit([{ checks: transaction.checks(), writes: transaction.writes() }]);
    if (committed?.status === 'committed') {
      objects.turns.loaded.wrote(transaction, committed.revision);
      return result;
    }
    if (tries >= mostTries) throw givenUp(committed?.conflict.message, tries);
    await pause(tries);
  }
}

/** Runs `action` on the graph as it was at a revision. Nothing can be changed there. */
export async function transactAt<Result>(
  objects: ObjectGraph,
  revision: Revision,
  action: () => Result,
): Promise<Result> {
  await objects.turns.settle();
  return (await runOnce(objects, action, { revision, readonly: 'The past cannot be changed.' })).result;
}

/** Runs `action` until nothing is missing; what it wrote is in the transaction, and not committed. */
export async function runOnce<Result>(
  objects: ObjectGraph,
  action: () => Result,
  options: {
    readonly revision?: Revision;
    readonly readonly?: string;
    /** Objects that will probably be used. */
    readonly ahead?: readonly Key[];
  } = {},
): Promise<Ran<Result>> {
  const transaction = objects.beginSynchronous(options.revision, options.readonly);
  if (transaction !== undefined) return { transaction, result: runIn(objects, transaction, action) };
  const source = new LoadedSource(objects.store, options.revision ?? (await objects.store.revision()));
  if (options.ahead !== undefined && options.ahead.length > 0) await source.loadRows(nodeRows, options.ahead);
  for (;;) {
    const attempt = new RowTransaction(source, options.readonly);
    try {
      return { transaction: attempt, result: runIn(objects, attempt, action) };
    } catch (error) {
      const fault = attempt.doom ?? error;
      if (!(fault instanceof Fault)) throw error;
      await loadGenerously(source, fault.need);
    }
  }
}

function runIn<Result>(objects: ObjectGraph, transaction: RowTransaction, action: () => Result): Result {
  const result = objects.within(transaction, action);
  refusePromise(result);
  // The action may have caught what it must not.
  if (transaction.doom !== undefined) throw transaction.doom;
  return result;
}

/** Inside another transaction: part of it, and undone alone if it throws. */
function joined<Result>(outer: RowTransaction, action: () => Result): Result {
  const savepoint = outer.savepoint();
  try {
    const result = action();
    refusePromise(result);
    return result;
  } catch (error) {
    outer.rollbackTo(savepoint);
    throw error;
  }
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => undefined);
  throw new TransactionError(
    'The function of a transaction must not be async: a transaction cannot span an await. Await first, then change objects.',
  );
}

export function givenUp(message: string | undefined, tries: number): ObjectConflictError {
  return new ObjectConflictError(
    `The objects were changed by others each of the ${tries} times this was tried: ${message ?? ''} Try again later, or change less at once.`,
    { tries },
  );
}

/** Waits a little, and longer each time, so that those who collide do not do so again. */
export async function pause(tries: number): Promise<void> {
  if (tries === 1) return;
  const milliseconds = Math.random() * Math.min(2 ** (tries - 1), 50);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
