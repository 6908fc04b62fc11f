// What can be wrong with the files people write for agents.
import { StatekError } from '../../base/error.ts';
import { shownPath } from '../files/shown-path.ts';

/** A prompt file cannot be used: the message says which line is wrong, and what it should be. */
export class PromptFileError extends StatekError {
  readonly code = 'PROMPT_FILE';
}

/** There is no prompt file for the role. */
export class PromptMissingError extends StatekError {
  readonly code = 'PROMPT_MISSING';
}

/** A prompt was asked for without a value for one of its placeholders. */
export class PromptValueError extends StatekError {
  readonly code = 'PROMPT_VALUE';
}

export function promptFileError(path: string, line: number, message: string): PromptFileError {
  return new PromptFileError(`${shownPath(path)}:${line} ${message}`, { path, line });
}
