// How code calls a tool: its required fields in the order of the schema, the rest in a last object, or one object for all.
import type { JsonObject } from '../../models/json.ts';
import { isRecord } from './schema.ts';

export function fieldsOf({ properties, required }: JsonObject): { names: string[]; required: string[] } {
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const needed = Array.isArray(required) ? required.map(String) : [];
  return { names, required: names.filter((name) => needed.includes(name)) };
}

/** The input that the parameters of a call stand for. */
export function inputFrom(schema: JsonObject, parameters: readonly unknown[]): unknown {
  const { names, required } = fieldsOf(schema);
  if (names.length === 0) return parameters[0] ?? {};
  const [only] = parameters;
  if (parameters.length === 0) return {};
  if (parameters.length === 1 && isRecord(only) && (isOneObject(only, names) || required.length === 0)) return only;
  const order = [...required, ...names.filter((name) => !required.includes(name))];
  const last = parameters.at(-1);
  const hasRest = parameters.length > required.length && isRecord(last) && isOneObject(last, names);
  const positional = hasRest ? parameters.slice(0, -1) : parameters;
  const given = positional.flatMap((value, index) =>
    order[index] === undefined || value === undefined ? [] : [[order[index], value] as const],
  );
  const extra = positional.length > order.length ? { '(more parameters than there are)': positional.length } : {};
  return { ...Object.fromEntries(given), ...extra, ...(hasRest ? last : {}) };
}

/** `(town, { units? })` */
export function signatureOf(schema: JsonObject): string {
  const { names, required } = fieldsOf(schema);
  const rest = names.filter((name) => !required.includes(name)).map((name) => `${name}?`);
  return `(${[...required, ...(rest.length === 0 ? [] : [`{ ${rest.join(', ')} }`])].join(', ')})`;
}

function isOneObject(value: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
