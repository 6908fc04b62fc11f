// What can be wrong with examples.
import { StatekError } from '../../base/error.ts';

/** An example's file cannot be used. */
export class ExampleFileError extends StatekError {
  readonly code = 'EXAMPLE_FILE';
}

/** There is no such example, or several. */
export class ExampleNotFoundError extends StatekError {
  readonly code = 'EXAMPLE_NOT_FOUND';
}
