// What the managers of tools give and take.

/** Where an execution stands; `unknown`: nobody knows whether it had its effect. */
export const ToolExecutionStatus = {
  PENDING: 'pending',
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  UNKNOWN: 'unknown',
} as const;
export type ToolExecutionStatus = (typeof ToolExecutionStatus)[keyof typeof ToolExecutionStatus];

/** One execution of a tool. */
export interface ToolExecution {
  readonly executionId: string;
  readonly toolName: string;
  readonly status: ToolExecutionStatus;
  /** What it was given; undefined if the journal does not have it any more. */
  readonly parameters: unknown;
  readonly result: unknown;
  readonly error: string | undefined;
  readonly startedAt: Date;
  readonly completedAt: Date | undefined;
  readonly durationMs: number | undefined;
  /** Its result is that of an earlier execution. */
  readonly cached: boolean;
  readonly attempts: number;
  /** The role of the agent that made it; '' if nobody said. */
  readonly role: string;
  /** The job it was made for, in a kit. */
  readonly jobId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What an execution begins with. */
export interface NewToolExecution {
  readonly toolName: string;
  /** Default: a random one. */
  readonly executionId?: string | undefined;
  readonly parameters?: unknown;
  /** `pending`: it is going to be started; default: `running`. */
  readonly status?: 'pending' | 'running' | undefined;
  /** Default: now. */
  readonly startedAt?: Date | undefined;
  readonly role?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The same report made twice happens once. */
  readonly idempotencyKey?: string | undefined;
}

/** A result that may be used again. */
export interface ToolCacheEntry {
  readonly toolName: string;
  readonly parametersHash: string;
  readonly result: unknown;
  readonly createdAt: Date;
  /** Seconds for which it counts. */
  readonly ttl: number;
  readonly expiresAt: Date;
  readonly version: string | undefined;
  readonly scope: string | undefined;
}

/** What the cache says: it has the result, had it, or never had it. */
export type CachedResult =
  | ({ readonly status: 'hit' } & ToolCacheEntry)
  | { readonly status: 'expired'; readonly expiredAt: Date }
  | { readonly status: 'absent' };

/** A failed execution that is tried again. */
export interface RetryState {
  readonly executionId: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly lastError: string | undefined;
  /** Undefined once there is no attempt left. */
  readonly nextRetryAt: Date | undefined;
  readonly backoffFactor: number;
  /** No attempt is left. */
  readonly exhausted: boolean;
}

/** Statistics of executions that are over. */
export interface ToolStats {
  /** Undefined: of all tools. */
  readonly toolName: string | undefined;
  /** Undefined: of all roles. */
  readonly role: string | undefined;
  /** Executions that began at this time or later count; undefined: from the first one on. */
  readonly from: Date | undefined;
  /** Executions that began before this time count; undefined: up to now. */
  readonly until: Date | undefined;
  readonly totalExecutions: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unknown: number;
  readonly cacheHits: number;
  /** Of all executions, from 0 to 1; 0 if there are none. */
  readonly successRate: number;
  /** Failed ones and those of unknown outcome. */
  readonly errorRate: number;
  readonly cacheHitRate: number;
  /** Of executions that were made, so without cached results; undefined if there are none. Percentiles are exact to one percent. */
  readonly avgDurationMs: number | undefined;
  readonly minDurationMs: number | undefined;
  readonly maxDurationMs: number | undefined;
  readonly p50DurationMs: number | undefined;
  readonly p95DurationMs: number | undefined;
  readonly p99DurationMs: number | undefined;
}
