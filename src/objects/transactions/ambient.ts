// The transaction of the running code. Transactions are synchronous, so a variable is enough: no other code runs in
// between.
import type { ObjectGraph } from '../object-graph.ts';
import type { RowTransaction } from './row-transaction.ts';

interface Ambient {
  readonly objects: ObjectGraph;
  readonly transaction: RowTransaction;
}

let ambient: Ambient | undefined;

export function ambientObjects(): ObjectGraph | undefined {
  return ambient?.objects;
}

export function ambientTransaction(objects: ObjectGraph): RowTransaction | undefined {
  return ambient?.objects === objects ? ambient.transaction : undefined;
}

/** Runs `action` as part of a transaction. */
export function within<Result>(objects: ObjectGraph, transaction: RowTransaction, action: () => Result): Result {
  const outer = ambient;
  ambient = { objects, transaction };
  try {
    return action();
  } finally {
    ambient = outer;
  }
}
