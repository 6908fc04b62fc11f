// Rejects options that are misspelt or out of range, instead of ignoring them.
import { StatekError } from './error.ts';

/** An unknown option, or an invalid value of one. */
export class InvalidOptionError extends StatekError {
  readonly code = 'INVALID_OPTION';
}

/**
 * The names of options, checked against their type: one that is missing or misspelt does not compile. Of a union, the names of
 * all its members.
 *
 *     const names: OptionNames<RunOptions> = { ifBusy: true, allOrNothing: true };
 */
export type OptionNames<Options> = Readonly<Record<OptionName<Options>, unknown>>;

type OptionName<Options> = Options extends unknown ? keyof Options & string : never;

/** Refuses every name in `given` that is not in `names`, and what is not an object of options. */
export function refuseUnknownOptions<Options extends object>(
  where: string,
  given: Options,
  names: OptionNames<NoInfer<Options>>,
): void {
  const allowed = Object.keys(names);
  // Callers without types may give anything.
  const value: unknown = given;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
  if (typeof value !== 'object' || value === null) return String(value);
  // Objects without a prototype have no constructor.
  const { constructor } = value as { readonly constructor?: { readonly name?: string } };
  return `a ${constructor?.name ?? 'object'}`;
}

/** Returns `value` if it is one of the allowed strings; throws otherwise. */
export function choiceOption<const Allowed extends string>(
  where: string,
  name: string,
  value: unknown,
  allowed: readonly Allowed[],
): Allowed {
  const found = allowed.find((each) => each === value);
  if (found === undefined) {
    const choices = allowed.map((each) => `'${each}'`).join(' or ');
    throw new InvalidOptionError(`${where}: option '${name}' must be ${choices}, not ${described(value)}.`, {
      where,
      name,
      allowed,
    });
  }
  return found;
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
