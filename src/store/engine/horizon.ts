// The horizon is the oldest revision a store can still read; earlier ones were pruned, and reading them is an error.
import { StoreArgumentError, StoreRevisionGoneError } from '../errors.ts';
import type { Revision } from '../store.ts';

/** Throws unless the revision is between the horizon and the head. */
export function checkRevision(at: Revision, head: Revision, horizon: Revision): void {
  if (!Number.isInteger(at) || at < 0 || at > head)
    throw new StoreArgumentError(`Revision ${at} does not exist; the latest is ${head}.`, { revision: at, head });
  if (at < horizon)
    throw new StoreRevisionGoneError(`Revision ${at} was pruned; the oldest readable one is ${horizon}.`, {
      revision: at,
      horizon,
    });
}

/** Throws if changes after a revision are no longer in the log. */
export function checkLogStart(after: Revision, horizon: Revision): void {
  if (after < horizon)
    throw new StoreRevisionGoneError(
      `Changes after revision ${after} were pruned; the oldest revision to follow from is ${horizon}.`,
      {
        revision: after,
        horizon,
      },
    );
}
