// What differs between the languages agents write: names of fences, comments, and how a tool call is written as code.
import type { JsonObject, JsonValue } from '../models/door.ts';
import type { Language } from './prompts/metadata.ts';
import { mark } from './tools/schema.ts';
import { fieldsOf } from './tools/parameters.ts';

export interface Dialect {
  /** For people and models. */
  readonly title: string;
  /** What a fence of code to be run may be labelled with; the first one is used when code is shown. */
  readonly fences: readonly string[];
  /** The tool that runs code, where code is run through a tool. */
  readonly codeTool: string;
  readonly comment: string;
  /** What stands before a call that takes time. */
  readonly waits: string;
  /** The code that makes a tool call. */
  callOf(name: string, input: JsonObject, schema: JsonObject | undefined, positional: boolean): string;
}

const typescript: Dialect = {
  title: 'TypeScript',
  fences: ['ts', 'typescript', 'js', 'javascript', 'tsx', 'jsx', 'mts', 'mjs'],
  codeTool: 'ts_cli',
  comment: '//',
  waits: 'await ',
  callOf: (name, input, schema, positional) => {
    const value = (text: string, member: JsonObject): string => {
      const quoted = JSON.stringify(text);
      if (!bindable(text, member)) return quoted;
      return isText(member)
        ? `(typeof ${text} === 'string' ? ${text} : ${quoted})`
        : `(typeof ${text} === 'undefined' || typeof ${text} === 'function' ? ${quoted} : ${text})`;
    };
    const written = (given: JsonValue, member: JsonObject): string => {
      if (typeof given === 'string') return value(given, member);
      if (Array.isArray(given)) return `[${given.map((item) => written(item, itemsOf(member))).join(', ')}]`;
      return JSON.stringify(given);
    };
    const members = Object.entries(input).map(([key, given]) => [key, written(given, memberOf(schema, key))] as const);
    const object = `{ ${members.map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(', ')} }`;
    if (!positional) return `await ${name}(${object})`;
    const names = schema === undefined ? [] : fieldsOf(schema).names;
    const known = new Map(members);
    const last = names.findLastIndex((one) => known.has(one));
    return `await ${name}(${names
      .slice(0, last + 1)
      .map((one) => known.get(one) ?? 'undefined')
      .join(', ')})`;
  },
};

const python: Dialect = {
  title: 'Python',
  fences: ['python', 'py', 'python3', 'py3'],
  codeTool: 'python_cli',
  comment: '#',
  waits: '',
  callOf: (name, input, schema) => {
    const value = (text: string, member: JsonObject): string => {
      const quoted = JSON.stringify(text);
      if (!bindable(text, member)) return quoted;
      const found = `globals().get(${quoted})`;
      return isText(member)
        ? `(${text} if isinstance(${found}, str) else ${quoted})`
        : `(${quoted} if ${found} is None or type(${found}).__name__ in ('function', 'HostFunction') else ${text})`;
    };
    const written = (given: JsonValue, member: JsonObject): string => {
      if (typeof given === 'string') return value(given, member);
      if (given === null) return 'None';
      if (typeof given === 'boolean') return given ? 'True' : 'False';
      if (Array.isArray(given)) return `[${given.map((item) => written(item, itemsOf(member))).join(', ')}]`;
      if (typeof given === 'object')
        return `{${Object.entries(given)
          .map(([key, one]) => `${JSON.stringify(key)}: ${written(one, {})}`)
          .join(', ')}}`;
      return JSON.stringify(given);
    };
    const members = Object.entries(input).map(
      ([key, given]) => `${JSON.stringify(key)}: ${written(given, memberOf(schema, key))}`,
    );
    // As a dictionary, since a field may be called like a word of the language.
    return members.length === 0 ? `${name}()` : `${name}(**{${members.join(', ')}})`;
  },
};

export const dialects: Readonly<Record<Language, Dialect>> = { typescript, python };

const identifier = /^[A-Za-z_$][\w$]*$/;
const reserved = new Set(['true', 'false', 'null', 'undefined', 'this', 'NaN', 'Infinity', 'await', 'globalThis']);

/** Whether a text may be the name of a variable that is meant. A text the schema lists by itself is that text. */
function bindable(text: string, member: JsonObject): boolean {
  if (!identifier.test(text) || text.length > 100 || reserved.has(text) || keywords.has(text)) return false;
  return !Array.isArray(member['enum']) && member['const'] === undefined;
}

/** The schema wants a text: only a variable that holds one can be meant. */
function isText(member: JsonObject): boolean {
  return member['type'] === 'string' && member[mark] === undefined;
}

function memberOf(schema: JsonObject | undefined, name: string): JsonObject {
  const properties = schema?.['properties'];
  const member = (properties as Record<string, JsonObject> | undefined)?.[name];
  return typeof member === 'object' ? member : {};
}

function itemsOf(member: JsonObject): JsonObject {
  const { items } = member;
  return typeof items === 'object' && items !== null && !Array.isArray(items) ? items : {};
}

const keywords = new Set(
  'False None True and as assert async def del elif except from global is lambda nonlocal not or pass raise break case catch class const continue debugger default delete do else enum export extends finally for function if implements import in instanceof interface let new package private protected public return static super switch throw try typeof var void while with yield'.split(
    ' ',
  ),
);
