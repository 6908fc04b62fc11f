// Atomic, serializable transactions. The commit checks everything that was read; if it has changed, the function runs
// again on the current state.
import { isDeepStrictEqual, types } from 'node:util';
import type { Key, Revision } from '../../store/door.ts';
import { ambientTransaction } from './ambient.ts';
import { CallScope, type Ran } from './call-scope.ts';
import { ObjectConflictError, TransactionError } from '../errors.ts';
import { loadAhead, loadAheadBlocking } from './load.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { nodeRows } from '../rows.ts';
import { Fault, LoadedSource } from './row-source.ts';
import { RowTransaction } from './row-transaction.ts';

/** The maximum number of attempts. */
export const maxTries = 50;

const faultsBeforeBlocking = 3;

/** How often a transaction waits for pending changes made outside transactions since it was requested. */
const maxWaits = 10;

/** The function a transaction runs. An async function does not compile, and the compiler's message says why. */
export type Synchronous<Result> = (() => Result) &
  (() => Result extends PromiseLike<unknown>
    ? { readonly 'A transaction cannot span an await: await first, then change objects': never }
    : unknown);

/** Runs `action` in a transaction and commits it. Inside another transaction it runs immediately as part of that one. */
export function transact<Result>(objects: ObjectGraph, action: () => Result): Promise<Result> {
  const outer = ambientTransaction(objects);
  // Errors of the inner function propagate to the outer one.
  if (outer !== undefined) return Promise.resolve(joined(outer, action));
  const scope = CallScope.current();
  if (scope === undefined) return commitUntilUnchanged(objects, () => runOnce(objects, action));
  const again = async (): Promise<Ran<Result>> => {
    await objects.plainWrites.settle();
    return runOnce(objects, action);
  };
  return scope.hold(objects, again, (ran) => commitHeld(objects, again, ran));
}

async function commitUntilUnchanged<Result>(objects: ObjectGraph, run: () => Promise<Ran<Result>>): Promise<Result> {
  // Changes made while waiting come first as well.
  for (let waits = 0; waits === 0 || (objects.plainWrites.isBusy && waits < maxWaits); waits++)
    await objects.plainWrites.settle();
  for (let tries = 1; ; tries++) {
    const ran = await run();
    const conflict = await commit(objects, ran.transaction);
    if (conflict === undefined) return ran.result;
    if (tries >= maxTries) throw givenUp(conflict, tries);
    await pause(tries);
  }
}

/** Commits a held transaction. If it must run again, it must return the same result. */
async function commitHeld(
  objects: ObjectGraph,
  again: () => Promise<Ran<unknown>>,
  first: Ran<unknown>,
): Promise<void> {
  let ran = first;
  for (let tries = 1; ; tries++) {
    const conflict = await commit(objects, ran.transaction);
    if (conflict === undefined) return;
    if (tries >= maxTries) throw givenUp(conflict, tries);
    await pause(tries);
    ran = await again();
    if (!isDeepStrictEqual(ran.result, first.result))
      throw new ObjectConflictError(
        `The objects changed after the transaction of this call had run, and it now returns a different result: ${conflict} Its changes were dropped; make the call again.`,
      );
  }
}

/** Commits a transaction. Returns the message of a conflict, if any. */
async function commit(objects: ObjectGraph, transaction: RowTransaction): Promise<string | undefined> {
  if (!transaction.hasWrites) return undefined;
  const [result] = await objects.store.commit([{ checks: transaction.checks(), writes: transaction.writes() }]);
  if (result?.status !== 'committed') {
    if (result !== undefined) objects.contention.note(result.conflict);
    return result?.conflict.message ?? '';
  }
  objects.plainWrites.loaded.wrote(transaction, result.revision);
  return undefined;
}

/** Runs `action` on the graph at a revision, read-only. */
export async function transactAt<Result>(
  objects: ObjectGraph,
  revision: Revision,
  action: () => Result,
): Promise<Result> {
  await objects.plainWrites.settle();
  return (await runOnce(objects, action, { revision, readonly: 'at(…) is read-only: the past cannot be changed.' }))
    .result;
}

/** Runs `action` until everything it needs is loaded. Its writes are in the transaction, not committed. */
export async function runOnce<Result>(
  objects: ObjectGraph,
  action: () => Result,
  options: {
    readonly revision?: Revision;
    readonly readonly?: string;
    /** Objects that will probably be read. */
    readonly ahead?: readonly Key[];
    /** It must not run again for missing rows: loading them blocks the thread. */
    readonly runsOnce?: boolean;
  } = {},
): Promise<Ran<Result>> {
  const transaction = objects.beginSynchronous(options.revision, options.readonly);
  if (transaction !== undefined) return { transaction, result: runIn(objects, transaction, action) };
  // A round trip that an action without durable objects need not wait for. What blocks the thread cannot wait for it later.
  const source = new LoadedSource(
    objects.store,
    options.revision ?? (options.runsOnce === true ? await objects.store.revision() : undefined),
  );
  if (options.ahead !== undefined && options.ahead.length > 0)
    await source.load({ kind: 'rows', collection: nodeRows, keys: options.ahead });
  const { blocking } = objects.store;
  const block = (): void => {
    if (blocking !== undefined) source.block((need) => loadAheadBlocking(source, need, blocking));
  };
  if (options.runsOnce === true) block();
  for (let faults = 1; ; faults++) {
    const attempt = new RowTransaction(source, options.readonly);
    try {
      return { transaction: attempt, result: runIn(objects, attempt, action) };
    } catch (error) {
      const fault = attempt.doom ?? error;
      if (!(fault instanceof Fault)) throw error;
      await loadAhead(source, fault.need);
      // Running again for every fault would take quadratic time.
      if (faults >= faultsBeforeBlocking) block();
    }
  }
}

function runIn<Result>(objects: ObjectGraph, transaction: RowTransaction, action: () => Result): Result {
  rejectAsync(action);
  const result = objects.within(transaction, action);
  rejectPromise(result);
  // The action may have caught an error that it must not ignore.
  if (transaction.doom !== undefined) throw transaction.doom;
  return result;
}

/** Inside another transaction: part of it, and undone alone if it throws. */
function joined<Result>(outer: RowTransaction, action: () => Result): Result {
  rejectAsync(action);
  const savepoint = outer.savepoint();
  try {
    const result = action();
    rejectPromise(result);
    return result;
  } catch (error) {
    outer.rollbackTo(savepoint);
    throw error;
  }
}

// Code after the first await would run outside the transaction, so the function is not even called.
function rejectAsync(action: () => unknown): void {
  if (types.isAsyncFunction(action)) throw asyncError();
}

function rejectPromise(result: unknown): void {
  if (!types.isPromise(result)) return;
  result.catch(() => undefined);
  throw asyncError();
}

function asyncError(): TransactionError {
  return new TransactionError(
    'The function of a transaction must not be async or return a promise: a transaction cannot span an await. Await first, then change objects.',
  );
}

export function givenUp(message: string | undefined, tries: number): ObjectConflictError {
  return new ObjectConflictError(
    `The transaction conflicted with other changes in all ${tries} attempts: ${message ?? ''} Try again later, or change less in one transaction.`,
    { tries },
  );
}

/** Exponential backoff with jitter. */
export async function pause(tries: number): Promise<void> {
  if (tries === 1) return;
  const milliseconds = Math.random() * Math.min(2 ** (tries - 1), 50);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
