// What is said when a store that has something in it was to be filled.
import { StoreNotEmptyError } from '../errors.ts';
import type { Revision } from '../store.ts';

export function notEmpty(revision: Revision): StoreNotEmptyError {
  return new StoreNotEmptyError(
    `The store is not empty: it is at revision ${revision}. Choose a new location; nothing was changed.`,
    { revision },
  );
}
