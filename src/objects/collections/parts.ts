// Where the structures of this folder keep what does not fit into a collection's own record. They know nothing of the
// store: reading, writing and removing a part by its key is all they need.
import { StatekError } from '../../base/error.ts';

/** Tells the parts of one collection apart; the tail of the key a part is stored under. */
export type PartKey = readonly (string | number)[];

/** The parts of one collection. What was written is what is read next; values are JSON and are never changed. */
export interface Parts {
  /** Undefined if there is no such part. */
  read(key: PartKey): unknown;
  write(key: PartKey, value: unknown): void;
  remove(key: PartKey): void;
}

/** A part of a collection is missing, or is not what its collection says it is. */
export class CollectionDamagedError extends StatekError {
  readonly code = 'COLLECTION_DAMAGED';
}

export function damaged(key: PartKey, problem: string): CollectionDamagedError {
  return new CollectionDamagedError(
    `Part ${JSON.stringify(key)} of a collection ${problem}. Restore the store from a backup, or replace the collection.`,
    { part: key },
  );
}

/** A part that must be there. */
export function readPart(parts: Parts, key: PartKey): unknown {
  const value = parts.read(key);
  if (value === undefined) throw damaged(key, 'is missing');
  return value;
}
