// What follows from what was said of a workflow: its status, its current step, its progress. Which status may follow which is a table.
import type { Transitions } from '../foundation/transitions.ts';
import type { StepState, StepStatus, WorkflowProgress, WorkflowState, WorkflowStatus } from './records.ts';
import type { WorkflowRow, WorkflowStepRow } from './rows.ts';

export const workflowTransitions: Transitions<WorkflowStatus> = {
  pending: ['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'],
  running: ['waiting', 'paused', 'completed', 'failed', 'cancelled'],
  waiting: ['running', 'paused', 'completed', 'failed', 'cancelled'],
  paused: ['pending', 'running', 'waiting', 'completed', 'failed', 'cancelled'],
  // A failed step is tried again, or skipped.
  failed: ['running', 'waiting', 'paused', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export const stepTransitions: Transitions<StepStatus> = {
  pending: ['running', 'waiting', 'completed', 'failed', 'skipped'],
  running: ['waiting', 'completed', 'failed', 'skipped'],
  waiting: ['running', 'completed', 'failed', 'skipped'],
  failed: ['running', 'waiting', 'completed', 'skipped'],
  completed: [],
  skipped: [],
};

/** What a step says when it is over, for good or not. */
export function isEnded(status: StepStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

export function statusOf(
  { cancelled, paused, totalSteps }: Pick<WorkflowRow, 'cancelled' | 'paused' | 'totalSteps'>,
  steps: readonly Pick<WorkflowStepRow, 'status'>[],
): WorkflowStatus {
  const count = (...wanted: readonly StepStatus[]): number =>
    steps.filter(({ status }) => wanted.includes(status)).length;
  if (cancelled !== undefined) return 'cancelled';
  if (totalSteps > 0 && count('completed', 'skipped') >= totalSteps) return 'completed';
  if (paused !== undefined) return 'paused';
  if (count('running') > 0) return 'running';
  if (count('failed') > 0) return 'failed';
  if (count('waiting') > 0) return 'waiting';
  return count('completed', 'skipped') > 0 ? 'running' : 'pending';
}

export function stateOf(row: WorkflowRow, steps: readonly WorkflowStepRow[]): WorkflowState {
  const { workflowId, name, totalSteps, context, created, updated, cancelled, resumedFrom } = row;
  const status = statusOf(row, steps);
  const failed = steps.find((step) => step.status === 'failed');
  return {
    workflowId,
    name,
    source: 'reported',
    status,
    totalSteps,
    ...derived(steps, totalSteps),
    steps: steps.map(stepOf),
    context,
    createdAt: new Date(created),
    updatedAt: new Date(steps.reduce((latest, { time }) => Math.max(latest, time), updated)),
    reason:
      cancelled?.reason ?? (status === 'failed' ? (failed?.error ?? `Step ${failed?.stepNumber} failed.`) : undefined),
    resumedFrom,
  };
}

export function derived(
  steps: readonly Pick<StepState, 'stepNumber' | 'status'>[],
  totalSteps: number,
): Pick<WorkflowState, 'currentStep' | 'progress'> {
  const begun = steps.filter(({ status }) => status !== 'pending');
  const done = steps.filter(({ status }) => status === 'completed' || status === 'skipped').length;
  return {
    currentStep: begun.reduce((latest, { stepNumber }) => Math.max(latest, stepNumber), 0),
    progress: totalSteps === 0 ? 0 : Math.min(1, done / totalSteps),
  };
}

export function progressOf({
  workflowId,
  status,
  currentStep,
  totalSteps,
  steps,
  progress,
}: WorkflowState): WorkflowProgress {
  const count = (wanted: StepStatus): number => steps.filter((step) => step.status === wanted).length;
  const completedSteps = count('completed') + count('skipped');
  const took = steps.flatMap((step) => (step.status === 'completed' ? [step.durationMs ?? 0] : []));
  const mean = took.length === 0 ? undefined : took.reduce((sum, one) => sum + one, 0) / took.length;
  return {
    workflowId,
    status,
    currentStep,
    totalSteps,
    completedSteps,
    failedSteps: count('failed'),
    progress,
    remainingMs: mean === undefined ? undefined : mean * Math.max(0, totalSteps - completedSteps),
  };
}

export function stepOf({
  stepNumber,
  name,
  status,
  result,
  error,
  durationMs,
  started,
  ended,
}: WorkflowStepRow): StepState {
  return {
    stepNumber,
    name,
    status,
    result,
    error,
    durationMs,
    startedAt: started === undefined ? undefined : new Date(started),
    completedAt: ended === undefined ? undefined : new Date(ended),
  };
}
