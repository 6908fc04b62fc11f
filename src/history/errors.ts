// The errors of the history. Corrupt data is never partly loaded: an image is either byte for byte what was committed, or
// loading it throws one of these.
import { StatekError } from '../base/error.ts';

/** The call itself is wrong: an image of the wrong size, a page out of range, an invalid name. */
export class HistoryArgumentError extends StatekError {
  readonly code = 'HISTORY_ARGUMENT';
}

/** A limit of this history is exceeded. Nothing was stored. */
export class HistoryTooLargeError extends StatekError {
  readonly code = 'HISTORY_TOO_LARGE';
}

/** No chain has this name. */
export class HistoryUnknownChainError extends StatekError {
  readonly code = 'HISTORY_UNKNOWN_CHAIN';
}

/** A chain with this name exists, or is still being removed. */
export class HistoryChainExistsError extends StatekError {
  readonly code = 'HISTORY_CHAIN_EXISTS';
}

/** The chain has no such commit: it never existed, or retention dropped it. */
export class HistoryUnknownCommitError extends StatekError {
  readonly code = 'HISTORY_UNKNOWN_COMMIT';
}

/** A head was used again after a commit was made on it. */
export class HistoryStaleHeadError extends StatekError {
  readonly code = 'HISTORY_STALE_HEAD';
}

/** Stored bytes are missing, or differ from what was committed. */
export class HistoryDamagedError extends StatekError {
  readonly code = 'HISTORY_DAMAGED';
}

/** The stored bytes were not written by Statek. */
export class HistoryForeignError extends StatekError {
  readonly code = 'HISTORY_FOREIGN';
}

/** The history was written by a newer Statek than this one. */
export class HistoryNewerError extends StatekError {
  readonly code = 'HISTORY_NEWER';
}

/** Another process started to collect, so this one stopped. Everything it removed was unneeded. */
export class HistoryCollectorReplacedError extends StatekError {
  readonly code = 'HISTORY_COLLECTOR_REPLACED';
}
