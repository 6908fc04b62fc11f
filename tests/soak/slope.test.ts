import { expect, it } from 'vitest';
import { picture, slopeOf } from './slope.ts';

const swinging = Array.from({ length: 100 }, (_, index) => 100 + 10 * Math.sin(index));

it('tells a curve that grows from one that swings', () => {
  expect(slopeOf(swinging).isFlat).toBe(true);
  expect(slopeOf(swinging.map((value, index) => value + index)).isFlat).toBe(false);
  expect(slopeOf(swinging.map((value, index) => value - index / 2)).isFlat).toBe(true);
});

it('draws it', () => {
  expect(picture([1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇█');
});
