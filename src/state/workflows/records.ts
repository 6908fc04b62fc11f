// What the managers of workflows give and take.

/** Where a workflow stands. */
export const WorkflowStatus = {
  PENDING: 'pending',
  RUNNING: 'running',
  WAITING: 'waiting',
  PAUSED: 'paused',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const;
export type WorkflowStatus = (typeof WorkflowStatus)[keyof typeof WorkflowStatus];

/** Where a step of a workflow stands. */
export const StepStatus = {
  PENDING: 'pending',
  RUNNING: 'running',
  WAITING: 'waiting',
  COMPLETED: 'completed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
} as const;
export type StepStatus = (typeof StepStatus)[keyof typeof StepStatus];

/** One step of a workflow. */
export interface StepState {
  /** Counts from 1. */
  readonly stepNumber: number;
  readonly name: string;
  readonly status: StepStatus;
  readonly result: unknown;
  readonly error: string | undefined;
  readonly durationMs: number | undefined;
  readonly startedAt: Date | undefined;
  readonly completedAt: Date | undefined;
}

/** What is reported of a step. */
export interface StepReport {
  readonly stepNumber: number;
  readonly status: StepStatus;
  /** Default: the name it was given before. */
  readonly name?: string | undefined;
  readonly result?: unknown;
  readonly error?: string | undefined;
  /** Default: the time since it began. */
  readonly durationMs?: number | undefined;
}

/** A workflow as it follows from what is known of it. */
export interface WorkflowState {
  readonly workflowId: string;
  readonly name: string;
  /** `job`: it is a job of the kit, and its steps are those of its program. */
  readonly source: 'reported' | 'job';
  readonly status: WorkflowStatus;
  /** For a job, how many there are so far. */
  readonly totalSteps: number;
  /** The last step that has begun; 0 before the first. */
  readonly currentStep: number;
  /** The part of its steps that is completed or skipped, from 0 to 1. */
  readonly progress: number;
  readonly steps: readonly StepState[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Why it failed, or was cancelled. */
  readonly reason: string | undefined;
  /** Where it began, if it resumed another one. */
  readonly resumedFrom: { readonly workflowId: string; readonly checkpointId: string } | undefined;
}

/** How far a workflow has come. */
export interface WorkflowProgress {
  readonly workflowId: string;
  readonly status: WorkflowStatus;
  readonly currentStep: number;
  readonly totalSteps: number;
  readonly completedSteps: number;
  readonly failedSteps: number;
  readonly progress: number;
  /** What is left, if steps take as long as they did on average; undefined before the first has ended. */
  readonly remainingMs: number | undefined;
}

/** A moment of a workflow from which it can be resumed. */
export interface WorkflowCheckpoint {
  readonly workflowId: string;
  readonly checkpointId: string;
  /** Counts the checkpoints of the workflow from 1. */
  readonly number: number;
  /** The last step that had begun. */
  readonly step: number;
  /** The workflow as it was; of a job, its commit has everything. */
  readonly state: WorkflowState | undefined;
  readonly context: Readonly<Record<string, unknown>>;
  readonly timestamp: Date;
  /** The commit of the job. */
  readonly commit: string | undefined;
}
