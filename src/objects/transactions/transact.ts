// Transactions: all or nothing, as if they ran one after another. What was read is checked at the commit; if it changed
// meanwhile, the function runs again on what is there now.
import { isDeepStrictEqual, types } from 'node:util';
import type { Key } from '../../store/key.ts';
import type { Revision } from '../../store/store.ts';
import { ambientTransaction } from './ambient.ts';
import { CallScope, type Ran } from './call-scope.ts';
import { ObjectConflictError, TransactionError } from '../errors.ts';
import { loadGenerously, loadGenerouslyBlocking } from './load.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { nodeRows } from '../rows.ts';
import { Fault, LoadedSource } from './row-source.ts';
import { RowTransaction } from './row-transaction.ts';

/** How often a transaction is tried before it gives up. */
export const mostTries = 50;

const faultsBeforeBlocking = 3;

/** How often a transaction lets turns go first that have begun since it was asked for. */
const mostWaits = 10;

/** The function a transaction runs. An async function does not compile, and the compiler's message says why. */
export type Synchronous<Result> = (() => Result) &
  (() => Result extends PromiseLike<unknown>
    ? { readonly 'A transaction cannot span an await: await first, then change objects': never }
    : unknown);

/** Runs `action` in a transaction and commits it. Inside another transaction it becomes part of that one, at once. */
export function transact<Result>(objects: ObjectGraph, action: () => Result): Promise<Result> {
  const outer = ambientTransaction(objects);
  // What the inner function throws reaches the outer one, like any error.
  if (outer !== undefined) return Promise.resolve(joined(outer, action));
  const scope = CallScope.current();
  if (scope === undefined) return commitUntilUnchanged(objects, () => runOnce(objects, action));
  const again = async (): Promise<Ran<Result>> => {
    await objects.turns.settle();
    return runOnce(objects, action);
  };
  return scope.hold(objects, again, (ran) => commitHeld(objects, again, ran));
}

async function commitUntilUnchanged<Result>(objects: ObjectGraph, run: () => Promise<Ran<Result>>): Promise<Result> {
  // What was written in turns while others were waited for comes first as well.
  for (let waits = 0; waits === 0 || (objects.turns.isBusy && waits < mostWaits); waits++) await objects.turns.settle();
  for (let tries = 1; ; tries++) {
    const ran = await run();
    const conflict = await commit(objects, ran.transaction);
    if (conflict === undefined) return ran.result;
    if (tries >= mostTries) throw givenUp(conflict, tries);
    await pause(tries);
  }
}

/** Commits a transaction that was held back. If it must run again, what it gives must be what it gave before. */
async function commitHeld(
  objects: ObjectGraph,
  again: () => Promise<Ran<unknown>>,
  first: Ran<unknown>,
): Promise<void> {
  let ran = first;
  for (let tries = 1; ; tries++) {
    const conflict = await commit(objects, ran.transaction);
    if (conflict === undefined) return;
    if (tries >= mostTries) throw givenUp(conflict, tries);
    await pause(tries);
    ran = await again();
    if (!isDeepStrictEqual(ran.result, first.result))
      throw new ObjectConflictError(
        `The objects changed after this call's transaction had run, and it would now give something else: ${conflict} Nothing of it was kept.`,
      );
  }
}

/** Commits what a transaction wrote; returns what was in the way, if something was. */
async function commit(objects: ObjectGraph, transaction: RowTransaction): Promise<string | undefined> {
  if (!transaction.hasWrites) return undefined;
  const [result] = await objects.store.commit([{ checks: transaction.checks(), writes: transaction.writes() }]);
  if (result?.status !== 'committed') return result?.conflict.message ?? '';
  objects.turns.loaded.wrote(transaction, result.revision);
  return undefined;
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
    /** It must not run again because something was not loaded: the thread stands still until it is. */
    readonly runsOnce?: boolean;
  } = {},
): Promise<Ran<Result>> {
  const transaction = objects.beginSynchronous(options.revision, options.readonly);
  if (transaction !== undefined) return { transaction, result: runIn(objects, transaction, action) };
  const source = new LoadedSource(objects.store, options.revision ?? (await objects.store.revision()));
  if (options.ahead !== undefined && options.ahead.length > 0)
    await source.load({ kind: 'rows', collection: nodeRows, keys: options.ahead });
  const { blocking } = objects.store;
  const block = (): void => {
    if (blocking !== undefined) source.block((need) => loadGenerouslyBlocking(source, need, blocking));
  };
  if (options.runsOnce === true) block();
  for (let faults = 1; ; faults++) {
    const attempt = new RowTransaction(source, options.readonly);
    try {
      return { transaction: attempt, result: runIn(objects, attempt, action) };
    } catch (error) {
      const fault = attempt.doom ?? error;
      if (!(fault instanceof Fault)) throw error;
      await loadGenerously(source, fault.need);
      // Running again for every distance it gets would take a time that grows with the square of them.
      if (faults >= faultsBeforeBlocking) block();
    }
  }
}

function runIn<Result>(objects: ObjectGraph, transaction: RowTransaction, action: () => Result): Result {
  refuseAsync(action);
  const result = objects.within(transaction, action);
  refusePromise(result);
  // The action may have caught what it must not.
  if (transaction.doom !== undefined) throw transaction.doom;
  return result;
}

/** Inside another transaction: part of it, and undone alone if it throws. */
function joined<Result>(outer: RowTransaction, action: () => Result): Result {
  refuseAsync(action);
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

// What follows its first await would run outside the transaction, so it is not even begun.
function refuseAsync(action: () => unknown): void {
  if (types.isAsyncFunction(action)) throw asyncError();
}

function refusePromise(result: unknown): void {
  if (!types.isPromise(result)) return;
  result.catch(() => undefined);
  throw asyncError();
}

function asyncError(): TransactionError {
  return new TransactionError(
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
