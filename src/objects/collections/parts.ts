// Storage for what does not fit into the record of a collection. The structures in this folder do not depend on the
// store: they only read, write and remove parts by key.
import { StatekError } from '../../base/error.ts';

/** Identifies a part within its collection; the last elements of its store key. */
export type PartKey = readonly (string | number)[];

/** The parts of one collection. Reads see earlier writes; values are JSON and immutable. */
export interface Parts {
  /** Undefined if missing. */
  read(key: PartKey): unknown;
  write(key: PartKey, value: unknown): void;
  remove(key: PartKey): void;
}

/** A part of a collection is missing, or does not match its collection. */
export class CollectionDamagedError extends StatekError {
  readonly code = 'COLLECTION_DAMAGED';
}

export function damaged(key: PartKey, problem: string): CollectionDamagedError {
  return new CollectionDamagedError(
    `Part ${JSON.stringify(key)} of a collection ${problem}. Restore the store from a backup, or replace the collection.`,
    { part: key },
  );
}

/** Reads a part that must exist. */
export function readPart(parts: Parts, key: PartKey): unknown {
  const value = parts.read(key);
  if (value === undefined) throw damaged(key, 'is missing');
  return value;
}
