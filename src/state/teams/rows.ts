// What is stored of a team. A task is a row, and as long as it has not ended also an item of the queue, whose lease says who works on it.
import {
  recordCollection,
  workCollection,
  type Collection,
  type Key,
  type RecordCollection,
  type WorkCollection,
} from '../../store/door.ts';
import { StateArgumentError } from '../foundation/errors.ts';
import { reportMarks } from '../foundation/once.ts';
import { TaskPriority } from './records.ts';

export interface TeamRow {
  readonly name?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created: number;
  /** Its rows are being removed: for everybody else it does not exist. */
  readonly isDeleted?: true;
}

export interface MemberRow {
  readonly capabilities: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly joined: number;
  /** The role of the kit that this member is. */
  readonly role?: string;
  readonly reported?: {
    readonly status: string;
    readonly currentTask?: string;
    readonly time: number;
    /** The presence of the process that said so. */
    readonly by: string;
  };
}

export interface TaskRow {
  readonly type?: string;
  readonly data?: unknown;
  readonly priority: TaskPriority | number;
  readonly capability?: string;
  readonly created: number;
  readonly maxAttempts: number;
  readonly maxOwnersLost: number;
  readonly attempts: number;
  readonly failures: number;
  readonly ownersLost: number;
  /** Of the contents: the same task enqueued twice is one. */
  readonly fingerprint: string;
  readonly assigned?: string;
  readonly claim?: Claim;
  readonly error?: string;
  readonly ended?: Ended;
}

/** Counts as long as the item's lease has this token and is live. */
export interface Claim {
  readonly agent: string;
  readonly owner: string;
  readonly token: number;
  readonly time: number;
}

export interface Ended {
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  readonly time: number;
  readonly agent?: string;
  readonly token?: number;
  readonly result?: unknown;
}

/** How many tasks there are; the rows of a team add up. */
export interface CountRow {
  readonly enqueued: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** [prefix, team] */
export const teamRows: RecordCollection<TeamRow> = recordCollection<TeamRow>('state_teams');
/** [prefix, team, agent] */
export const memberRows: RecordCollection<MemberRow> = recordCollection<MemberRow>('state_team_members');
/** [prefix, team, agent, process]; a live lease says that the process speaks for the agent. */
export const presenceItems: WorkCollection<Record<string, never>> = workCollection('state_team_presence');
/** [prefix, team, task] */
export const taskRows: RecordCollection<TaskRow> = recordCollection<TaskRow>('state_team_tasks');
/** [prefix, team, lane, rank, created, task] */
export const queueItems: WorkCollection<Record<string, never>> = workCollection('state_team_queue');
/** [prefix, team, outcome, time, task] */
export const endedRows: RecordCollection<Record<string, never>> = recordCollection('state_team_ended', { small: true });
/** [prefix, team, slot] */
export const countRows: RecordCollection<CountRow> = recordCollection<CountRow>('state_team_counts');

export const teamCollections: readonly Collection[] = [
  teamRows,
  memberRows,
  presenceItems,
  taskRows,
  queueItems,
  endedRows,
  countRows,
  reportMarks,
];

/** Who can claim a task: a member it is assigned to, members with a capability, or any member. */
export function laneOf({ assigned, capability }: Pick<TaskRow, 'assigned' | 'capability'>): string {
  if (assigned !== undefined) return `for ${assigned}`;
  return capability === undefined ? 'any' : `can ${capability}`;
}

/** The lanes a member claims from. */
export function lanesFor(agent: string, capabilities: readonly string[]): readonly string[] {
  return [`for ${agent}`, ...capabilities.map((capability) => `can ${capability}`), 'any'];
}

export function itemKey(prefix: string, team: string, task: string, row: TaskRow): Key {
  return [prefix, team, laneOf(row), rankOf(row.priority), row.created, task];
}

const priorities: Readonly<Record<TaskPriority, number>> = { low: 25, normal: 50, high: 75, critical: 100 };

/** Smaller ranks come first. */
export function rankOf(priority: TaskPriority | number): number {
  const number = typeof priority === 'number' ? priority : (priorities as Record<string, number | undefined>)[priority];
  if (number === undefined || !Number.isFinite(number))
    throw new StateArgumentError(
      `The priority of a task is ${Object.values(TaskPriority).join(', ')} or a number, not ${String(priority)}.`,
      { priority: String(priority) },
    );
  return number === 0 ? 0 : -number;
}
