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
  ChangeSet,
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
  KitClosedError,
  LimitError,
  NotDurableError,
  NotFoundError,
  OutcomeUnknownError,
  ReadOnlyError,
  WorkspaceBusyError,
  WorkspaceStateError,
  WorkspaceTakenError,
} from './workspace/errors.ts';
export { expose, revoke, type ExposeOptions } from './workspace/exposure.ts';
export type { KitGcOptions, KitGcReport } from './workspace/garbage.ts';
export { Statek, type StatekOptions, type WorkspaceOptions } from './workspace/kit.ts';
export { defaultLimits, type WorkspaceLimits } from './workspace/limits.ts';
export type { RunOptions } from './workspace/live-workspace.ts';
export type { LocalsOptions, VariableDifference } from './workspace/locals.ts';
export type { Past } from './workspace/past.ts';
export { render, type RenderOptions } from './workspace/render.ts';
export type { FutureKind, StepError } from './workspace/rows.ts';
export type { Step, WaitingFuture } from './workspace/step.ts';
export { CutMembers, GuestFunction, GuestInstance, GuestText } from './workspace/wire-decode.ts';
export type { Workspace, WorkspaceCommit, WorkspaceCommitPage, WorkspaceTag } from './workspace/workspace.ts';
