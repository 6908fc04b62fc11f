// The door of this layer: what the layers below it in docs/architecture.md may use of jobs. Everything else is its own.
export {
  changeJob,
  mustRead,
  requestCancel,
  requestGoOn,
  requestPause,
  requestResume,
  requestUnpin,
  sendMessage,
} from './changes/control.ts';
export type { SendOptions } from './changes/control.ts';
export { checkMaxQueueAge, type MaxQueueAge } from './changes/back-pressure.ts';
export { deleteJob } from './changes/deleting.ts';
export { delivery } from './changes/inbox.ts';
export { importedJob } from './changes/job-changes.ts';
export type { JobOptions } from './changes/new-job.ts';
export { submitAgain } from './changes/submit.ts';
export type {
  Driver,
  EndedCall,
  EndedStep,
  FailedJob,
  JobMessage,
  JobSchedule,
  NextAction,
  Program,
  ProgramEnd,
  SubtaskState,
  Turn,
} from './driver.ts';
export { Drivers } from './drivers.ts';
export { scheduleOf } from './scheduled.ts';
export { DriverMissingError, JobStateError, QueueOverloadedError } from './errors.ts';
export type { Faults } from './faults.ts';
export { pendingKinds } from './future-kinds.ts';
export { Jobs } from './jobs.ts';
export { callById, callsGone, type JobCall } from './journal/call-journal.ts';
export { decisionJournal, type JobDecision } from './journal/decision-journal.ts';
export { eventsOf, pastJobEvents, type EventOptions, type JobStreamEvent } from './journal/events.ts';
export type { JobFilter, JobPageOptions } from './journal/listing.ts';
export type { PendingFilter, PendingFuture } from './journal/pending.ts';
export type { ProgramFuture } from './journal/program-futures.ts';
export {
  awaitsVersion,
  crashSummaries,
  leaseSummaries,
  queueSummaries,
  workerSummaries,
  type CrashSummary,
  type LeaseSummary,
  type QueueSummary,
  type WorkerSummary,
} from './journal/queues.ts';
export { askForAttendance, attendanceOf, type RoleAttendance } from './work/attendance.ts';
export { slowSlices, type SlowSlice } from './journal/slow-slices.ts';
export { writerOf, type RevisionWriter } from './journal/writers.ts';
export { jobTimeline, timelineLanes, type JobTimeline, type TimelineOptions } from './journal/timeline.ts';
export { stepJournal, type JobStep } from './journal/step-journal.ts';
export { JobOwners } from './owners.ts';
export { tenantLabel, tenantOf, workKey } from './queue-place.ts';
export { dropOldUse } from './tenants/daily-use.ts';
export { dayOf, tenantCollections, tenantRows, tenantUsageRows } from './tenants/rows.ts';
export type { Tenants, TenantState } from './tenants/tenants.ts';
export { versionOption, type OnChange } from './code-version.ts';
export type { Restore, Restored, Restoring } from './past/restored-state.ts';
export { countedNames, pastOf } from './past/restoring.ts';
export {
  jobCallRows,
  jobCollections,
  jobEventRows,
  jobInboxRows,
  jobPastRows,
  jobRows,
  jobWorkRows,
  type JobError,
  type JobEventRow,
  type JobRow,
} from './rows.ts';
export { scheduleCollections, scheduleRows, type ScheduleRow } from './schedules/rows.ts';
export type { ScheduleOptions, Schedules } from './schedules/schedules.ts';
export { jobOutcomes, jobStatuses, type JobOutcome, type JobStatus } from './states.ts';
export { ActiveJobs } from './work/active-jobs.ts';
export { Worker, type WorkerOptions } from './work/worker.ts';
