// The errors of a store, each with its own code. A missing key is never an error. Errors cross threads as plain data and
// are rebuilt here.
import { StatekError } from '../base/error.ts';

/** The call itself is wrong: an undeclared collection, a key or value that cannot be stored, a contradictory transaction. Nothing was changed. */
export class StoreArgumentError extends StatekError {
  readonly code = 'STORE_ARGUMENT';
}

/** The engine lacks this feature; see `store.features`. */
export class StoreFeatureError extends StatekError {
  readonly code = 'STORE_FEATURE';
}

/** A transaction's preconditions no longer hold. Thrown by `mustCommit`; `commit` itself reports it as a result. */
export class StoreConflictError extends StatekError {
  readonly code = 'STORE_CONFLICT';
}

/** The requested revision is before the retention horizon. */
export class StoreRevisionGoneError extends StatekError {
  readonly code = 'STORE_REVISION_GONE';
}

/** Stored bytes are not what was written: a checksum, a key or the file's structure is wrong. */
export class StoreCorruptError extends StatekError {
  readonly code = 'STORE_CORRUPT';
}

/** The file or database belongs to another program. */
export class StoreForeignError extends StatekError {
  readonly code = 'STORE_FOREIGN';
}

/** The store was written by a newer Statek than this one. */
export class StoreNewerError extends StatekError {
  readonly code = 'STORE_NEWER';
}

/** The disk is full. Nothing was written; writes work again once there is space. */
export class StoreFullError extends StatekError {
  readonly code = 'STORE_FULL';
}

/** The process lacks permission to read or write the store. */
export class StorePermissionError extends StatekError {
  readonly code = 'STORE_PERMISSION';
}

/** Another process held the write lock for too long. Nothing was written. */
export class StoreBusyError extends StatekError {
  readonly code = 'STORE_BUSY';
}

/** The store is unreachable. The call had no effect; retry when the store is back. */
export class StoreUnavailableError extends StatekError {
  readonly code = 'STORE_UNAVAILABLE';
}

/** The store stopped responding during a commit, which may or may not have happened. */
export class StoreUnknownOutcomeError extends StatekError {
  readonly code = 'STORE_UNKNOWN_OUTCOME';
}

/**
 * The server lost commits that this process had already seen, such as by a failover to a replica that lagged behind. The
 * store refuses every further call; restart the process, which then works with what is there.
 */
export class StoreRolledBackError extends StatekError {
  readonly code = 'STORE_ROLLED_BACK';
}

/** A backup can only be loaded into a store that nothing was committed to. */
export class StoreNotEmptyError extends StatekError {
  readonly code = 'STORE_NOT_EMPTY';
}

/** The store was closed. */
export class StoreClosedError extends StatekError {
  readonly code = 'STORE_CLOSED';
}

const classes = {
  STORE_ARGUMENT: StoreArgumentError,
  STORE_FEATURE: StoreFeatureError,
  STORE_CONFLICT: StoreConflictError,
  STORE_REVISION_GONE: StoreRevisionGoneError,
  STORE_CORRUPT: StoreCorruptError,
  STORE_FOREIGN: StoreForeignError,
  STORE_NEWER: StoreNewerError,
  STORE_FULL: StoreFullError,
  STORE_PERMISSION: StorePermissionError,
  STORE_BUSY: StoreBusyError,
  STORE_UNAVAILABLE: StoreUnavailableError,
  STORE_UNKNOWN_OUTCOME: StoreUnknownOutcomeError,
  STORE_ROLLED_BACK: StoreRolledBackError,
  STORE_NOT_EMPTY: StoreNotEmptyError,
  STORE_CLOSED: StoreClosedError,
} as const;

/** An error as it travels between threads. */
export interface ErrorMessage {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function toErrorMessage(error: unknown): ErrorMessage {
  if (error instanceof StatekError) return { code: error.code, message: error.message, details: error.details };
  return { code: '', message: error instanceof Error ? (error.stack ?? error.message) : String(error), details: {} };
}

export function fromErrorMessage({ code, message, details }: ErrorMessage): Error {
  if (code in classes) return new classes[code as keyof typeof classes](message, details);
  return new Error(message);
}
