// Errors of the state manager.
import { StatekError } from '../../base/error.ts';

/** The entry has another version than the one given as `ifVersion`. Nothing was changed. */
export class StateVersionError extends StatekError {
  readonly code = 'STATE_VERSION';

  /** The version the entry has now; 0 if there is none. */
  get currentVersion(): number {
    return this.details['currentVersion'] as number;
  }
}

/** A value was encrypted with another key than the ones given, or was changed afterwards. */
export class StateDecryptionError extends StatekError {
  readonly code = 'STATE_DECRYPTION';
}
