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
  const name = constructor?.name;
  if (name === undefined || name === '' || name === 'Object') return 'an object';
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
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
      `${where}: option '${name}' must be a whole number from ${min} to ${max}, not ${described(value)}.`,
      { where, name, value: String(value) },
    );
  }
  return value;
}

/** Returns `value` if it is a text of at least one character; throws otherwise. */
export function textOption(where: string, name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidOptionError(
    `${where}: ${name} must be a text, not ${value === '' ? 'an empty one' : described(value)}.`,
    {
      where,
      name,
    },
  );
}

/** Returns `value` if it is a list; throws otherwise. */
export function listOption<Item>(where: string, name: string, value: readonly Item[]): readonly Item[] {
  if (Array.isArray(value)) return value as readonly Item[];
  throw new InvalidOptionError(`${where}: '${name}' must be a list, as in [${name}], not ${described(value)}.`, {
    where,
    name,
  });
}

/** Returns `value` if it is a Date with a time; throws otherwise. */
export function dateOption(where: string, name: string, value: unknown): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  const not = value instanceof Date ? 'one without a time' : described(value);
  throw new InvalidOptionError(`${where}: option '${name}' must be a Date, not ${not}.`, { where, name });
}

/** Throws unless `value` is a function. */
export function functionOption(where: string, name: string, value: unknown): void {
  if (typeof value !== 'function')
    throw new InvalidOptionError(`${where}: ${name} must be a function, not ${described(value)}.`, { where, name });
}

/** Returns `value` if it is a number of milliseconds; throws otherwise. */
export function millisecondsOption(where: string, name: string, value: unknown): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw new InvalidOptionError(`${where}: ${name} must be a number of milliseconds, not ${described(value)}.`, {
    where,
    name,
  });
}
