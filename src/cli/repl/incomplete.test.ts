// When the prompt waits for more, and when it runs what it has.
import { expect, it } from 'vitest';
import { isIncomplete } from './incomplete.ts';

it.each([
  ['const f = (n: number) => {', true],
  ['const f = (n: number) => {\n  return n\n}', false],
  ['[1,', true],
  ['`a', true],
  ['`a\nb`', false],
  ['/* a', true],
  ['"a', false],
  ['{ a: 1, b: 2 }', false],
  ['if (x)', true],
  ['const x =', true],
  ['a b', false],
  [')', false],
  ['await sleep(1)', false],
  ['return 1', false],
])('TypeScript: %j', (source, expected) => {
  expect(isIncomplete(`${source}\n`, 'typescript')).toBe(expected);
});

it.each([
  ['x = 1\n', false],
  ['for n in range(3):\n', true],
  ['for n in range(3):\n    print(n)\n', true],
  ['for n in range(3):\n    print(n)\n\n', false],
  ['x = [1,\n', true],
  ['x = {1: 2}\n', false],
  ['text = """a\n', true],
  ['text = """a\nb"""\n', false],
  ['x = "a: ["  # (\n', false],
  ['@decorated\n', true],
])('Python: %j', (source, expected) => {
  expect(isIncomplete(source, 'python')).toBe(expected);
});
