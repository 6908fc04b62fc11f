// Jobs of a kit as workflows: the steps are those of their programs, the status is computed from the job's row, and a checkpoint is a
// tagged commit.
import type { TransactionPart } from '../../store/door.ts';
import {
  jobRows,
  requestCancel,
  requestPause,
  requestResume,
  stepJournal,
  type JobRow,
  type Jobs,
  type JobStep,
} from '../../jobs/door.ts';
import { cutText, NotFoundError, type Workspace } from '../../workspace/door.ts';
import { StateConflictError, StateTransitionError } from '../foundation/errors.ts';
import type { StepState, StepStatus, WorkflowState, WorkflowStatus } from './records.ts';
import { derived } from './workflow-status.ts';

const maxName = 80;

export class JobWorkflows {
  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** The collection whose rows change with a job, and the key of its row. */
  static readonly rows = jobRows;

  async row(id: string): Promise<JobRow | undefined> {
    return (await this.#jobs.system.read(id))?.row;
  }

  /** Jobs as workflows, without their steps' results. */
  async before(
    position: { readonly created: number; readonly id: string } | undefined,
    limit: number,
  ): Promise<readonly JobRow[]> {
    return this.#jobs.before(position, limit);
  }

  async state(row: JobRow): Promise<WorkflowState> {
    const { id, role, created, updated, error, cancelling, forkedFrom } = row;
    const journal = await stepJournal(this.#jobs.system, row);
    const steps = await Promise.all(journal.map(async (step, index) => stepOf(step, index + 1)));
    const status = statusOfJob(row);
    const { currentStep, progress } = derived(steps, steps.length);
    return {
      workflowId: id,
      name: role,
      source: 'job',
      status,
      totalSteps: steps.length,
      currentStep,
      progress: status === 'completed' ? 1 : status === 'pending' ? 0 : progress,
      steps,
      context: {},
      createdAt: new Date(created),
      updatedAt: new Date(updated),
      reason: error?.message ?? cancelling?.reason,
      resumedFrom: forkedFrom && { workflowId: forkedFrom.job, checkpointId: forkedFrom.commit },
    };
  }

  async pause(id: string): Promise<void> {
    await requestPause(this.#jobs.system, id);
  }

  async resume(id: string): Promise<void> {
    await requestResume(this.#jobs.system, id);
  }

  async cancel(id: string, reason: string): Promise<void> {
    await requestCancel(this.#jobs.system, id, reason);
  }

  /** The latest commit, and what tags it so that retention keeps it. */
  async tag(
    row: JobRow,
    name: string,
    hash?: string,
  ): Promise<{ readonly commit: string; readonly part: TransactionPart }> {
    const { history } = this.#jobs.system;
    const { id } = this.#workspace(row);
    const commit = hash ?? (await history.head(id)).hash;
    return { commit, part: await history.tag(id, commit, name) };
  }

  async untag(row: JobRow, name: string): Promise<TransactionPart> {
    const { history } = this.#jobs.system;
    const { id } = this.#workspace(row);
    const tags = await history.tags(id);
    return tags.some((tag) => tag.name === name) ? history.untag(id, name) : { checks: [], writes: [] };
  }

  /** A job that goes on from a commit of another one; returns its id. Asked again with the same id, it is the same job. */
  async fork(row: JobRow, commit: string, id?: string): Promise<string> {
    const existing = id === undefined ? undefined : await this.row(id);
    if (existing !== undefined) {
      const { forkedFrom } = existing;
      if (forkedFrom?.job === row.id && forkedFrom.commit === commit) return existing.id;
      throw new StateConflictError(`There is a job '${existing.id}' already, and it did not begin there.`, { id });
    }
    return this.#jobs.fork(row, this.#workspace(row), commit, id, { goesOn: true });
  }

  /** Whether the job has a commit of this hash. */
  async hasCommit(row: JobRow, hash: string): Promise<boolean> {
    return row.hasWorkspace === true && (await this.#workspace(row).commit(hash)) !== undefined;
  }

  #workspace(row: JobRow): Workspace {
    const workspace = this.#jobs.workspaceOf(row);
    if (workspace !== undefined) return workspace;
    throw new StateTransitionError(
      `The job '${row.id}' has not run any code, so it has no commit yet. Wait until it has begun.`,
      { workflowId: row.id },
    );
  }
}

/** Where a job stands, in the words of workflows. */
export function statusOfJob({ status, outcome, paused, cancelling }: JobRow): WorkflowStatus {
  if (status === 'DONE') return outcome === 'completed' || outcome === 'cancelled' ? outcome : 'failed';
  if (paused === true) return 'paused';
  if (status === 'READY') return 'pending';
  // A job that is being cancelled cleans up, whatever it waited for.
  return status === 'SUSPENDED' && cancelling === undefined ? 'waiting' : 'running';
}

const stepStatuses: Readonly<Record<JobStep['status'], StepStatus>> = {
  queued: 'pending',
  suspended: 'waiting',
  done: 'completed',
  failed: 'failed',
};

async function stepOf(step: JobStep, stepNumber: number): Promise<StepState> {
  const { source, status, error, created, ended } = step;
  const line = source
    .split('\n')
    .map((text) => text.trim())
    .find((text) => text !== '');
  return {
    stepNumber,
    name: cutText(line ?? '', maxName),
    status: stepStatuses[status],
    result: await valueOf(step),
    error: error && `${error.name}: ${error.message}`,
    durationMs: ended === undefined ? undefined : ended.getTime() - created.getTime(),
    startedAt: created,
    completedAt: ended,
  };
}

/** A value that stands for an object of a process that is gone is named, like everywhere; a deleted workspace has none. */
async function valueOf(step: JobStep): Promise<unknown> {
  try {
    return await step.value();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
