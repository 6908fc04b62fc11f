// The states of a job, and which may follow which. Every change of a status goes through here.
import { JobStateError } from './errors.ts';

/**
 * Where a job stands: READY, WARMING_UP or STARTED while there is work to do, SUSPENDED while it waits, DONE at its end.
 */
export type JobStatus = 'READY' | 'WARMING_UP' | 'STARTED' | 'SUSPENDED' | 'DONE';

/** How a job that is DONE has ended. */
export type JobOutcome = 'completed' | 'failed' | 'cancelled' | 'limit';

export const jobStatuses: readonly JobStatus[] = ['READY', 'WARMING_UP', 'STARTED', 'SUSPENDED', 'DONE'];
export const jobOutcomes: readonly JobOutcome[] = ['completed', 'failed', 'cancelled', 'limit'];

/** READY again: the job is tried once more. STARTED after DONE: it was reopened. */
export const transitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  READY: ['WARMING_UP', 'STARTED', 'SUSPENDED', 'DONE'],
  WARMING_UP: ['STARTED', 'SUSPENDED', 'READY', 'DONE'],
  STARTED: ['WARMING_UP', 'SUSPENDED', 'READY', 'DONE'],
  SUSPENDED: ['WARMING_UP', 'STARTED', 'READY', 'DONE'],
  DONE: ['STARTED'],
};

export function refuseTransition(id: string, from: JobStatus, to: JobStatus): void {
  if (from !== to && !transitions[from].includes(to))
    throw new JobStateError(`The job '${id}' is ${from}; it cannot become ${to}.`, { id, from, to });
}
