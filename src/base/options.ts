// An option that is misspelt or out of range must be refused, never ignored.
import { StatekError } from './error.ts';

/** An option that does not exist, or a value it cannot take. */
export class InvalidOptionError extends StatekError {
  readonly code = 'INVALID_OPTION';
}

/** Refuses every name in `given` that is not in `allowed`. */
export function refuseUnknownOptions(where: string, given: object, allowed: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (!allowed.includes(name)) {
      throw new InvalidOptionError(
        `${where} has no option '${name}'; it takes ${allowed.length === 0 ? 'none' : allowed.join(', ')}.`,
        { where, name, allowed },
      );
    }
  }
}

/** Returns `value` if it is a whole number within the bounds, and refuses it otherwise. */
export function wholeNumberOption(where: string, name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new InvalidOptionError(
      `${where}: option '${name}' must be a whole number from ${least} to ${most}, not ${String(value)}.`,
      { where, name, value: String(value) },
    );
  }
  return value;
}
