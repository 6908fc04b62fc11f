// What the manager of workflows keeps: what was said of them. Everything else follows from it.
import { recordCollection, type Collection } from '../../store/door.ts';
import { reportMarks } from '../foundation/once.ts';
import type { StepStatus } from './records.ts';

export type WorkflowRow = {
  readonly workflowId: string;
  readonly name: string;
  readonly totalSteps: number;
  readonly context: Readonly<Record<string, unknown>>;
  readonly created: number;
  readonly updated: number;
  /** Somebody has paused it. */
  readonly paused?: { readonly time: number };
  /** Somebody has cancelled it. */
  readonly cancelled?: { readonly time: number; readonly reason: string };
  readonly resumedFrom?: { readonly workflowId: string; readonly checkpointId: string };
};

export type WorkflowStepRow = {
  readonly stepNumber: number;
  readonly name: string;
  readonly status: StepStatus;
  readonly result?: unknown;
  readonly error?: string;
  readonly durationMs?: number;
  readonly started?: number;
  readonly ended?: number;
  /** When this was reported. */
  readonly time: number;
};

export type CheckpointRow = {
  readonly workflowId: string;
  readonly checkpointId: string;
  readonly number: number;
  readonly step: number;
  readonly time: number;
  readonly context: Readonly<Record<string, unknown>>;
  /** The workflow and its steps, as they were. */
  readonly workflow?: WorkflowRow;
  readonly steps?: readonly WorkflowStepRow[];
  /** The commit of a job. */
  readonly commit?: string;
};

/** [prefix, workflow] */
export const workflowRows = recordCollection<WorkflowRow>('state_workflows');
/** [prefix, when it was created, workflow] */
export const workflowIndexRows = recordCollection<null>('state_workflow_index', { small: true });
/** [prefix, workflow, number of the step] */
export const workflowStepRows = recordCollection<WorkflowStepRow>('state_workflow_steps');
/** [prefix, workflow, number of the checkpoint] */
export const checkpointRows = recordCollection<CheckpointRow>('state_workflow_checkpoints');
/** [prefix, workflow, checkpoint] */
export const checkpointNames = recordCollection<{ readonly number: number }>('state_workflow_checkpoint_names', {
  small: true,
});

export const workflowCollections: readonly Collection[] = [
  workflowRows,
  workflowIndexRows,
  workflowStepRows,
  checkpointRows,
  checkpointNames,
  reportMarks,
];
