// What jobs keep in the store. A job's own row says everything about where it stands; the others are indexes and logs.
import { recordCollection, workCollection } from '../store/door.ts';
import type { Json } from '../history/door.ts';
import type { CallAttempt, StoredMessage, WireMessage } from '../workspace/door.ts';
import type { JobOutcome, JobStatus } from './states.ts';

/** An error as it is kept. */
export interface JobError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly line?: number;
  readonly column?: number;
  readonly frame?: string;
}

interface RunTraits {
  readonly allOrNothing?: boolean;
  readonly warmup?: boolean;
}

/** What a job is doing, as its driver decided. */
export type JobAction =
  /** A step that is to begin in its workspace. */
  | ({ readonly kind: 'run'; readonly source: string; readonly step?: undefined } & RunTraits)
  /** A step that has begun, by its number. */
  | ({ readonly kind: 'run'; readonly step: number; readonly source?: string } & RunTraits)
  /** A call of the driver's; the journal has the rest. `token` is the lease under which it was last made. */
  | {
      readonly kind: 'call';
      readonly number: number;
      readonly name: string;
      readonly token?: number;
      readonly notBefore?: number;
      readonly doubt?: true;
    }
  /** Nothing, until a message comes or it is time. */
  | { readonly kind: 'wait'; readonly until?: number }
  /** The job is over; its children are to be told. */
  | { readonly kind: 'sweep' };

/** The one who started a job. */
export interface JobParent {
  readonly job: string;
  /** The future in which the parent waits for the result; without it, it is told by a notice. */
  readonly future?: number;
  /** The workspace of that future, if the parent runs in one that it was given. */
  readonly workspace?: string;
  /** The parent talks with it: it is told who answered, and may say more. */
  readonly dialog?: true;
}

/** A job was started again by another version of the code. */
export type JobRestart = {
  readonly from: string;
  readonly to: string;
  /** Calls that its program made before and that are not undone, by name. */
  readonly calls: readonly string[];
  /** The same for calls of its driver. */
  readonly driver: readonly string[];
};

export interface JobRetry {
  /** How often the job is tried in all. */
  readonly attempts: number;
  readonly backoff?: number;
  readonly longest?: number;
}

export interface JobTimers {
  readonly start?: number;
  readonly wake?: number;
  readonly deadline?: number;
  /** When the driver says that the job has taken too long. */
  readonly limit?: number;
  readonly purge?: number;
}

/** The part of a queue a job stands in: whose it is, and which version it needs; both may be empty. */
export type QueuePart = readonly [tenant: string, need: string];

