// The public names of Statek, and nothing else.
export { StatekError } from './base/error.ts';
export { systemClock, type Clock } from './base/clock.ts';
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
  Write,
} from './store/store.ts';
export type { CollectReport } from './objects/collect.ts';
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
export type { IndexKey, ObjectIndex, SelectOptions } from './objects/object-index.ts';
export { no, type Query, type QueryPage, type Tag } from './objects/query.ts';
export { tags, type Tags } from './objects/tags.ts';
export { weak, type WeakReference } from './objects/weak-reference.ts';
export { BindingMissingError, HandleError } from './workspace/handle-table.ts';
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
export { expose, revoke, type ExposeOptions } from './workspace/exposure.ts';
export type { KitGcOptions, KitGcReport } from './workspace/garbage.ts';
export {
  program,
  type Driver,
  type EndedCall,
  type EndedStep,
  type JobMessage,
  type NextAction,
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
  SetAsideError,
} from './jobs/errors.ts';
export type { EventOptions, JobStreamEvent } from './jobs/events.ts';
export type { FaultPoint, Faults } from './jobs/faults.ts';
export type { Job, JobCall } from './jobs/job.ts';
export { Statek, type JobPage, type StatekOptions } from './jobs/kit.ts';
export type { JobFilter, JobPageOptions, PendingFuture } from './jobs/listing.ts';
export type { SubmitOptions } from './jobs/new-job.ts';
export type { JobError, JobEventKind } from './jobs/rows.ts';
export type { JobOutcome, JobStatus } from './jobs/states.ts';
export type { Worker, WorkerOptions } from './jobs/worker.ts';
export {
  tool,
  type CallContext,
  type CallOptions,
  type RetryOptions,
  type ToolOptions,
} from './workspace/call-options.ts';
export type { DecisionOptions } from './workspace/decisions.ts';
export { type WorkspaceKitOptions, type WorkspaceOptions } from './workspace/kit.ts';
export { defaultLimits, type WorkspaceLimits } from './workspace/limits.ts';
export type { RunOptions } from './workspace/live-workspace.ts';
export type { LocalsOptions, VariableDifference } from './workspace/locals.ts';
export type { Past } from './workspace/past.ts';
export { render, type RenderOptions } from './workspace/render.ts';
export type { FutureKind, StepError } from './workspace/rows.ts';
export type { Step, WaitingFuture } from './workspace/step.ts';
export { CutMembers, GuestFunction, GuestInstance, GuestText } from './workspace/wire-decode.ts';
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
export { priceListDate } from './models/price-list.ts';
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
export { defaultRetry, type RetryOptions as ModelRetryOptions } from './models/retry.ts';
export type { SdkLanguageModel } from './models/sdk/registered-model.ts';
export { defaultReplyLimits, type ReplyLimits } from './models/watch.ts';
