// Errors that all managers of the facade share.
import { StatekError } from '../../base/error.ts';

/** A change that the current status does not allow. */
export class StateTransitionError extends StatekError {
  readonly code = 'STATE_TRANSITION';
}

/** Nothing with this name exists. */
export class StateNotFoundError extends StatekError {
  readonly code = 'STATE_NOT_FOUND';
}

/** An argument that cannot be accepted. */
export class StateArgumentError extends StatekError {
  readonly code = 'STATE_ARGUMENT';
}

/** Another caller changed the same thing first, or holds it. */
export class StateConflictError extends StatekError {
  readonly code = 'STATE_CONFLICT';
}
