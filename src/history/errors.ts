// Every way the history can refuse. Damage is never half-loaded: an image is either byte for byte what was committed,
// or one of these.
import { StatekError } from '../base/error.ts';

/** The call itself is wrong: an image of an odd size, a page out of range, a name that cannot be used. */
export class HistoryArgumentError extends StatekError {
  readonly code = 'HISTORY_ARGUMENT';
}

/** Something is larger than the limits of this history. Nothing was stored. */
export class HistoryTooLargeError extends StatekError {
  readonly code = 'HISTORY_TOO_LARGE';
}

/** There is no chain of this name. */
export class HistoryUnknownChainError extends StatekError {
  readonly code = 'HISTORY_UNKNOWN_CHAIN';
}

/** A chain of this name exists, or is still being removed. */
export class HistoryChainExistsError extends StatekError {
  readonly code = 'HISTORY_CHAIN_EXISTS';
}

/** The chain has no such commit: it never had, or retention has dropped it. */
export class HistoryUnknownCommitError extends StatekError {
  readonly code = 'HISTORY_UNKNOWN_COMMIT';
}

/** A head was used again after a commit was made on it. */
export class HistoryStaleHeadError extends StatekError {
  readonly code = 'HISTORY_STALE_HEAD';
}

/** Stored bytes are missing or are not what was committed. */
export class HistoryDamagedError extends StatekError {
  readonly code = 'HISTORY_DAMAGED';
}

/** Bytes in the place of an image were not written by Statek. */
export class HistoryForeignError extends StatekError {
  readonly code = 'HISTORY_FOREIGN';
}

/** The history was written by a newer Statek than this one. */
export class HistoryNewerError extends StatekError {
  readonly code = 'HISTORY_NEWER';
}

/** Another process began to collect, so this one stopped. What it had removed by then was not needed. */
export class HistoryCollectorReplacedError extends StatekError {
  readonly code = 'HISTORY_COLLECTOR_REPLACED';
}
