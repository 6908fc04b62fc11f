// Somebody else changed a workspace at the same time: at first a reason to look again, in the end an error.
import { StoreConflictError } from '../store/errors.ts';
import type { Conflict, Lease } from '../store/store.ts';

/** A commit found the workspace changed, or its lease gone. Whoever began the work begins again on what is there now. */
export class Overtaken extends Error {
  /** The lease that is not held any more, if that was why. */
  readonly lost: Lease | undefined;

  constructor(conflict: Conflict | undefined, lease?: Lease) {
    super(conflict?.message ?? 'The commit was refused.');
    this.lost = conflict?.kind === 'lease' ? lease : undefined;
  }
}

export function conflictOn(workspace: string, message: string): StoreConflictError {
  return new StoreConflictError(
    `The workspace '${workspace}' was changed by another process at the same time: ${message} Try again.`,
    { workspace },
  );
}
