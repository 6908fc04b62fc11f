// What applications use of Statek. Before adding a name: authors of engines have `statek/store`, authors of models
// `statek/models`, tests `statek/testing`. What a name here mentions must be exported too, here or there.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';

// The kit
export { Statek } from './kit/statek.ts';
export type { AgentSummary, KitAgents } from './kit/job-views.ts';
export type { StatekOptions } from './kit/options.ts';
export type { RedactOptions } from './base/redact.ts';
export type { SettingOptions } from './agents/settings/settings.ts';
export { openStore } from './store/open.ts';
export type { Store } from './store/store.ts';
export { Models } from './models/models.ts';
export { messageText } from './models/message.ts';
export { defineConfig, type StatekConfig } from './cli/application/define-config.ts';

// Agents
export { Agent } from './agents/kinds/agent.ts';
export type { AgentOptions, JobDefOptions } from './agents/kinds/agent-options.ts';
export { SupervisedAgent, type SupervisedAgentOptions } from './agents/kinds/supervised-agent.ts';
export { DialogAgent, type DialogAgentOptions, type SendMessage } from './agents/kinds/dialog-agent.ts';
export { Coordinator, MessageDispatcher, Researcher } from './agents/kinds/coordinating-agents.ts';
export type { ChatStyle } from './agents/settings/chat-style.ts';
export type { JobLimits } from './agents/settings/limits.ts';
export { FinalCheck, type PostProcessor } from './agents/post-processors.ts';
export { describe, type Description } from './agents/docs/describe.ts';
export { JobDef, type JobDefinition } from './agents/definition.ts';

// Tools
export { tool, type SchemaToolOptions, type ToolContext, type ToolOptions } from './agents/tools/tool.ts';
export type { AgentTools } from './agents/tools/toolbox.ts';
export { ref, type InferInput, type InferOutput, type StandardSchema } from './agents/tools/schema.ts';
export type { CallContext, CallOptions, RetryOptions } from './workspace/bridge/call-options.ts';

// Jobs
export type { Job, JobForkOptions, JobVersion, ExampleOptions } from './agents/job.ts';
export type { JobComparison, Parted } from './agents/comparison.ts';
export type { ExportOptions } from './kit/archive/export-job.ts';
export type { ForgetOptions, ForgetReport } from './kit/forget.ts';
export type { KitRetention, RetainedProgram } from './kit/maintenance.ts';
export type { KitVerifyReport, VerifyOptions, VerifyPhase, VerifyProblem } from './kit/verify/verify-kit.ts';
export type { BackupOptions, BackupReport } from './store/backup/backup-store.ts';
export type { Schedule, ScheduleState, ScheduleSubmission } from './kit/schedule.ts';
export type { ScheduledJob, ScheduleOptions } from './jobs/schedules/schedules.ts';
export type { MissedPolicy, OverlapPolicy } from './jobs/schedules/timing.ts';
export type { SubmitOptions } from './agents/agents.ts';
export type { JobOptions } from './jobs/changes/new-job.ts';
export type { TenantLimits } from './jobs/tenants/rows.ts';
export type { Tenants, TenantUse } from './jobs/tenants/tenants.ts';
export type { OnChange } from './jobs/code-version.ts';
export type { JobOutcome, JobStatus } from './jobs/states.ts';
export type { JobError, JobEventKind, JobRestart } from './jobs/rows.ts';
export type { JobFilter, JobPageOptions, PendingFuture } from './jobs/journal/listing.ts';
export type { EventOptions, JobStreamEvent } from './jobs/journal/events.ts';
export type { JobCall } from './jobs/journal/call-journal.ts';
export type { RevisionWriter } from './jobs/journal/writers.ts';
export type { QueuedVersion, QueueSummary, WorkerSummary } from './jobs/journal/queues.ts';
export type { PendingKind } from './jobs/future-kinds.ts';
export type { JobDecision } from './jobs/journal/decision-journal.ts';
export type { ChatItem } from './agents/chat/item.ts';
export type { DialogPair, JobUsage } from './agents/conversation.ts';
export type { DeltaListener, DeltaOrigin } from './agents/loop/deltas.ts';
export type { SendOptions } from './jobs/changes/control.ts';
export type { Example } from './agents/examples/example.ts';
export type { Worker, WorkerOptions } from './jobs/work/worker.ts';
export {
  program,
  type Driver,
  type JobMessage,
  type NextAction,
  type Program,
  type Turn,
  type TurnEvent,
} from './jobs/driver.ts';

