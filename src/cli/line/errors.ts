// What can go wrong on the command line itself.
import { StatekError } from '../../base/error.ts';

/** The command line was used wrongly. */
export class UsageError extends StatekError {
  readonly code = 'USAGE';
}

/** The configuration file is missing, cannot be loaded, or exports something else. */
export class ConfigError extends StatekError {
  readonly code = 'CONFIG';
}

/** What was asked for would do harm, such as writing over files. */
export class RefusedError extends StatekError {
  readonly code = 'REFUSED';
}

/** A shortened id or hash fits several. */
export class AmbiguousError extends StatekError {
  readonly code = 'AMBIGUOUS';
}

/** Somebody pressed ^C, or the system asked the process to end. Not an error to be told of. */
export class Interrupted extends Error {
  readonly signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE';

  constructor(signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE') {
    super(signalName);
    this.signalName = signalName;
  }
}
