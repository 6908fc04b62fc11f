// LLM_TOOLS_SCOPE decides which tools are formal ones.
import { expect, test } from 'vitest';
import { isInScope, parseToolsScope, type ToolsScope } from './tools-scope.ts';

const tools = [
  { name: 'brief', system: true },
  { name: 'python_cli', system: true },
  { name: 'book', system: false },
  { name: 'cancel', system: false },
];

test.each([
  ['ALL', ['brief', 'python_cli', 'book', 'cancel']],
  ['SYSTEM', ['brief', 'python_cli']],
  ['application', ['book', 'cancel']],
  ['+book', ['book']],
  ['SYSTEM + book, cancel - brief,cancel', ['python_cli', 'book']],
  ['-book', []],
])('%s', (text, expected) => {
  const scope = parseToolsScope(text) as ToolsScope;
  expect(tools.filter((tool) => isInScope(scope, tool)).map(({ name }) => name)).toEqual(expected);
});

test.each(['', 'EVERYTHING', 'ALL book', 'ALL +', 'ALL +a b'])('%j is no scope', (text) => {
  expect(parseToolsScope(text)).toBeUndefined();
});
