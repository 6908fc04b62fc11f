// How code calls a tool: its required fields in the order of the schema, the rest in a last object, or one object for all.
import type { JsonObject } from '../../models/door.ts';
import { isSameName } from '../../workspace/door.ts';
import { snakeCase } from '../docs/print/python-type.ts';
import type { Language } from '../prompts/metadata.ts';
import { isRecord } from './schema.ts';

export function fieldsOf({ properties, required }: JsonObject): { names: string[]; required: string[] } {
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const needed = Array.isArray(required) ? required.map(String) : [];
  return { names, required: names.filter((name) => needed.includes(name)) };
}

/** What a call gave cannot be bound to the names of the schema. */
export class UnboundParametersError extends TypeError {}

/** The input that the parameters of a call stand for, by the names of the schema. */
export function inputFrom(
  schema: JsonObject,
  parameters: readonly unknown[],
  named?: Readonly<Record<string, unknown>>,
): unknown {
  const { names, required } = fieldsOf(schema);
  if (names.length === 0) return onlyInput(named === undefined ? parameters : [...parameters, named]) ?? {};
  const order = [...required, ...names.filter((name) => !required.includes(name))];
  if (named !== undefined) return namedInput(order, parameters, named);
  if (parameters.length === 0) return {};
  const only = renamed(parameters[0], names);
  if (parameters.length === 1 && isRecord(only) && (isOneObject(only, names) || required.length === 0)) return only;
  refuseOtherMembers(parameters, only, names, required);
  const last = renamed(parameters.at(-1), names);
  const hasRest = parameters.length > required.length && isRecord(last) && isOneObject(last, names);
  const positional = hasRest ? parameters.slice(0, -1) : parameters;
  const given = membersAt(order, positional);
  const twice = hasRest ? Object.keys(last).find((name) => Object.hasOwn(given, name)) : undefined;
  if (twice !== undefined) throw new UnboundParametersError(`'${twice}' is given twice`);
  return hasRest ? { ...given, ...last } : given;
}

/** The one thing that is given to a tool whose schema has no names. */
export function onlyInput(parameters: readonly unknown[]): unknown {
  if (parameters.slice(1).some((value) => value !== undefined))
    throw new UnboundParametersError(`there are ${parameters.length} parameters, and it takes one`);
  return parameters[0];
}

function namedInput(
  order: readonly string[],
  positional: readonly unknown[],
  named: Readonly<Record<string, unknown>>,
): unknown {
  const input = membersAt(order, positional);
  for (const [key, value] of Object.entries(named)) {
    const name = order.includes(key) ? key : order.find((one) => isSameName(one, key));
    if (name === undefined) throw new UnboundParametersError(`there is no parameter '${key}'`);
    if (Object.hasOwn(input, name)) throw new UnboundParametersError(`'${name}' is given twice`);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

function membersAt(order: readonly string[], positional: readonly unknown[]): Record<string, unknown> {
  if (positional.length > order.length)
    throw new UnboundParametersError(`there are ${positional.length} parameters, and it takes ${order.length}`);
  return Object.fromEntries(
    positional.flatMap((value, index) => (value === undefined ? [] : [[order[index] as string, value] as const])),
  );
}

/** An object without the members that are nothing, and that may be left out. */
export function withoutNothing(schema: JsonObject, input: unknown): unknown {
  if (!isRecord(input)) return input;
  const { required } = fieldsOf(schema);
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== null || required.includes(name)));
}

/** The members of an object under the names of the schema: code may write them in snake_case or in camelCase. */
function renamed(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value) || Object.keys(value).every((key) => names.includes(key))) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const same = names.includes(key) ? [key] : names.filter((name) => isSameName(name, key));
      return [same.length === 1 ? (same[0] as string) : key, member];
    }),
  );
}

/** `(town, { units? })`; in Python `(town, units=None)`. */
export function signatureOf(schema: JsonObject, language: Language = 'typescript'): string {
  const { names, required } = fieldsOf(schema);
  if (language === 'python')
    return `(${[...required.map(snakeCase), ...names.filter((name) => !required.includes(name)).map((name) => `${snakeCase(name)}=None`)].join(', ')})`;
  const rest = names.filter((name) => !required.includes(name)).map((name) => `${name}?`);
  return `(${[...required, ...(rest.length === 0 ? [] : [`{ ${rest.join(', ')} }`])].join(', ')})`;
}

/** One object where several values are needed was meant to name them: what is wrong with it are the other names. */
function refuseOtherMembers(
  parameters: readonly unknown[],
  only: unknown,
  names: readonly string[],
  required: readonly string[],
): void {
  if (parameters.length !== 1 || required.length < 2 || !isRecord(only)) return;
  const given = Object.keys(only);
  const other = given.find((name) => !names.includes(name));
  if (other !== undefined && given.some((name) => names.includes(name)))
    throw new UnboundParametersError(`there is no parameter '${other}'`);
}

function isOneObject(value: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
