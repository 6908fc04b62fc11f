// Types that an application rarely names: options, reports and pages of the exports of `statek`, for signatures of its own. By
// layer, from the kit down.
export type { ExportOptions } from './kit/archive/export-job.ts';
export type { ForgetOptions, ForgetReport } from './kit/forget.ts';
export type { AgentSummary, KitAgents } from './kit/job-views.ts';
export type { KitRetention, RetainedProgram, RetentionRun, RetentionState } from './kit/maintenance.ts';
export type { Schedule, ScheduleState, ScheduleSubmission } from './kit/schedule.ts';
export type { HotObject } from './kit/hot-objects.ts';
export type { StoreSize } from './kit/store-sizes.ts';
export type { KitVerifyReport, VerifyOptions, VerifyPhase, VerifyProblem } from './kit/verify/verify-kit.ts';
export type { JobComparison, Parted } from './agents/comparison.ts';
export type { DialogPair, JobUsage } from './agents/conversation.ts';
export type { JobDefinition } from './agents/definition.ts';
export type { Description } from './agents/docs/describe.ts';
export type { Example } from './agents/examples/example.ts';
export type { CallPageOptions, ChatPageOptions, ExampleOptions, JobForkOptions, JobVersion } from './agents/job.ts';
export type { JobDefOptions } from './agents/kinds/agent-options.ts';
export type { DialogAgentOptions, SendMessage } from './agents/kinds/dialog-agent.ts';
export type { SupervisedAgentOptions } from './agents/kinds/supervised-agent.ts';
export type { DeltaListener, DeltaOrigin } from './agents/loop/deltas.ts';
export type { MemoryBinding } from './agents/memory/binding.ts';
export type { MemoryOptions } from './agents/memory/granted.ts';
export type { Fact } from './agents/memory/rows.ts';
export type { PostProcessor } from './agents/post-processors.ts';
export type { SettingOptions } from './agents/settings/settings.ts';
export type { DiskOptions } from './agents/tasks/disk.ts';
export type { TaskEvent } from './agents/tasks/events.ts';
export type { LiveState, VersionedState } from './agents/tasks/states.ts';
export type { TaskCallOptions, TaskOptions, TaskResult } from './agents/tasks/task.ts';
export type { InferInput, InferOutput, StandardSchema } from './agents/tools/schema.ts';
export type { SchemaToolOptions } from './agents/tools/tool.ts';
export type { AgentTools } from './agents/tools/toolbox.ts';
export type { SendOptions } from './jobs/changes/control.ts';
export type { JobOptions } from './jobs/changes/new-job.ts';
export type { OnChange } from './jobs/code-version.ts';
export type { JobSchedule, TurnEvent } from './jobs/driver.ts';
export type { PendingKind } from './jobs/future-kinds.ts';
export type { JobDecision } from './jobs/journal/decision-journal.ts';
export type { EventOptions } from './jobs/journal/events.ts';
export type { JobPageOptions } from './jobs/journal/listing.ts';
export type { PendingFilter } from './jobs/journal/pending.ts';
export type { CrashSummary, LeaseSummary, QueueSummary, QueuedVersion, WorkerSummary } from './jobs/journal/queues.ts';
export type { RevisionWriter } from './jobs/journal/writers.ts';
export type { JobEventKind, JobRestart } from './jobs/rows.ts';
export type { ScheduledJob } from './jobs/schedules/schedules.ts';
export type { MissedPolicy, OverlapPolicy } from './jobs/schedules/timing.ts';
export type { SlowSlice } from './jobs/journal/slow-slices.ts';
export type { MaxQueueAge } from './jobs/changes/back-pressure.ts';
export type { TenantLimits } from './jobs/tenants/rows.ts';
export type { TenantPage, Tenants, TenantState, TenantUse } from './jobs/tenants/tenants.ts';
export type { CallOptions, RetryOptions } from './workspace/bridge/call-options.ts';
export type { ExposeOptions } from './workspace/bridge/exposure.ts';
export type { FutureSubject } from './workspace/futures/future-subject.ts';
export type { LanguageName } from './workspace/language-name.ts';
export type { KitGcOptions, KitGcReport } from './workspace/past/garbage.ts';
export type { Member, MemberOptions, Members, ValuePath } from './workspace/past/members.ts';
export type { Past } from './workspace/past/past.ts';
export type { CommitPlace, Found, WatchOptions, Watched, WatchedValue } from './workspace/past/watch.ts';
export type { CodePlace, StepError, WaitingKind } from './workspace/rows.ts';
export type { RunOptions } from './workspace/slices/live-workspace.ts';
export type { WaitingFuture } from './workspace/step.ts';
export type { LocalsOptions, VariableDifference } from './workspace/variables/locals.ts';
export type { RenderOptions } from './workspace/wire/render.ts';
export type { CommitPageOptions, ConsolePageOptions, WorkspaceForkOptions } from './workspace/workspace.ts';
export type {
  ObjectBrowser,
  ObjectPage,
  Referrer,
  ShownField,
  ShownObject,
} from './objects/browsing/object-browser.ts';
export type { CollectReport } from './objects/collecting/collect.ts';
export type { IndexKey, ObjectIndex, SelectOptions } from './objects/queries/object-index.ts';
export type { Tag } from './objects/queries/query.ts';
export type { Tags } from './objects/queries/tags.ts';
export type { Synchronous } from './objects/transactions/transact.ts';
export type { CacheOptions } from './store/around/cached-store.ts';
export type { EncryptionOptions } from './store/around/encrypted-store.ts';
export type { StoreSource } from './store/around/store-source.ts';
export type { BackupOptions, BackupReport } from './store/backup/backup-store.ts';
export type { KVStoreOptions } from './store/key-value/open.ts';
export type { ListPage, ListPageOptions } from './base/list-page.ts';
export type { RedactOptions } from './base/redact.ts';
