// The error for a workspace that somebody else changed at the same time, again and again.
import { StoreConflictError } from '../store/errors.ts';

export function conflictOn(workspace: string, message: string): StoreConflictError {
  return new StoreConflictError(
    `The workspace '${workspace}' was changed by another process at the same time: ${message} Try again.`,
    { workspace },
  );
}
