// What the manager of teams gives and takes.

/** Whether a member can take a task: computed from leases, never stored. `gone`: no living process speaks for it, or works on its role. */
export const AgentAvailability = { IDLE: 'idle', BUSY: 'busy', GONE: 'gone' } as const;
export type AgentAvailability = (typeof AgentAvailability)[keyof typeof AgentAvailability];

/** Priorities with names; a number is one, too: low is 25, normal 50, high 75, critical 100. */
export const TaskPriority = { LOW: 'low', NORMAL: 'normal', HIGH: 'high', CRITICAL: 'critical' } as const;
export type TaskPriority = (typeof TaskPriority)[keyof typeof TaskPriority];

/** Where a task stands: computed from its row and its lease. */
export const TeamTaskStatus = {
  PENDING: 'pending',
  IN_PROGRESS: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const;
export type TeamTaskStatus = (typeof TeamTaskStatus)[keyof typeof TeamTaskStatus];

/** What somebody said about a member. */
export interface ReportedAgentStatus {
  readonly status: string;
  readonly currentTask: string | undefined;
  readonly time: Date;
}

/** A member of a team. */
export interface AgentCoordinationState {
  readonly agentId: string;
  /** The role of the kit that the member is; otherwise undefined. */
  readonly role: string | undefined;
  readonly availability: AgentAvailability;
  /** `gone`; `working` while it has a task or a job; otherwise what was reported of it; otherwise `idle`. */
  readonly status: string;
  readonly capabilities: readonly string[];
  /** The task it has claimed, the oldest if there are several; otherwise the one that was reported. */
  readonly currentTask: string | undefined;
  /** All tasks it has claimed. */
  readonly tasks: readonly string[];
  /** Jobs of its role that a process works on now; of other members none. */
  readonly jobs: readonly string[];
  /** The latest report, also if the process that made it is gone. */
  readonly reported: ReportedAgentStatus | undefined;
  readonly joinedAt: Date;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A task of a team. */
export interface TeamTask {
  readonly teamId: string;
  readonly taskId: string;
  readonly type: string | undefined;
  readonly data: unknown;
  readonly priority: TaskPriority | number;
  /** Only members with this capability can claim it. */
  readonly capability: string | undefined;
  readonly status: TeamTaskStatus;
  /** Only this member can claim it. */
  readonly assignedTo: string | undefined;
  /** The member that works on it, or ended it. */
  readonly agentId: string | undefined;
  readonly createdAt: Date;
  readonly claimedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** How often it was claimed. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** How many owners died or lost it while they worked on it. */
  readonly ownersLost: number;
  readonly result: unknown;
  /** Why it failed, or why the attempt before failed. */
  readonly error: string | undefined;
}

/** A task that a member works on until it is completed, failed or lost. */
export interface ClaimedTask {
  readonly task: TeamTask;
  readonly agentId: string;
  /** Shows who the owner is: give it to `completeTask` or `failTask` of another manager. */
  readonly token: number;
  /** Aborted when another process has taken the task over, or it was removed. */
  readonly signal: AbortSignal;
}

/** The tasks of a team. The lists are bounded, the totals are not. */
export interface TaskQueueState {
  /** In the order in which they will be claimed. */
  readonly pending: readonly TeamTask[];
  readonly inProgress: readonly TeamTask[];
  /** The latest first. */
  readonly completed: readonly TeamTask[];
  readonly failed: readonly TeamTask[];
  readonly totals: {
    readonly pending: number;
    readonly inProgress: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  };
}

/** A team, its members and its tasks. */
export interface TeamState {
  readonly teamId: string;
  readonly name: string | undefined;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly agents: Readonly<Record<string, AgentCoordinationState>>;
  readonly taskQueue: TaskQueueState;
}

/** A team without its members and tasks. */
export type TeamSummary = Omit<TeamState, 'agents' | 'taskQueue'>;

/** What a member joins with. */
export interface NewAgent {
  readonly capabilities?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The member is a role of the kit: it is there while a worker of the role lives, in whichever process, and busy while one of the role's
   * jobs is worked on.
   */
  readonly role?: string | undefined;
  /** This manager speaks for the member: it is there while the manager lives; default: true, with a `role` false. */
  readonly present?: boolean | undefined;
}

/** What a team begins with. */
export interface NewTeam {
  readonly teamId: string;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Members by id. */
  readonly agents?: Readonly<Record<string, NewAgent>> | undefined;
}

/** What a task is enqueued with. */
export interface NewTask {
  /** Default: a random one. The same id with the same contents is enqueued once; with other contents it is refused. */
  readonly taskId?: string | undefined;
  readonly type?: string | undefined;
  readonly data?: unknown;
  /** Default: `normal`. Higher numbers come first. */
  readonly priority?: TaskPriority | number | undefined;
  readonly capability?: string | undefined;
  /** How many attempts may fail before the task has failed; default: 1. */
  readonly maxAttempts?: number | undefined;
  /** How many owners may die of it before the task has failed; default: 10. */
  readonly maxOwnersLost?: number | undefined;
}

/** What happened to a team, in the order in which it was committed. */
export type TeamEvent =
  | { readonly kind: 'task'; readonly revision: number; readonly taskId: string; readonly task: TeamTask | undefined }
  | {
      readonly kind: 'agent';
      readonly revision: number;
      readonly agentId: string;
      /** Undefined when it was removed. */
      readonly agent: AgentCoordinationState | undefined;
    }
  | { readonly kind: 'deleted'; readonly revision: number };
