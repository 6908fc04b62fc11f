// Why a step's text is refused. All of these are thrown before anything of the step has run.
import { StatekError } from '../../../base/error.ts';
import type { Position } from './positions.ts';

/** Where in the author's text, and those lines with a mark. */
export interface CellPlace extends Position {
  /** The step's name, such as `step 7`. */
  readonly cell: string;
  /** A few lines of the author's text with a caret under the place. */
  readonly frame: string;
}

/** A text that cannot be run as a step. `reason` is the message without the place. */
export abstract class CellError extends StatekError {
  readonly reason: string;
  readonly line: number;
  readonly column: number;
  readonly frame: string;

  constructor(reason: string, place: CellPlace, cause?: unknown) {
    const { cell, line, column, frame } = place;
    super(
      `${reason} (${cell}, line ${line}, column ${column})\n${frame}`,
      { cell, line, column, frame, reason },
      cause,
    );
    this.reason = reason;
    this.line = line;
    this.column = column;
    this.frame = frame;
  }
}

/** The text is not TypeScript, or uses a part of it that steps do not have. */
export class CellSyntaxError extends CellError {
  readonly code = 'CELL_SYNTAX';
}

/** An `import` names a module that was not registered. */
export class CellImportError extends CellError {
  readonly code = 'CELL_IMPORT';
}

/** A declaration takes a name that a workspace variable cannot have. */
export class CellNameError extends CellError {
  readonly code = 'CELL_NAME';
}

/** The text is longer than a step may be, or nested deeper than it can be read. */
export class CellTooLargeError extends CellError {
  readonly code = 'CELL_TOO_LARGE';
}
