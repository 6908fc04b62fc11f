// The public names of Statek, and nothing else.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { StatekError } from './base/error.ts';
export { systemClock, type Clock } from './base/clock.ts';
export { NodeVersionError } from './base/node-version.ts';
export { InvalidOptionError } from './base/options.ts';
export {
  bytesCollection,
  recordCollection,
  workCollection,
  type BytesCollection,
  type Collection,
  type RecordCollection,
  type ValueOf,
  type WorkCollection,
} from './store/collection.ts';
export {
  StoreArgumentError,
  StoreBusyError,
  StoreClosedError,
  StoreConflictError,
  StoreCorruptError,
  StoreFeatureError,
  StoreForeignError,
  StoreFullError,
  StoreNewerError,
  StorePermissionError,
  StoreRevisionGoneError,
  StoreUnavailableError,
  StoreUnknownOutcomeError,
} from './store/errors.ts';
export type { GcOptions, GcProgress, GcReport, RetentionPolicy } from './history/history.ts';
export type { Key, KeyPart } from './store/key.ts';
export { mustCommit } from './store/must-commit.ts';
export { openStore, type OpenStoreOptions } from './store/open.ts';
export type { Range } from './store/range.ts';
export { scanAll } from './store/scan-all.ts';
export type { SqliteOptions } from './store/sqlite/options.ts';
export type {
  Change,
  Changes,
  ChangeSet,
  ChangesOptions,
  Check,
  Claimed,
  ClaimOptions,
  CommitResult,
  Conflict,
  Entry,
  FollowOptions,
  Lease,
  LeaseCheck,
  Page,
  ReadOptions,
  RenewResult,
  Revision,
  ScanOptions,
  Store,
  StoreFeatures,
  SynchronousReads,
  Transaction,
  VerifyReport,
  VolatileMessages,
  Write,
} from './store/store.ts';
export type { CollectReport } from './objects/collecting/collect.ts';
export { CollectionDamagedError } from './objects/collections/parts.ts';
export type { DurableClass, DurableOptions, Fields } from './objects/declaration.ts';
export { Durable, durable } from './objects/durable.ts';
export { durableEnum, EnumMember } from './objects/enumeration.ts';
export {
  DurableClassError,
  NoKitError,
  NotLoadedError,
  NotStorableError,
  ObjectConflictError,
  ObjectGoneError,
  ObjectReadOnlyError,
  TransactionError,
} from './objects/errors.ts';
export {
  at,
  exists,
  find,
  idOf,
  index,
  pin,
  remove,
  Space,
  transaction,
  unpin,
  type SpaceOptions,
} from './objects/graph.ts';
export type { IndexKey, ObjectIndex, SelectOptions } from './objects/queries/object-index.ts';
export { no, type Query, type QueryPage, type Tag } from './objects/queries/query.ts';
export { tags, type Tags } from './objects/queries/tags.ts';
export { weak, type WeakReference } from './objects/weak-reference.ts';
export { BindingMissingError, HandleError } from './workspace/bridge/handle-table.ts';
export {
  CancelledError,
  DeadlockError,
  DeniedError,
  KitClosedError,
  LimitError,
  NotDurableError,
  NotFoundError,
  OutcomeUnknownError,
  ReadOnlyError,
  TimeoutError,
  WorkspaceBusyError,
  WorkspaceStateError,
  WorkspaceTakenError,
} from './workspace/errors.ts';
export { expose, revoke, type ExposeOptions } from './workspace/bridge/exposure.ts';
export { AccessRuleError } from './workspace/bridge/source-rules.ts';
export type { KitGcOptions, KitGcReport } from './workspace/past/garbage.ts';
export {
  program,
  type Driver,
  type EndedCall,
  type EndedStep,
  type FailedJob,
  type RoleDescription,
  type JobMessage,
  type NextAction,
  type Program,
  type ProgramEnd,
  type SubtaskState,
  type Turn,
  type TurnEvent,
} from './jobs/driver.ts';
export {
  CrashLoopError,
  DeadlineError,
  DriverMissingError,
  JobFailedError,
  JobStateError,
  QuarantinedError,
} from './jobs/errors.ts';
export type { EventOptions, JobStreamEvent } from './jobs/journal/events.ts';
export type { FaultPoint, Faults } from './jobs/faults.ts';
export type { JobCall } from './jobs/journal/call-journal.ts';
export type { JobDecision } from './jobs/journal/decision-journal.ts';
export type { JobFilter, JobPageOptions, PendingFuture } from './jobs/journal/listing.ts';
export type { JobError, JobEventKind } from './jobs/rows.ts';
export type { JobOutcome, JobStatus } from './jobs/states.ts';
export type { Worker, WorkerOptions } from './jobs/work/worker.ts';
export type { CacheScope, CallContext, CallOptions, RetryOptions } from './workspace/bridge/call-options.ts';
export type { DecisionOptions } from './workspace/futures/decisions.ts';
export { type WorkspaceOptions } from './workspace/workspaces.ts';
export { defaultLimits, type WorkspaceLimits } from './workspace/limits.ts';
export type { RunOptions } from './workspace/slices/live-workspace.ts';
export type { LocalsOptions, VariableDifference } from './workspace/variables/locals.ts';
export type { Past } from './workspace/past/past.ts';
export { render, type RenderOptions } from './workspace/wire/render.ts';
export type { StepError, WaitingKind } from './workspace/rows.ts';
export type { PendingKind } from './jobs/future-kinds.ts';
export type { Step, WaitingFuture } from './workspace/step.ts';
export { CutMembers, GuestFunction, GuestInstance, GuestText } from './workspace/wire/decode.ts';
export type { Workspace, WorkspaceCommit, WorkspaceCommitPage, WorkspaceTag } from './workspace/workspace.ts';
export type { BackendRequest, ModelAnswer, ModelBackend, ModelTurn, Sleep } from './models/backend.ts';
export { parseModelChoice, type Difficulty, type ModelChoice } from './models/difficulty.ts';
export {
  ModelAbortedError,
  ModelAuthError,
  ModelBadRequestError,
  ModelContentRefusedError,
  ModelContextTooLongError,
  ModelError,
  ModelInvalidReplyError,
  ModelNetworkError,
  ModelNotFoundError,
  ModelOverloadedError,
  ModelQuotaError,
  ModelRateLimitError,
  ModelRecordingError,
  ModelReplyTooLargeError,
  ModelScriptError,
  ModelSettingsError,
  ModelStringError,
  ModelTimeoutError,
  type ModelErrorDetails,
} from './models/errors.ts';
export type { JsonObject, JsonValue } from './models/json.ts';
export {
  messageText,
  messageToolCalls,
  type AssistantMessage,
  type AssistantPart,
  type MadeBy,
  type MediaPart,
  type ModelMessage,
  type ReasoningPart,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from './models/message.ts';
export type { ModelName, ModelParameters } from './models/model-string.ts';
export { Models, type AskOptions, type ModelsOptions } from './models/models.ts';
export { priceListDate } from './models/prices/price-list.ts';
export type { ProviderApi, ProviderOptions, SdkProvider } from './models/providers/registry.ts';
export type {
  FinishReason,
  ModelCost,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelTokens,
  ModelTool,
  ModelUsage,
  ToolChoice,
} from './models/request.ts';
export { defaultRetry, type RetryOptions as ModelRetryOptions } from './models/asking/retry.ts';
export type { SdkLanguageModel } from './models/sdk/registered-model.ts';
export { defaultReplyLimits, type ReplyLimits } from './models/asking/watch.ts';
export { Coordinator, MessageDispatcher, Researcher } from './agents/kinds/coordinating-agents.ts';
export { Agent } from './agents/kinds/agent.ts';
export type { AgentOptions, JobDefOptions } from './agents/kinds/agent-options.ts';
export type {
  ChatItem,
  Digest,
  FoldItem,
  MessageItem,
  NoteItem,
  NoticeItem,
  ReplyItem,
  ResultItem,
  SentItem,
  StepFault,
  StepItem,
} from './agents/chat/item.ts';
export { JobDef, type JobDefinition } from './agents/definition.ts';
export { describe, type Description, type MemberDescription } from './agents/docs/describe.ts';
export { DialogAgent, type DialogAgentOptions, type SendMessage } from './agents/kinds/dialog-agent.ts';
export type { ReminderOptions } from './agents/reminder.ts';
export {
  AgentSettingsError,
  TaskFailedError,
  TaskInputError,
  MemoryUnboundError,
  ToolInputError,
  ToolOutputError,
} from './agents/errors.ts';
export type { DialogPair, JobUsage, TurnUsage } from './agents/conversation.ts';
export type { ExampleOptions, Job } from './agents/job.ts';
export type { DeltaListener, DeltaOrigin } from './agents/loop/deltas.ts';
export type { ChatItem as ExampleItem, Example } from './agents/examples/example.ts';
export { Statek, type AgentSummary, type JobPage } from './kit/statek.ts';
export { type StatekOptions } from './agents/services.ts';
export { type SubmitOptions } from './agents/agents.ts';
export type { MemoryOptions } from './agents/memory/granted.ts';
export { MemoryReadOnlyError, type MemoryBinding } from './agents/memory/binding.ts';
export type { Fact } from './agents/memory/fact.ts';
export { Memory } from './agents/memory/memory.ts';
export { FinalCheck, type PostProcessor, type ProcessedReply, type Verdict } from './agents/post-processors.ts';
export type { ChatStyle } from './agents/settings/chat-style.ts';
export { defaultJobLimits, type JobLimits } from './agents/settings/limits.ts';
export { SupervisedAgent, type SupervisedAgentOptions } from './agents/kinds/supervised-agent.ts';
export type { ActionEvent, CallEvent, EndEvent, NoteEvent, OutputEvent, TaskEvent } from './agents/tasks/events.ts';
export { events, Live, LiveState, Versioned, VersionedState, view, type Focus } from './agents/tasks/states.ts';
export {
  TaskClarifyError,
  type TaskCallOptions,
  type TaskFunction,
  type TaskOptions,
  type TaskResult,
} from './agents/tasks/task.ts';
export type { TaskState } from './agents/tasks/task-host.ts';
export { ref, type InferInput, type InferOutput, type StandardSchema } from './agents/tools/schema.ts';
export {
  tool,
  type JobFailure,
  type SchemaToolOptions,
  type ToolContext,
  type ToolOptions,
} from './agents/tools/tool.ts';
export type { AgentTool, AgentTools, SdkTool } from './agents/tools/toolbox.ts';
export { defineConfig, type StatekConfig, type StatekConfigExport } from './cli/application/define-config.ts';
