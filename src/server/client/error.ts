// What a client is told when the server could not do what it asked.
import { StatekError } from '../../base/error.ts';

/** The server refused a request, or could not do it: `details.code` is Statek's code, `details.status` that of HTTP. */
export class ServerAnswerError extends StatekError {
  readonly code = 'SERVER_ANSWER';
}

/** No server answered at the address, or what answered is not a server of Statek. */
export class ServerUnreachableError extends StatekError {
  readonly code = 'SERVER_UNREACHABLE';
}
