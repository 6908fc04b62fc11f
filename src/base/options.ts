// Rejects options that are misspelt or out of range, instead of ignoring them.
import { StatekError } from './error.ts';

/** An unknown option, or an invalid value of one. */
export class InvalidOptionError extends StatekError {
  readonly code = 'INVALID_OPTION';
}

/** Throws if `given` is not an object, or has a name that is not in `allowed`. */
export function refuseUnknownOptions(where: string, given: object, allowed: readonly string[]): void {
  if (typeof given !== 'object' || (given as object | null) === null || Array.isArray(given)) {
    throw new InvalidOptionError(
      `${where} takes an object of options, such as { ${allowed[0] ?? ''} }, not ${described(given)}.`,
      { where, allowed },
    );
  }
  for (const name of Object.keys(given)) {
    if (!allowed.includes(name)) {
      throw new InvalidOptionError(
        `${where} has no option '${name}'; it takes ${allowed.length === 0 ? 'none' : allowed.join(', ')}.`,
        { where, name, allowed },
      );
    }
  }
}

/** A value for error messages: data as literals, anything else by its type. */
export function described(value: unknown): string {
  if (typeof value === 'string') return value.length > 100 ? 'a text' : `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? `a ${value.constructor?.name ?? 'object'}` : String(value);
}

/** Returns `value` if it is a whole number from `min` to `max`; throws otherwise. */
export function wholeNumberOption(where: string, name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidOptionError(
      `${where}: option '${name}' must be a whole number from ${min} to ${max}, not ${String(value)}.`,
      { where, name, value: String(value) },
    );
  }
  return value;
}
