// Frames and stacks as text: what an author sees beside an error.
import { expect, it } from 'vitest';
import { codeFrame } from './frame.ts';
import { authorStack } from './stack.ts';

it('shows the line, its neighbours and a caret', () => {
  expect(codeFrame('a\nb c\nd\ne', 2, 3)).toBe('  1 | a\n> 2 | b c\n    |   ^\n  3 | d');
  expect(codeFrame('a', 1, 1)).toBe('> 1 | a\n    | ^');
  expect(codeFrame('', 1, 1)).toBe('> 1 |\n    | ^');
});

it('keeps tabs, so that the caret stands under its character', () => {
  expect(codeFrame('\t\tx y', 1, 5)).toBe('> 1 | \t\tx y\n    | \t\t  ^');
});

it('lines up numbers of different width', () => {
  const text = Array.from({ length: 12 }, (_, index) => `line${index + 1}`).join('\r\n');
  expect(codeFrame(text, 9, 1)).toBe('   8 | line8\n>  9 | line9\n     | ^\n  10 | line10');
});

it('cuts a long line around the place', () => {
  const frame = codeFrame(`${'x'.repeat(5000)}HERE${'y'.repeat(5000)}`, 1, 5001);
  const [line = '', caret = ''] = frame.split('\n');
  expect(line.length).toBeLessThan(200);
  expect(line.slice(caret.indexOf('^')).startsWith('HERE')).toBe(true);
});

it('keeps only frames of known cells', () => {
  const cell = { originalPosition: (line: number, column: number) => ({ line: line - 1, column }) };
  const stack = [
    '    at inner (step 2:3:4)',
    '    at map (native)',
    '    at <eval> (<input>:1:1)',
    '    at boot (boot:9:9)',
    '    at odd (name) (step 2:5:6)',
    '    at <anonymous> (step 2:7:1)',
    '    at step 2:8:2',
    'nonsense',
    `    at ${'x ('.repeat(100_000)} (step 2:1:1)`,
    '',
  ].join('\n');
  expect(authorStack(stack, (name) => (name === 'step 2' ? cell : undefined))).toEqual([
    { cell: 'step 2', function: 'inner', line: 2, column: 4 },
    { cell: 'step 2', function: 'odd (name)', line: 4, column: 6 },
    { cell: 'step 2', function: undefined, line: 6, column: 1 },
    { cell: 'step 2', function: undefined, line: 7, column: 2 },
  ]);
});
