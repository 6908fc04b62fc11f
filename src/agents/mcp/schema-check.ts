// Checks values against the JSON Schema of a stranger. What it finds wrong is wrong; what it does not understand ($ref,
// patterns, combinations) it leaves to the server. Validators that understand everything can be made to work for hours
// by a schema that was written for it; this one looks at each part of a value once.
import type { JsonObject } from '../../models/door.ts';
import type { StandardSchema } from '../tools/schema.ts';

interface Issue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

const maxIssues = 10;
const deepest = 30;

/** The server's schema, as the rest of the system takes schemas: told exactly, and checked as far as that is safe. */
export function strangersSchema(json: JsonObject): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      jsonSchema: { input: () => json },
      validate: (value) => {
        const issues = issuesOf(json, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

export function issuesOf(schema: unknown, value: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  visit(schema, value, [], issues);
  return issues;
}

function visit(schema: unknown, value: unknown, path: readonly (string | number)[], issues: Issue[]): void {
  if (!isObject(schema) || path.length > deepest || issues.length >= maxIssues) return;
  const problem = (message: string): void => void issues.push({ message, path });
  const { type, const: only, enum: some } = schema;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as unknown[]) : [];
  if (types.length > 0 && !types.some((one) => isOf(one, value)))
    return problem(`expected ${types.map(String).join(' or ')}, not ${typeName(value)}`);
  if (isPlain(only) && isPlain(value) && only !== value) return problem(`expected ${JSON.stringify(only)}`);
  if (Array.isArray(some) && some.every(isPlain) && !some.includes(value))
    return problem(`expected one of ${JSON.stringify(some.slice(0, 20))}`);
  if (typeof value === 'number') checkNumber(schema, value, problem);
  if (typeof value === 'string') checkSize(schema, value.length, 'Length', 'characters', problem);
  if (Array.isArray(value)) {
    checkSize(schema, value.length, 'Items', 'items', problem);
    if (isObject(schema['items']))
      for (const [index, item] of value.entries()) visit(schema['items'], item, [...path, index], issues);
  } else if (isObject(value)) checkMembers(schema, value, path, issues);
}

function checkMembers(
  schema: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
  issues: Issue[],
): void {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const known = isObject(properties) ? properties : {};
  for (const name of Array.isArray(required) ? (required as unknown[]) : [])
    if (typeof name === 'string' && (!Object.hasOwn(value, name) || value[name] === undefined))
      issues.push({ message: 'is missing', path: [...path, name] });
  for (const [name, member] of Object.entries(value)) {
    if (issues.length >= maxIssues) return;
    if (Object.hasOwn(known, name)) {
      if (member !== undefined) visit(known[name], member, [...path, name], issues);
    } else if (additionalProperties === false && !isObject(patternProperties))
      issues.push({ message: 'is not known', path: [...path, name] });
    else if (!isObject(patternProperties)) visit(additionalProperties, member, [...path, name], issues);
  }
}

function checkNumber(schema: Readonly<Record<string, unknown>>, value: number, problem: (text: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === 'number' && value < minimum) problem(`must be at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) problem(`must be at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    problem(`must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    problem(`must be less than ${exclusiveMaximum}`);
}

function checkSize(
  schema: Readonly<Record<string, unknown>>,
  size: number,
  what: 'Length' | 'Items',
  unit: string,
  problem: (text: string) => void,
): void {
  const least = schema[`min${what}`];
  const most = schema[`max${what}`];
  // Characters are counted differently here and there; at twice the number it is certain.
  if (typeof least === 'number' && size < least) problem(`needs at least ${least} ${unit}`);
  if (typeof most === 'number' && size > (what === 'Length' ? most * 2 : most))
    problem(`takes at most ${most} ${unit}`);
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
