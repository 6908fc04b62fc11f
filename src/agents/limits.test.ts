import { expect, it } from 'vitest';
import { allowance, noCounts, reachedLimit, storedLimits, workspaceLimits } from './limits.ts';

it('keeps only limits that limit', () => {
  expect(storedLimits({ turns: 5, cost: Number.POSITIVE_INFINITY })).toEqual({ turns: 5 });
});

it('names the first limit that is reached', () => {
  const counts = { ...noCounts(0), turns: 3, errorsInARow: 2, tokens: 100 };
  expect(reachedLimit({ turns: 4 }, counts, 0)).toBeUndefined();
  expect(reachedLimit({ turns: 3, tokens: 100 }, counts, 0)).toBe('it took 3 turns');
  expect(reachedLimit({ errorsInARow: 2 }, counts, 0)).toBe('there were 2 errors in a row');
  expect(reachedLimit({ seconds: 10 }, counts, 10_000)).toBe('it took longer than 10 seconds');
});

it('lets no slice take longer than the whole job', () => {
  expect(allowance({ seconds: 2 })).toBe(2000);
  expect(workspaceLimits({ seconds: 0.2 })).toMatchObject({ softCpuMilliseconds: 200, hardCpuMilliseconds: 400 });
  expect(workspaceLimits({})).toEqual({});
});
