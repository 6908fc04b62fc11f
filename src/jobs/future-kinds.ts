// The kinds of futures that jobs add to those of workspaces: the end of a child job, a subtask that is started, looked up or
// told something, and the end of the job itself, which never comes.
import { futureKinds, type FutureKind } from '../workspace/rows.ts';

declare module '../workspace/rows.ts' {
  interface RequestedKinds {
    child: true;
    subtask: true;
    end: true;
  }
}

/** What a job can wait for. */
export const pendingKinds = [...futureKinds, 'child', 'subtask'] as const;
export type PendingKind = FutureKind | 'child' | 'subtask';
