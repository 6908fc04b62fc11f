// What callers give: names of options that exist, each with a value of its kind. What is stored as a fact is checked before, so that no
// reader ever meets anything else.
import { described, InvalidOptionError, refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import { encodeJson } from '../../store/door.ts';
import { maxNameLength } from './names.ts';

/** What a value must be, if it is not; undefined if it is. A value inside of it that cannot be stored is an error of its own. */
export type Kind = (value: unknown, where: string) => string | undefined;

interface Required extends Kind {
  readonly isRequired: true;
}

/** A kind for each option; those that must be given are `required`. */
export type Kinds<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name] ? Kind : Required;
};

/** Refuses options that do not exist, that are missing, and values of another kind. */
export function checkGiven<Options extends object>(
  where: string,
  given: Options,
  kinds: Kinds<NoInfer<Options>> & Readonly<Record<string, Kind>>,
): void {
  refuseUnknownOptions(where, given, kinds as OptionNames<Options>);
  checkMembers(where, given, kinds);
}

/** Refuses values of another kind; there may be others besides, of which nothing is known. */
export function checkMembers<Options extends object>(
  where: string,
  given: Options,
  kinds: Kinds<NoInfer<Options>> & Readonly<Record<string, Kind>>,
): void {
  checkArgument(where, 'it', given, is.object);
  for (const [name, kindOfOption] of Object.entries<Kind>(kinds)) {
    const value: unknown = given[name as keyof Options];
    if (value === undefined && !('isRequired' in kindOfOption)) continue;
    refuseUnless(kindOfOption, where, `option '${name}'`, name, value);
  }
}

/** Refuses an argument of another kind. */
export function checkArgument(where: string, name: string, value: unknown, kindOfArgument: Kind): void {
  refuseUnless(kindOfArgument, where, name, name, value);
}

/** An option that must be given. */
export function required(kindOfOption: Kind): Required {
  const checked: Kind = (value, where) => kindOfOption(value, where);
  return Object.assign(checked, { isRequired: true as const });
}

function refuseUnless(kindOfValue: Kind, where: string, what: string, name: string, value: unknown): void {
  const expected = kindOfValue(value, `${where}: ${name}`);
  if (expected === undefined) return;
  const given = typeof value === 'string' && value.length > 100 ? `one of ${value.length}` : described(value);
  throw new InvalidOptionError(`${where}: ${what} must be ${expected}, not ${given}.`, { where, name });
}

/** A kind of its own. */
function own(holds: (value: unknown) => boolean, expected: string): Kind {
  return (value) => (holds(value) ? undefined : expected);
}

function nameUpTo(maxLength: number): Kind {
  return own(
    (value) => typeof value === 'string' && value !== '' && value.length <= maxLength,
    `a text of 1 to ${maxLength} characters`,
  );
}

function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Kind {
  return own(
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    `a whole number${max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`}`,
  );
}

function within(min: number, max: number): Kind {
  const range = max === Number.POSITIVE_INFINITY ? `, ${min} or more` : ` from ${min} to ${max}`;
  return own(
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max,
    `a number${range}`,
  );
}

function oneOf(values: Readonly<Record<string, string>> | readonly string[]): Kind {
  const allowed: readonly unknown[] = Object.values(values);
  return own((value) => allowed.includes(value), allowed.map((each) => `'${String(each)}'`).join(' or '));
}

function listOf(each: Kind): Kind {
  return (value, where) => {
    if (!Array.isArray(value)) return 'a list';
    const wrong = value.map((item, index) => each(item, `${where}[${index}]`)).find((one) => one !== undefined);
    return wrong === undefined ? undefined : `a list in which each is ${wrong}`;
  };
}

const json: Kind = (value, where) => {
  encodeJson(value ?? null, where);
  return undefined;
};

const object = own((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object');

/** What options and arguments can be. */
export const is = {
  anything: (() => undefined) as Kind,
  text: own((value) => typeof value === 'string', 'a text'),
  /** A text that can be part of a key. */
  name: nameUpTo(maxNameLength),
  nameUpTo,
  /** The name of a report. */
  reportKey: nameUpTo(800),
  flag: own((value) => typeof value === 'boolean', 'true or false'),
  date: own((value) => value instanceof Date && !Number.isNaN(value.getTime()), 'a Date with a time'),
  whole,
  /** A whole number of something. */
  count: whole(0),
  within,
  /** A number that is not negative, such as a duration. */
  amount: within(0, Number.POSITIVE_INFINITY),
  /** A part of a whole. */
  part: within(0, 1),
  /** One of the values of a constant such as `WorkflowStatus`. */
  oneOf,
  listOf,
  action: own((value) => typeof value === 'function', 'a function'),
  signal: own((value) => value instanceof AbortSignal, 'an AbortSignal'),
  /** A value that is stored as it is. */
  json,
  object,
  /** An object that is stored as it is. */
  record: ((value, where) => object(value, where) ?? json(value, where)) as Kind,
  own,
} as const;