// Tasks
export { events, Live, Versioned, view, type LiveState, type VersionedState } from './agents/tasks/states.ts';
export type { TaskCallOptions, TaskFunction, TaskOptions, TaskResult } from './agents/tasks/task.ts';
export type { TaskEvent } from './agents/tasks/events.ts';
export type { TaskState } from './agents/tasks/task-host.ts';

export { Disk, type DiskOptions } from './agents/tasks/disk.ts';
export { Cache, type CacheOptions } from './store/around/cached-store.ts';
export { openEncrypted, type EncryptionOptions } from './store/around/encrypted-store.ts';
export type { StoreSource } from './store/around/store-source.ts';
export type { KVStore } from './store/key-value/key-value-store.ts';
export { storeOf, type KVStoreOptions } from './store/key-value/open.ts';

// Workspaces
export type { CommitPageOptions, Workspace, WorkspaceCommit, WorkspaceForkOptions } from './workspace/workspace.ts';
export type { CommitPlace, Found, Watched, WatchedValue, WatchOptions } from './workspace/past/watch.ts';
export type { WorkspaceOptions } from './workspace/workspaces.ts';
export type { WorkspaceLimits } from './workspace/limits.ts';
export type { LanguageName } from './workspace/language-name.ts';
export type { RunOptions } from './workspace/slices/live-workspace.ts';
export type { Step, WaitingFuture } from './workspace/step.ts';
export type { CodePlace, StepError, WaitingKind } from './workspace/rows.ts';
export type { LocalsOptions, VariableDifference } from './workspace/variables/locals.ts';
export type { Past } from './workspace/past/past.ts';
export type { Member, MemberOptions, Members, ValuePath } from './workspace/past/members.ts';
export { CutMembers, GuestFunction, GuestInstance, GuestText } from './workspace/wire/decode.ts';
export { render, type RenderOptions } from './workspace/wire/render.ts';
export { expose, revoke, type ExposeOptions } from './workspace/bridge/exposure.ts';
export type { FutureSubject } from './workspace/futures/future-subject.ts';
export type { KitGcOptions, KitGcReport } from './workspace/past/garbage.ts';
export type { CollectReport } from './objects/collecting/collect.ts';
export type { Json, RetentionPolicy } from './history/history.ts';

// Durable objects
export { Durable, durable } from './objects/durable.ts';
export type {
  ObjectBrowser,
  ObjectPage,
  Referrer,
  ShownField,
  ShownObject,
} from './objects/browsing/object-browser.ts';
export type { DurableClass, DurableOptions } from './objects/declaration.ts';
export { durableEnum, EnumMember } from './objects/enumeration.ts';
export { at, exists, find, idOf, index, pin, remove, transaction, unpin, type Space } from './objects/graph.ts';
export { no, type Query, type Tag } from './objects/queries/query.ts';
export { tags, type Tags } from './objects/queries/tags.ts';
export type { IndexKey, ObjectIndex, SelectOptions } from './objects/queries/object-index.ts';
export type { Synchronous } from './objects/transactions/transact.ts';
export { weak, type WeakReference } from './objects/weak-reference.ts';

// Memory
export type { Memory } from './agents/memory/memory.ts';
export type { MemoryBinding } from './agents/memory/binding.ts';
export type { MemoryOptions } from './agents/memory/granted.ts';
export type { Fact } from './agents/memory/rows.ts';

// Errors that applications catch; all others are told apart by their `code`
export { StatekError } from './base/error.ts';
export { InvalidOptionError } from './base/options.ts';
export { KitClosedError, LimitError, NotDurableError, NotFoundError, WorkspaceBusyError } from './workspace/errors.ts';
export { JobFailedError, JobStateError, TenantLimitError } from './jobs/errors.ts';
export { NotLoadedError, ObjectConflictError, ObjectGoneError } from './objects/errors.ts';
export { TaskFailedError, TaskInputError } from './agents/errors.ts';
export { TaskClarifyError } from './agents/tasks/task.ts';
export { ModelError } from './models/errors.ts';
export { StoreUnavailableError } from './store/errors.ts';