type JobCommon = {
  readonly id: string;
  readonly role: string;
  /** The workspace it was given; without it, it has one of its own, which is named like the job. */
  readonly workspace?: string;
  /** The job and the commit of its program that this one began with. */
  readonly forkedFrom?: { readonly job: string; readonly commit: string; readonly mark?: JobMark };
  /** When it went back to older commits: from where, and to where. What lies between is not part of its journal. */
  readonly back?: readonly { readonly from: JobMark; readonly to: JobMark }[];
  /** The schedule that submitted it, and for which of its times. */
  readonly schedule?: string;
  readonly due?: number;
  /** In a given workspace: whether this job holds it, or its number in the queue for it; absent before it starts and after its end. */
  readonly turn?: 'held' | number;
  /** In a given workspace: the numbers of the first and the last future its program asked for. */
  readonly futures?: readonly [number, number];
  /** Its deadline has passed. */
  readonly late?: true;
  /** It has taken longer than its driver allows. */
  readonly overdue?: true;
  /** It ended without a result, and its driver is to be told so, once. `begun`: that was about to be done. */
  readonly telling?: { readonly outcome: JobOutcome; readonly error?: JobError; readonly begun?: true };
  /** It is being deleted: nothing starts it again. */
  readonly deleting?: true;
  /** The step that was under way when it ended for lack of time; it goes on with it when it is resumed. */
  readonly interrupted?: number;
  /** What it was given, and the variables its workspace starts with. */
  readonly input: StoredMessage;
  readonly vars: StoredMessage;
  readonly parent?: JobParent;
  /** What becomes of it when its parent ends. */
  readonly whenParentEnds: 'cancel' | 'keep';
  /** The trace it was submitted in, as W3C `traceparent`; everything it does is part of it. */
  readonly trace?: string;
  readonly priority: number;
  readonly labels: readonly string[];
  readonly created: number;
  readonly updated: number;
  readonly paused?: true;
  /** It came out of a file without what it needs to go on: it can only be looked at. */
  readonly lookOnly?: true;
  /** Its place in the queue of its role; null while it has nothing to do. */
  readonly at: number | null;
  /** The part of the queue it stands in; absent in the queue itself. It stays the same until the job leaves the queue. */
  readonly queue?: QueuePart;
  /** The version of the application's code it began under; its last try, if there were several. */
  readonly version?: string;
  /** The oldest version that may work on it: the newest one that has, or that submitted it. With `pinned`, the only one. */
  readonly needs?: string;
  readonly pinned?: true;
  /** Somebody has unpinned it: the next version goes on with it, whatever the rule of its role is. */
  readonly unpinned?: true;
  /** How often it was started again because the code had changed; the last time is told to its driver. */
  readonly restarts?: number;
  readonly restarted?: JobRestart;
  /** Its workspace is from before it was started again: the variables it was given are defined once more. */
  readonly anew?: true;
  /** It waits before a call, because its tenant has used up its day. */
  readonly limited?: true;
  readonly timers: JobTimers;
  /** What the driver keeps. */
  readonly state: Json;
  readonly action: JobAction | null;
  /** How often the driver was asked, since the job was started or reopened. */
  readonly turns: number;
  readonly messages: { readonly next: number; readonly read: number };
  readonly nextCall: number;
  readonly nextEvent: number;
  /** Children were started. */
  readonly hasChildren?: true;
  readonly hasWorkspace?: true;
  readonly cancelling?: {
    readonly reason: string;
    /** The clean-up has begun, and may last so long. */
    readonly until?: number;
    readonly slices?: number;
  };
  /** Why it has no result, or why its last try failed. */
  readonly error?: JobError;
  /** What `completeSubtask` was given, before the job has ended. */
  readonly answered?: true;
  readonly retry?: JobRetry;
  /** Tries that have failed. */
  readonly failures: number;
  /** Processes that died while they worked on it, since something of it was last committed. */
  readonly crashes: number;
  /** There are notes of processes that died over it. */
  readonly hasCrashed?: true;
  /** Failures of the infrastructure around it, in a row: times it could not be worked on at all. */
  readonly mishaps: number;
  /** Milliseconds after its end until it is deleted; kept if absent. */
  readonly keep?: number;
};

/** It is not over. */
type OpenJob = {
  readonly status: Exclude<JobStatus, 'DONE'>;
  readonly outcome?: undefined;
  readonly result?: undefined;
  readonly ended?: undefined;
};

/** It is over; it may have a place in the queue until those who have to know of it were told. */
type EndedJob = {
  readonly status: 'DONE';
  readonly outcome: JobOutcome;
  readonly result?: WireMessage;
  readonly ended: number;
};

export type JobRow = JobCommon & (OpenJob | EndedJob);

/** A change of a job's row; what is undefined is taken away. */
export type JobUpdate = {
  readonly [Name in keyof JobCommon]?: JobCommon[Name] | undefined;
} & {
  readonly status?: JobStatus | undefined;
  readonly outcome?: JobOutcome | undefined;
  readonly result?: WireMessage | undefined;
  readonly ended?: number | undefined;
};

export interface InboxRow {
  readonly number: number;
  readonly kind: 'message' | 'notice';
  readonly body: WireMessage;
  /** The subtask a notice is of. */
  readonly from?: string;
  /** What its sender calls it: another message with the same key is not put into the inbox. */
  readonly key?: string;
  readonly time: number;
}

/** One call of a driver's. */
export interface JobCallRow {
  readonly number: number;
  readonly name: string;
  readonly input: StoredMessage;
  readonly attempts: readonly CallAttempt[];
  readonly outcome?: { readonly failed: boolean; readonly value: StoredMessage };
  readonly created: number;
  readonly ended?: number;
}

