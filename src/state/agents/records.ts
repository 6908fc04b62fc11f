// What the store of agents and the recovery of agents give and take.

/** Everything of an agent at one instant. */
export interface AgentSnapshot {
  readonly agentId: string;
  readonly snapshotId: string;
  /** Counts the snapshots of the agent from 1. */
  readonly number: number;
  readonly timestamp: Date;
  /** Of a job: its variables. */
  readonly memoryState: unknown;
  /** Of a job: its calls of tools. */
  readonly toolState: unknown;
  /** Of a job: its conversation. */
  readonly conversationHistory: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The commit of the job; undefined for what was reported. */
  readonly commit: string | undefined;
}

/** A snapshot in a list: without its contents. */
export type AgentSnapshotInfo = Omit<AgentSnapshot, 'memoryState' | 'toolState' | 'conversationHistory'>;

/** A snapshot to be saved. Of a job, its commit has everything but the id and the metadata. */
export interface NewAgentSnapshot {
  readonly agentId: string;
  /** Default: `snapshot_` and its number. */
  readonly snapshotId?: string | undefined;
  /** Default: now. */
  readonly timestamp?: Date | undefined;
  readonly memoryState?: unknown;
  readonly toolState?: unknown;
  readonly conversationHistory?: readonly unknown[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A point in a long task from which an agent goes on. */
export interface AgentCheckpoint {
  readonly agentId: string;
  readonly checkpointId: string;
  /** Counts the checkpoints of the agent from 1. */
  readonly number: number;
  readonly timestamp: Date;
  readonly step: number;
  /** Of a job: its variables. */
  readonly state: unknown;
  /** Whether the agent can go on from here. Of a job it is computed: no tool call since then has an unknown outcome. */
  readonly recoverable: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly commit: string | undefined;
}

/** A checkpoint to be saved. Of a job, its commit has `step`, `state` and `recoverable`. */
export interface NewAgentCheckpoint {
  readonly agentId: string;
  /** Default: `checkpoint_` and its number. */
  readonly checkpointId?: string | undefined;
  readonly timestamp?: Date | undefined;
  readonly step?: number | undefined;
  readonly state?: unknown;
  /** Default: true. */
  readonly recoverable?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What was saved of an agent. */
export type SavedOfAgent =
  | { readonly kind: 'snapshot'; readonly snapshot: AgentSnapshotInfo }
  | { readonly kind: 'checkpoint'; readonly checkpoint: AgentCheckpoint };

/** What an agent goes on with. */
export interface AgentRecovery {
  readonly agentId: string;
  /** What it goes on from; undefined for a job that goes on from its latest commit. */
  readonly from:
    | { readonly kind: 'snapshot' | 'checkpoint'; readonly id: string; readonly timestamp: Date }
    | undefined;
  /** What was saved; undefined for a job, which has it already. */
  readonly snapshot: AgentSnapshot | undefined;
  readonly checkpoint: AgentCheckpoint | undefined;
  /** The job that goes on: the agent's own, or a fork of it if its driver cannot start it again. */
  readonly jobId: string | undefined;
}

/** Whether an agent can be recovered now, and if not, why. */
export interface RecoveryVerdict {
  readonly recoverable: boolean;
  /** `outcome`: a tool call has an unknown outcome. `saved`: there is nothing to recover from. */
  readonly reason: 'ready' | 'attempts' | 'backoff' | 'outcome' | 'saved';
  readonly attemptsLeft: number;
  /** Not before this time; undefined if there is nothing to wait for. */
  readonly nextAttemptAt: Date | undefined;
  /** Ids of tool calls whose outcome is unknown. */
  readonly unknownCalls: readonly string[];
}

/** How often an agent has failed, and was recovered. */
export interface FailureStats {
  readonly agentId: string;
  readonly failures: number;
  /** Attempts to recover it since it last succeeded. */
  readonly attempts: number;
  readonly attemptsLeft: number;
  /** Attempts that brought it back. */
  readonly recoveries: number;
  readonly lastFailure: { readonly time: Date; readonly error: string } | undefined;
  readonly lastAttemptAt: Date | undefined;
  readonly nextAttemptAt: Date | undefined;
  /** No attempt is left. */
  readonly exhausted: boolean;
}
