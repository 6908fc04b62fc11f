// What can go wrong in a workspace, apart from what guest code throws itself.
import { StatekError } from '../base/error.ts';

/** A limit was met; the slice was dropped and what it did is undone. Guest code cannot catch this. */
export class LimitError extends StatekError {
  readonly code = 'LIMIT';
}

/** A step waits for something, but there is nothing left that could end its wait. */
export class DeadlockError extends StatekError {
  readonly code = 'DEADLOCK';
}

/** A variable holds an object of the application that cannot be found again in another process. */
export class NotDurableError extends StatekError {
  readonly code = 'NOT_DURABLE';
}

/** The process ended while the function was running: it may have had its effect or not. */
export class OutcomeUnknownError extends StatekError {
  readonly code = 'OUTCOME_UNKNOWN';
}

/** What was waited for will not come: it was cancelled. */
export class CancelledError extends StatekError {
  readonly code = 'CANCELLED';
}

/** What was waited for did not come in time. */
export class TimeoutError extends StatekError {
  readonly code = 'TIMEOUT';
}

/** Somebody was asked to agree, and did not. */
export class DeniedError extends StatekError {
  readonly code = 'DENIED';
}

/** There is no such workspace, step or future. */
export class NotFoundError extends StatekError {
  readonly code = 'NOT_FOUND';
}

/** The workspace is waiting, and the call said not to queue. */
export class WorkspaceBusyError extends StatekError {
  readonly code = 'WORKSPACE_BUSY';
}

/** Another process runs the workspace and kept it for longer than the bound. */
export class WorkspaceTakenError extends StatekError {
  readonly code = 'WORKSPACE_TAKEN';
}

/** The call does not fit the state of things, such as a second answer to one question. */
export class WorkspaceStateError extends StatekError {
  readonly code = 'WORKSPACE_STATE';
}

/** Code that only looks at the past tried to change or start something. */
export class ReadOnlyError extends StatekError {
  readonly code = 'READ_ONLY';
}

/** The kit was closed; what it was doing is in the store. */
export class KitClosedError extends StatekError {
  readonly code = 'KIT_CLOSED';
}