/** What a job was when one of its commits was made: going back to it takes the job there. */
export interface JobPastRow extends JobMark {
  readonly state: Json;
}

/** How far the journals of a job had come. */
export interface JobMark {
  readonly nextFuture: number;
  readonly nextCall: number;
  readonly nextEvent: number;
}

export interface JobEventRow {
  readonly time: number;
  /** The commit of the workspace that it belongs to. */
  readonly commit?: string;
  readonly events: readonly { readonly kind: JobEventKind; readonly data?: Json }[];
}

/** What can happen to a job. */
export type JobEventKind =
  | 'submitted'
  | 'started'
  | 'slice'
  | 'suspended'
  | 'step'
  | 'call'
  | 'called'
  | 'message'
  | 'notice'
  | 'paused'
  | 'resumed'
  | 'cancelling'
  | 'crashed'
  | 'mishap'
  | 'quarantined'
  | 'retry'
  | 'reopened'
  | 'version'
  | 'restarted'
  | 'limited'
  | 'done';

/** The job of an item in the queue, and the workspace it was given. */
export interface JobWork {
  readonly job: string;
  readonly workspace?: string;
}

export const jobRows = recordCollection<JobRow>('jobs');
/** Jobs that have something to do: [role, place, id], or in a part of the queue [role, tenant, need, place, id]. Whoever holds the lease works on the job. */
export const jobWorkRows = workCollection<JobWork>('job_work');
/** [due, id, what] */
export const jobTimerRows = recordCollection<null>('job_timers', { small: true });
/** Which job holds a workspace that jobs are given: [workspace]. */
export interface WorkspaceHolderRow {
  readonly holder: string | null;
  /** The next number in the queue. */
  readonly next: number;
}

/** [workspace] */
export const workspaceHolderRows = recordCollection<WorkspaceHolderRow>('workspace_turns');
/** Jobs that wait for a workspace, in order: [workspace, number]. */
export const workspaceQueueRows = recordCollection<{ readonly job: string }>('workspace_queues', { small: true });
/** ['all' | 'status' | 'role' | 'parent' | 'label' | 'workspace', …, created, id] */
export const jobIndexRows = recordCollection<null>('job_index', { small: true });
/** [id, number] */
export const jobInboxRows = recordCollection<InboxRow>('job_inbox');
/** [id, number] */
export const jobCallRows = recordCollection<JobCallRow>('job_calls');
/** [id, number] */
export const jobEventRows = recordCollection<JobEventRow>('job_events');

/** [id, commit] */
export const jobPastRows = recordCollection<JobPastRow>('job_past');

/** Processes that died or were cut off over a job, for four weeks: [time, job]. */
export const crashRows = recordCollection<{ readonly times: number }>('job_crashes');

export type SlowSliceRow = SlowSliceFacts & { readonly time: number };

export type SlowSliceFacts = {
  readonly role: string;
  readonly step: number;
  readonly commit: string;
  readonly milliseconds: number;
};

/** [job, commit]: slices that took long. */
export const slowSliceRows = recordCollection<SlowSliceRow>('job_slow_slices');

/** What those who start a job of a role have to know of its driver. */
export interface RoleRow {
  /** A message starts its jobs again after their end. */
  readonly reopens?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
  readonly about?: { readonly description: string; readonly capabilities: readonly string[] } | undefined;
}

/** [role] */
export const roleRows = recordCollection<RoleRow>('job_roles');

/** [role, process], under a lease as long as the process works on the role; [role, ''] says that somebody wants to know. */
export const attendanceItems = workCollection<Record<string, never>>('job_attendance');

export const jobCollections = [
  jobRows,
  jobWorkRows,
  jobTimerRows,
  jobIndexRows,
  jobInboxRows,
  jobCallRows,
  jobEventRows,
  roleRows,
  attendanceItems,
  workspaceHolderRows,
  workspaceQueueRows,
  jobPastRows,
  crashRows,
  slowSliceRows,
] as const;
