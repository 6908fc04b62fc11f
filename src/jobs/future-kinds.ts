// The kinds of futures that jobs add to those of workspaces: the end of a child job, a subtask that is started, looked up or
// told something, and the end of the job itself, which never comes.
import { futureKinds, type WaitingKind } from '../workspace/door.ts';

/** What a job can wait for: all that a program can, but the end of the job itself. */
export type PendingKind = Exclude<WaitingKind, 'end'>;
export const pendingKinds = [...futureKinds, 'child', 'subtask'] as const satisfies readonly PendingKind[];
