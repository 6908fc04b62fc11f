// Schemas of tools, in TypeScript and in Python.
import { describe, expect, test } from 'vitest';
import { pythonSignature } from './print-python.ts';
import { typescriptSignature } from './print-typescript.ts';
import { pythonType, snakeCase } from './python-type.ts';
import { schemaType, type JsonSchema } from './schema-type.ts';
import { toolDeclaration } from '../tool-declaration.ts';
import { typescriptType } from '../syntax/type-node.ts';
import { parseType } from '../syntax/type-syntax.ts';

describe('schemas', () => {
  const object = { type: 'object', properties: { a: { type: 'string' }, 'b c': { type: 'integer' } }, required: ['a'] };
  test.each<[JsonSchema, string, string]>([
    [{ type: 'string' }, 'string', 'str'],
    [{ type: 'integer' }, 'number', 'int'],
    [{ type: 'number' }, 'number', 'float'],
    [{ type: 'string', format: 'date-time' }, 'Date', 'datetime'],
    [{ enum: ['a', "it's", 2, null] }, "'a' | 'it\\'s' | 2 | null", "Literal['a', 'it\\'s', 2] | None"],
    [{ const: true }, 'true', 'Literal[True]'],
    [{ type: ['string', 'null'] }, 'string | null', 'str | None'],
    [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, 'null | string', 'str | None'],
    [
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      '(string | number)[]',
      'list[str | float]',
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }, {}] }, '[string, unknown]', 'tuple[str, Any]'],
    [object, "{ a: string; 'b c'?: number }", "TypedDict[{'a': str, 'b c': NotRequired[int]}]"],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>', 'dict[str, bool]'],
    [{ type: 'object' }, 'Record<string, unknown>', 'dict[str, Any]'],
    [{ allOf: [{ type: 'string' }] }, 'string', 'str'],
    [{ 'x-statek-class': 'Meeting' }, 'Meeting', 'Meeting'],
    [{ $ref: '#/$defs/Day', $defs: { Day: { enum: ['mon', 'tue'] } } }, "'mon' | 'tue'", "Literal['mon', 'tue']"],
    [{ type: 'string', 'x-statek': 'date' }, 'Date', 'datetime'],
    [{}, 'unknown', 'Any'],
    [true, 'unknown', 'Any'],
    [false, 'never', 'Never'],
  ])('%j', (schema, typescript, python) => {
    expect(typescriptType(schemaType(schema))).toBe(typescript);
    expect(pythonType(schemaType(schema))).toBe(python);
  });

  test('that refer to themselves end', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
    expect(typescriptType(schemaType(tree))).toBe('{ children?: unknown[] }');
  });
});

test('a schema that doubles at every level is told in part', () => {
  const levels = Array.from({ length: 40 }, (_, index) => [
    `L${index}`,
    { type: 'object', properties: { a: { $ref: `#/$defs/L${index + 1}` }, b: { $ref: `#/$defs/L${index + 1}` } } },
  ]);
  const text = typescriptType(schemaType({ $ref: '#/$defs/L0', $defs: Object.fromEntries(levels) as object }));
  expect(text.length).toBeLessThan(100_000);
});

test.each([
  ['Promise<Map<string, readonly Meeting[]>>', 'Promise<Map<string, Meeting[]>>', 'dict[str, list[Meeting]]'],
  ['(a: string, b?: number) => void', '(a: string, b?: number) => void', 'Callable[[str, float], None]'],
  ["{ readonly a?: 'x' | 1 }", "{ readonly a?: 'x' | 1 }", "TypedDict[{'a': NotRequired[Literal['x', 1]]}]"],
  ['{ [name: string]: bigint }', 'Record<string, bigint>', 'dict[str, int]'],
  ['[a: string, b: Date]', '[string, Date]', 'tuple[str, datetime]'],
  ['keyof Meeting', 'keyof Meeting', 'Any'],
  ['{{ nonsense', '{{ nonsense', 'Any'],
])('types in source: %s', (text, typescript, python) => {
  expect(typescriptType(parseType(text))).toBe(typescript);
  expect(pythonType(parseType(text))).toBe(python);
});

test('tools take what they need in order, and the rest in a last object', () => {
  const book = toolDeclaration({
    name: 'bookRoom',
    description: 'Books a room.\n\nLong story.',
    input: {
      type: 'object',
      properties: {
        startsAt: { type: 'string', format: 'date-time', description: 'The start.' },
        notes: { type: 'string' },
        title: { type: 'string' },
      },
      required: ['title', 'startsAt'],
    },
    output: { 'x-statek-class': 'Meeting' },
    async: true,
  });
  expect(typescriptSignature(book)).toBe(
    'bookRoom(startsAt: Date, title: string, options?: { notes?: string }): Promise<Meeting>',
  );
  expect(pythonSignature(book)).toBe(
    'book_room(starts_at: datetime, title: str, *, notes: str | None = None) -> Meeting',
  );
  expect(book.doc).toMatchObject({
    brief: 'Books a room.',
    details: 'Long story.',
    parameters: [{ name: 'startsAt', text: 'The start.' }],
  });
  expect(typescriptSignature(toolDeclaration({ name: 'now' }))).toBe('now()');
});

test.each([
  ['findMeeting', 'find_meeting'],
  ['findURLOf', 'find_url_of'],
  ['MAX', 'MAX'],
  ['HTMLPage2Text', 'html_page2_text'],
  ['already_snake', 'already_snake'],
])('%s is %s', (name, expected) => {
  expect(snakeCase(name)).toBe(expected);
});
