// Schemas of the application in one form: JSON Schema for models, and a check that also makes dates of their texts.
// zod is understood best; any other Standard Schema that can tell its JSON Schema works too, and so does JSON Schema.
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../models/door.ts';
import { classKeyword } from '../docs/print/schema-type.ts';
import { AgentSettingsError } from '../errors.ts';

/** What every schema library offers (standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string }[] }
      | Promise<
          | { readonly value: Output; readonly issues?: undefined }
          | { readonly issues: readonly { readonly message: string }[] }
        >;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: unknown;
  };
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of what a schema is given. */
export type InferInput<Schema> = Schema extends StandardSchema<infer Input, infer _Output> ? Input : never;
/** The type of what a schema makes of it. */
export type InferOutput<Schema> = Schema extends StandardSchema<infer _Input, infer Output> ? Output : never;

/** A schema of the application, read. */
export interface ReadSchema {
  /** What a model is told. */
  readonly json: JsonObject;
  /** The same with marks on what is a date or an object of the application. */
  readonly marked: JsonObject;
  /** The value as the schema wants it, or what is wrong with it. */
  check(value: unknown): { readonly value: unknown } | { readonly issues: readonly string[] };
}

/** Marks what JSON has no word for. */
export const mark = 'x-statek';

/** The schema of an object of a class: from code the object itself, from a provider's tool call the name of a variable. */
export function ref<Instance extends object>(
  target: abstract new (...parameters: never[]) => Instance,
): z.ZodType<Instance, Instance> {
  const { name } = target;
  return z
    .custom<Instance>((value) => value instanceof target, { message: `expected ${name}` })
    .meta({ [mark]: 'ref', [classKeyword]: name, description: `The name of a variable that holds ${name}` });
}

const known = new WeakMap<object, ReadSchema>();

export function readSchema(where: string, given: unknown): ReadSchema {
  if (typeof given !== 'object' && typeof given !== 'function') throw notASchema(where);
  if (given === null) throw notASchema(where);
  let read = known.get(given);
  if (read === undefined) known.set(given, (read = read_(where, given)));
  return read;
}

function read_(where: string, given: object): ReadSchema {
  if ('~standard' in given) {
    const schema = given as StandardSchema;
    const marked = schema['~standard'].vendor === 'zod' ? zodJson(given as z.ZodType) : foreignJson(where, schema);
    return readFrom(where, marked, schema);
  }
  // The AI SDK wraps JSON Schema, and may know how to check it.
  const { jsonSchema } = given as { jsonSchema?: unknown };
  const json = jsonSchema ?? given;
  if (typeof json !== 'object' || json instanceof Promise) throw notASchema(where);
  try {
    return readFrom(where, json as JsonObject, z.fromJSONSchema(json as never));
  } catch (error) {
    if (error instanceof AgentSettingsError) throw error;
    throw new AgentSettingsError(`${where}: the JSON Schema cannot be read: ${String(error)}`, { where }, error);
  }
}

function readFrom(where: string, marked: JsonObject, schema: StandardSchema): ReadSchema {
  const { $schema: _schema, ...rest } = marked;
  return {
    marked: rest,
    json: unmarked(rest) as JsonObject,
    check: (value) => {
      const result = schema['~standard'].validate(withDates(value, rest));
      if (result instanceof Promise)
        throw new AgentSettingsError(`${where}: a schema that checks asynchronously cannot be used here.`, { where });
      return result.issues === undefined ? { value: result.value } : { issues: result.issues.map(issueText) };
    },
  };
}

function zodJson(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const written = jsonSchema as Record<string, unknown>;
      if (zodSchema._zod.def.type === 'date')
        Object.assign(written, { type: 'string', format: 'date-time', [mark]: 'date' });
      if (written[mark] === 'ref') written['type'] = 'string';
    },
  }) as JsonObject;
}

function foreignJson(where: string, schema: StandardSchema): JsonObject {
  const { jsonSchema } = schema['~standard'] as { jsonSchema?: { input?: (options: object) => unknown } };
  if (typeof jsonSchema?.input !== 'function')
    throw new AgentSettingsError(
      `${where}: the schema of '${schema['~standard'].vendor}' does not tell its JSON Schema. Use zod, or JSON Schema itself.`,
      { where },
    );
  return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
}

/** Texts become dates where the schema says date; where it says a text that is a date, dates become texts. */
function withDates(value: unknown, schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return value;
  const { [mark]: marked, properties, items, anyOf, type, format } = schema as Record<string, unknown>;
  if (marked === undefined && type === 'string' && value instanceof Date) {
    const text = value.toISOString();
    return format === 'date' ? text.slice(0, 10) : format === 'date-time' ? text : value;
  }
  if (marked === 'date') return typeof value === 'string' ? dateOf(value) : value;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withDates(item, items));
  if (Array.isArray(anyOf)) {
    const date: unknown = anyOf.find((one) => (one as Record<string, unknown>)[mark] === 'date');
    return date === undefined ? value : withDates(value, date);
  }
  if (typeof properties !== 'object' || properties === null || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withDates(member, (properties as Record<string, unknown>)[name]),
    ]),
  );
}

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

function dateOf(text: string): unknown {
  if (!iso.test(text)) return text;
  // A time without a zone is in UTC, as in the workspace, and not in the zone of whichever machine works.
  const hasTime = /[T ]\d/.test(text);
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10));
  const date = new Date(hasTime && !hasZone ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(date.getTime()) ? text : date;
}

/** Data that is written with braces. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unmarked(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== mark && name !== classKeyword)
      .map(([name, member]) => [name, unmarked(member)]),
  );
}

function issueText({ message, path = [] }: StandardIssue): string {
  const names = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return names.length === 0 ? message : `${names.join('.')}: ${message}`;
}

function notASchema(where: string): AgentSettingsError {
  return new AgentSettingsError(
    `${where}: this is not a schema. Give a Standard Schema (such as zod's) or JSON Schema.`,
    {
      where,
    },
  );
}
