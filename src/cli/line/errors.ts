// Errors of the command line itself.
import { StatekError } from '../../base/error.ts';

/** Wrong arguments or options. */
export class UsageError extends StatekError {
  readonly code = 'USAGE';
}

/** The configuration file is missing, cannot be loaded, or exports the wrong thing. */
export class ConfigError extends StatekError {
  readonly code = 'CONFIG';
}

/** The command would do harm, such as overwriting files. */
export class RefusedError extends StatekError {
  readonly code = 'REFUSED';
}

/** A port or an address cannot be listened on. */
export class CannotListenError extends StatekError {
  readonly code = 'CANNOT_LISTEN';
}

/** A shortened id or hash matches several. */
export class AmbiguousError extends StatekError {
  readonly code = 'AMBIGUOUS';
}

/** ^C, SIGTERM, or a closed output. Not reported as an error. */
export class Interrupted extends Error {
  readonly signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE';

  constructor(signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE') {
    super(signalName);
    this.signalName = signalName;
  }
}
