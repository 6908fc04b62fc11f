// What is tried again when a commit meets a conflict: one table for everything that changes a workspace. Each kind of
// conflict is counted by itself over the whole action, so tries add up and never multiply.
import { givenUp, objectCollections } from '../../objects/door.ts';
import { StoreConflictError, type Conflict } from '../../store/door.ts';

/**
 * | conflict over | what is tried again | pause |
 * | --- | --- | --- |
 * | rows that a participant adds (`joined`) | the plan: the slice itself stands | none |
 * | durable objects that the slice used (`objects`) | the slice, on the objects as they are now | grows; from the fourth try on, after others of this process |
 * | the workspace itself (`workspace`) | the decision what to do, on the workspace as it is now | none |
 * | the lease (`lease`) | acquiring the lease, and then the decision | until the lease is free |
 */
export const maxTries = { joined: 10, objects: 50, workspace: 5, lease: 5 } as const;

export type ConflictKind = keyof typeof maxTries;

const objectNames: ReadonlySet<string> = new Set(objectCollections.map(({ name }) => name));

/** Durable objects were changed, and nothing else was in the way. */
export function isAboutObjects({ kind, collection }: Conflict): boolean {
  return kind !== 'lease' && objectNames.has(collection);
}

export function conflictKind(conflict: Conflict, joinedCollections?: ReadonlySet<string>): ConflictKind {
  if (conflict.kind === 'lease') return 'lease';
  if (objectNames.has(conflict.collection)) return 'objects';
  return joinedCollections?.has(conflict.collection) === true ? 'joined' : 'workspace';
}

/** What is known of the workspace is out of date, or its lease is gone: whoever began the work decides anew. */
export class StaleWorkspace extends Error {
  readonly kind: 'workspace' | 'lease';

  constructor(conflict: Pick<Conflict, 'kind' | 'message'> | undefined) {
    super(conflict?.message ?? 'The commit was refused.');
    this.kind = conflict?.kind === 'lease' ? 'lease' : 'workspace';
  }
}

/** Counts the tries of one action by what was in the way. */
export class Attempts {
  readonly #workspace: string;
  readonly #tries = { joined: 0, objects: 0, workspace: 0, lease: 0 };

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** One more conflict: how many there were of its kind; throws if that was the last try. */
  next(kind: ConflictKind, message: string): number {
    const tries = ++this.#tries[kind];
    if (tries < maxTries[kind]) return tries;
    if (kind === 'objects') throw givenUp(message, tries);
    // A participant that is always late may be looking at a workspace that has changed.
    if (kind === 'joined') throw new StaleWorkspace({ kind: 'revision', message });
    throw new StoreConflictError(
      `The workspace '${this.#workspace}' was changed by another process at the same time: ${message} Try again.`,
      { workspace: this.#workspace },
    );
  }
}
