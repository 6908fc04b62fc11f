import { expect, it } from 'vitest';
import { consoleText, faultText } from './console.ts';

it('shows a short console whole, and both ends of a long one', () => {
  expect(consoleText('abc', 3, 7, 'typescript')).toBe('abc');
  const shown = consoleText(`${'a'.repeat(5000)}${'z'.repeat(5000)}`, 100, 7, 'typescript');
  expect(shown).toBe(
    `${'a'.repeat(60)}\n… (9,910 characters are left out; await unfold(7) shows them)\n${'z'.repeat(30)}`,
  );
  expect(consoleText('x'.repeat(20), 10, 7, 'python')).toContain('; unfold(7) shows');
});

it('names the place of an error as far as it is known', () => {
  const fault = { name: 'TypeError', message: 'no' };
  expect(faultText(fault)).toBe('TypeError: no');
  expect(faultText({ ...fault, line: 2 })).toBe('TypeError: no (line 2)');
  expect(faultText({ ...fault, line: 2, column: 5, frame: '> 2 | x' })).toBe(
    'TypeError: no (line 2, column 5)\n> 2 | x',
  );
});
