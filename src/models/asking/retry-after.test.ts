// Providers say when to come back in seconds, as a date, or in milliseconds.
import { expect, it } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

it.each([
  [{ 'retry-after': '20' }, 20_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, 0],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
  [undefined, undefined],
])('%o', (headers, expected) => {
  expect(retryAfter(headers, now)).toBe(expected);
});
