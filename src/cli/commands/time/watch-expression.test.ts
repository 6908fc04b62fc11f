import { expect, it } from 'vitest';
import { sparkline } from './watch-expression.ts';

it('draws numbers as blocks, and leaves gaps where there is none', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([undefined, 5, 'x', 5])).toBe(' ▁ ▁');
  expect(sparkline([1, Number.NaN, 'a'])).toBeUndefined();
});
