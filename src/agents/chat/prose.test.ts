import { expect, it } from 'vitest';
import { commented, movedFrame } from './prose.ts';

it('makes comments of prose, line by line', () => {
  expect(commented('First. \n\nThen this.', '//')).toBe('// First.\n//\n// Then this.');
  expect(commented('', '#')).toBe('#');
});

it('moves a code frame to the lines of the code alone', () => {
  const frame = '   9 | // prose\n> 10 | fail()\n     | ^\n  11 | more()';
  expect(movedFrame(frame, 9)).toBe('>  1 | fail()\n     | ^\n   2 | more()');
  expect(movedFrame(frame, 0)).toBe(frame);
});
