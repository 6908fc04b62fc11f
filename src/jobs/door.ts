// The door of this layer: what the layers below it in docs/architecture.md may use of jobs. Everything else is its own.
export { changeJob, mustRead, requestCancel, requestPause, requestResume, sendMessage } from './changes/control.ts';
export { deleteJob } from './changes/deleting.ts';
export { delivery } from './changes/inbox.ts';
export type { JobOptions } from './changes/new-job.ts';
export { submitAgain } from './changes/submit.ts';
export type {
  Driver,
  EndedCall,
  EndedStep,
  FailedJob,
  JobMessage,
  NextAction,
  Program,
  ProgramEnd,
  SubtaskState,
  Turn,
} from './driver.ts';
export { Drivers } from './drivers.ts';
export { DriverMissingError } from './errors.ts';
export type { Faults } from './faults.ts';
export { pendingKinds, type PendingKind } from './future-kinds.ts';
export { Jobs } from './jobs.ts';
export type { JobCall } from './journal/call-journal.ts';
export { decisionJournal, type JobDecision } from './journal/decision-journal.ts';
export type { EventOptions, JobStreamEvent } from './journal/events.ts';
export type { JobFilter, JobPageOptions, PendingFuture } from './journal/listing.ts';
export { JobOwners } from './owners.ts';
export type { Restore, Restored, Restoring } from './past/restored-state.ts';
export { jobCollections, jobRows, jobWorkRows, type JobError, type JobRow } from './rows.ts';
export { jobOutcomes, jobStatuses, type JobOutcome, type JobStatus } from './states.ts';
export { ActiveJobs } from './work/active-jobs.ts';
export { Worker, type WorkerOptions } from './work/worker.ts';
