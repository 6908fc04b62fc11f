// The horizon is the oldest revision a store still knows; what lies before it was pruned and is refused, not guessed at.
import { StoreArgumentError, StoreRevisionGoneError } from '../errors.ts';
import type { Revision } from '../store.ts';

/** Refuses a revision that is not between the horizon and the head. */
export function refuseRevision(at: Revision, head: Revision, horizon: Revision): void {
  if (!Number.isInteger(at) || at < 0 || at > head)
    throw new StoreArgumentError(`There is no revision ${at}; the latest is ${head}.`, { revision: at, head });
  if (at < horizon)
    throw new StoreRevisionGoneError(`Revision ${at} was pruned; the oldest that can be read is ${horizon}.`, {
      revision: at,
      horizon,
    });
}

/** Refuses to follow changes from a revision before the horizon. */
export function refuseLogBeforeHorizon(after: Revision, horizon: Revision): void {
  if (after < horizon)
    throw new StoreRevisionGoneError(`Changes after revision ${after} were pruned; the horizon is ${horizon}.`, {
      revision: after,
      horizon,
    });
}
