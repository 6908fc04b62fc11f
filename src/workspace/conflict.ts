// Somebody else changed a workspace at the same time: at first a reason to look again, in the end an error.
import { objectCollections } from '../objects/rows.ts';
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

/** Durable objects that a slice used have changed before it was committed. */
export class ObjectsChanged extends Error {}

const objectNames: ReadonlySet<string> = new Set(objectCollections.map(({ name }) => name));

/** Durable objects were changed, and nothing else was in the way. */
export function isAboutObjects({ kind, collection }: Conflict): boolean {
  return kind !== 'lease' && objectNames.has(collection);
}

/** What a conflict means for whoever committed. */
export function overtakenBy(conflict: Conflict | undefined, lease: Lease): Error {
  if (conflict !== undefined && isAboutObjects(conflict)) return new ObjectsChanged(conflict.message);
  return new Overtaken(conflict, lease);
}

export function conflictOn(workspace: string, message: string): StoreConflictError {
  return new StoreConflictError(
    `The workspace '${workspace}' was changed by another process at the same time: ${message} Try again.`,
    { workspace },
  );
}
