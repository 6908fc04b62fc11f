// A JSON schema as a type: what a tool takes and gives, told the way code would say it.
import { named, unionOf, unknownType, type TypeMember, type TypeNode } from '../syntax/type-node.ts';

/** A JSON schema, as data; `true` and `false` are schemas too. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** The member of a schema that names a durable class: its values are objects of the application. */
export const classKeyword = 'x-statek-class';

/** The member of a schema that marks a date. */
const markKeyword = 'x-statek';

/** How many parts of a schema are told: definitions that use each other twice would double at every level. */
const maxParts = 1000;

interface Reading {
  readonly root: JsonSchema;
  parts: number;
}

export function schemaType(schema: JsonSchema): TypeNode {
  return typeOf(schema, { root: schema, parts: 0 }, []);
}

function typeOf(schema: unknown, reading: Reading, within: readonly unknown[]): TypeNode {
  if (schema === false) return named('never');
  if (typeof schema !== 'object' || schema === null || ++reading.parts > maxParts) return unknownType;
  // A schema that refers to itself has no finite text; where it comes back to itself nothing more is said.
  if (within.includes(schema)) return unknownType;
  const known = schema as Readonly<Record<string, unknown>>;
  const inner = (part: unknown): TypeNode => typeOf(part, reading, [...within, schema]);
  const className = known[classKeyword];
  if (typeof className === 'string') return orNull(named(className), known);
  if (known[markKeyword] === 'date') return orNull(named('Date'), known);
  if (typeof known['$ref'] === 'string') return inner(resolve(known['$ref'], reading.root));
  if ('const' in known) return valueType(known['const']);
  if (Array.isArray(known['enum'])) return orNull(unionOf(known['enum'].map(valueType)), known);
  for (const word of ['anyOf', 'oneOf'])
    if (Array.isArray(known[word])) return orNull(unionOf((known[word] as unknown[]).map(inner)), known);
  if (Array.isArray(known['allOf'])) {
    const members = (known['allOf'] as unknown[]).map(inner);
    return members.length === 1 ? (members[0] as TypeNode) : { kind: 'intersection', members };
  }
  const { type } = known;
  if (Array.isArray(type)) return unionOf(type.map((one) => inner({ ...known, type: one as unknown })));
  return orNull(plainType(known, inner), known);
}

function plainType(known: Readonly<Record<string, unknown>>, inner: (part: unknown) => TypeNode): TypeNode {
  switch (known['type']) {
    case 'string':
      return named(known['format'] === 'date-time' || known['format'] === 'date' ? 'Date' : 'string');
    case 'number':
    case 'boolean':
    case 'null':
      return named(known['type']);
    case 'integer':
      return named('integer');
    case 'array':
      if (Array.isArray(known['prefixItems']))
        return { kind: 'tuple', elements: (known['prefixItems'] as unknown[]).map(inner) };
      return { kind: 'array', element: inner(known['items']) };
    case 'object':
    case undefined:
      return known['type'] === 'object' || known['properties'] !== undefined ? objectType(known, inner) : unknownType;
    default:
      return unknownType;
  }
}

function objectType(known: Readonly<Record<string, unknown>>, inner: (part: unknown) => TypeNode): TypeNode {
  const rest = known['additionalProperties'];
  const members = schemaMembers(known, inner);
  if (typeof rest === 'object' && rest !== null) return { kind: 'object', members, index: inner(rest) };
  return members.length === 0 && rest !== false
    ? { kind: 'object', members, index: unknownType }
    : { kind: 'object', members };
}

/** The members of an object schema in their order, with what is said of each. */
export function schemaMembers(schema: JsonSchema, inner?: (part: unknown) => TypeNode): TypeMember[] {
  if (typeof schema === 'boolean') return [];
  const reading = { root: schema, parts: 0 };
  const read = inner ?? ((part: unknown): TypeNode => typeOf(part, reading, [schema]));
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, unknown>>).map(([name, part]) => {
    const text = (part as { description?: unknown } | null)?.description;
    return {
      name,
      type: read(part),
      ...(required.includes(name) ? {} : { optional: true as const }),
      ...(typeof text === 'string' ? { text } : {}),
    };
  });
}

function orNull(type: TypeNode, known: Readonly<Record<string, unknown>>): TypeNode {
  return known['nullable'] === true ? unionOf([type, named('null')]) : type;
}

function valueType(value: unknown): TypeNode {
  if (value === null) return named('null');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { kind: 'literal', value };
  const json = JSON.stringify(value) as string | undefined;
  return { kind: 'text', text: json ?? 'unknown' };
}

/** `#/$defs/Meeting`: a place in the same schema. */
function resolve(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return true;
  let place: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    place = (place as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }
  return place ?? true;
}
