// How values fail to cross between host and guest.
import { StatekError } from '../../base/error.ts';

/** A value that cannot cross between the application and guest code, with the path to it. */
export class WireValueError extends StatekError {
  readonly code = 'WIRE_VALUE';
}

/** A value that is larger than the limit for crossing. */
export class WireSizeError extends StatekError {
  readonly code = 'WIRE_SIZE';
}

/** A message from the guest that no boot code would send. */
export class WireDamagedError extends StatekError {
  readonly code = 'WIRE_DAMAGED';
}
