import { expect, it } from 'vitest';
import { foldAfter } from './folding.ts';

const starts = [1, 5, 9, 13, 17, 21, 25, 29];

it('folds nothing while there is room', () => {
  expect(foldAfter({ used: 100, added: 0, contextTokens: 1000, starts })).toBeUndefined();
});

it('folds half of the turns, up to the item before the next turn', () => {
  expect(foldAfter({ used: 900, added: 0, contextTokens: 1000, starts })).toBe(16);
});

it('counts what was added since, at four characters a token', () => {
  expect(foldAfter({ used: 700, added: 400, contextTokens: 1000, starts })).toBe(16);
});

it('never folds the last four turns', () => {
  expect(foldAfter({ used: 900, added: 0, contextTokens: 1000, starts: [1, 5, 9, 13] })).toBeUndefined();
  expect(foldAfter({ used: 900, added: 0, contextTokens: 1000, starts: [1, 5, 9, 13, 17] })).toBe(4);
});
