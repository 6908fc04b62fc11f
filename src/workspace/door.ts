// The door of this layer: what the layers below it in docs/architecture.md may use of workspaces. Everything else is its own.
export { accessRules, isPrivate, type Access } from './bridge/access.ts';
export {
  callOptionNames,
  callOptionsOf,
  callWith,
  isAsync,
  pauseAfter,
  toolOver,
  type CallContext,
  type CallOptions,
  type RetryOptions,
} from './bridge/call-options.ts';
export { narrowed, withhold } from './bridge/documented-access.ts';
export { crossesByHandle, expose, exposureOf } from './bridge/exposure.ts';
export { isSameName, parametersOf, placed } from './bridge/function-parameters.ts';
export { BindingMissingError } from './bridge/handle-table.ts';
export { accessTo } from './bridge/object-exposure.ts';
export { durableReference, findDurable, type DurableKind } from './bridge/object-tokens.ts';
export { AccessRuleError, rulesInside, takeAcl } from './bridge/source-rules.ts';
export {
  CancelledError,
  KitClosedError,
  LimitError,
  NotDurableError,
  NotFoundError,
  OutcomeUnknownError,
  TimeoutError,
  WorkspaceBusyError,
  WorkspaceStateError,
  WorkspaceTakenError,
} from './errors.ts';
export { errorMessage } from './futures/arrivals.ts';
export { callLogRows, endOf, kitScope, logWrite, toolName, type LoggedCall } from './futures/call-log.ts';
export { cancellation, cancellations, rejections, unchangedFutures } from './futures/cancel.ts';
export { waitingIn } from './futures/waiting.ts';
export { afterStepBack, ClockSteps, moveTimers } from './futures/clock-steps.ts';
export type { WorkspaceContext } from './context.ts';
export { placeOf } from './futures/code-place.ts';
export { findSubject, subjectOf, type FutureSubject } from './futures/future-subject.ts';
export { buildQuestions, isQuestion, isUndecided, questionKey, questions } from './futures/questions.ts';
export { importedFutures, signalWaitKey, signalWithdrawal } from './futures/registration.ts';
export { settledFuture, settlement } from './futures/settlement.ts';
export { SharedLoads, type LoadItem } from './futures/shared-loads.ts';
export { languageNames, type LanguageName } from './language-name.ts';
export { largeTextRows, lengthOfText, loadText, offloadText, type StoredMessage } from './large-texts.ts';
export { LeaseLostError, Tenancy } from './leases.ts';
export { defaultLimits, limitBounds, limitsWith, type WorkspaceLimits } from './limits.ts';
export {
  readyMarks,
  type CommittingSlice,
  type GoingBack,
  type KeptHistory,
  type JoinedToSlice,
  type LeasePlace,
  type Requested,
  type SliceParticipant,
  type WorkspaceOwners,
} from './owners.ts';
export { applyRetention, collectGarbage, type KitGcOptions, type KitGcReport } from './past/garbage.ts';
export { Past } from './past/past.ts';
export type { MemberOptions, Members, ValuePath } from './past/members.ts';
export { forkThatWaits, removeAll, removeOwned, waitingFork } from './past/remove.ts';
export { removeRows } from './past/trim.ts';
export type { Found, Watched, WatchOptions } from './past/watch.ts';
export {
  callCacheRows,
  consoleRows,
  decisionOf,
  futureId,
  futureKinds,
  futureRows,
  heldRows,
  isDeed,
  isOpen,
  metadataOf,
  parseFutureId,
  questionOf,
  questionRows,
  readyRows,
  runRows,
  signalOf,
  signalWaitRows,
  stepRows,
  timerOf,
  timerRows,
  workspaceCollections,
  workspaceRows,
  type CallAttempt,
  type CallRow,
  type CodePlace,
  type FutureReference,
  type FutureRow,
  type Owner,
  type SliceCall,
  type StepRow,
  type WaitingKind,
  type WorkspaceRow,
} from './rows.ts';
export { dropStep } from './slices/drop-step.ts';
export type { Acting, WorkspaceSetUp } from './slices/live-workspace.ts';
export { handlesOf } from './slices/loaded.ts';
export { linesBetween, waitingFutures, type Step, type WaitingFuture } from './step.ts';
export { guestFunctionName } from './variables/guest-functions.ts';
export {
  diffVariables,
  type ComparedVariable,
  type LocalsOptions,
  type VariableDifference,
} from './variables/locals.ts';
export { refuseName } from './variables/new-workspace.ts';
export { refuseReservedNames, reservedFor } from './variables/reserved-names.ts';
export { isVariableName, variablesOf } from './variables/variables.ts';
export { decodeWire, GuestText } from './wire/decode.ts';
export { encodeWire } from './wire/encode.ts';
export { cutText, render } from './wire/render.ts';
export { undefinedMessage, type WireMessage } from './wire/wire.ts';
export { Workspace, type ConsolePageOptions, type WorkspaceCommit } from './workspace.ts';
export { Workspaces, type WorkspaceOptions, type WorkspacesOptions } from './workspaces.ts';
