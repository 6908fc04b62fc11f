// What can go wrong with jobs.
import { StatekError } from '../base/error.ts';

/** The call does not fit the state the job is in. */
export class JobStateError extends StatekError {
  readonly code = 'JOB_STATE';
}

/** Thrown to those who wait for the result of a job that has none: it failed, was cancelled or reached a limit. */
export class JobFailedError extends StatekError {
  readonly code = 'JOB_FAILED';
}

/** The tenant of the job has reached one of its limits. */
export class TenantLimitError extends StatekError {
  readonly code = 'TENANT_LIMIT';
}

/** Jobs of the role have waited in its queue for longer than `maxQueueAge`, so no more are accepted; try again later. */
export class QueueOverloadedError extends StatekError {
  readonly code = 'QUEUE_OVERLOADED';
}

/** There is no driver of this role in this process. */
export class DriverMissingError extends StatekError {
  readonly code = 'DRIVER_MISSING';
}

/** The process died again and again while it worked on this job, so it is not tried any more. */
export class CrashLoopError extends StatekError {
  readonly code = 'CRASH_LOOP';
}

/** Something around the job, and not the job itself, failed again and again: it is quarantined. */
export class QuarantinedError extends StatekError {
  readonly code = 'QUARANTINED';
}

/** The job was not done by its deadline. */
export class DeadlineError extends StatekError {
  readonly code = 'DEADLINE';
}
