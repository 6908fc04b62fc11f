// Times and sizes as people write and read them.
import { expect, it } from 'vitest';
import { UsageError } from '../line/errors.ts';
import { bytesText, parseBytes, parseDuration, parseTime, relative } from './time.ts';

const now = Date.UTC(2026, 0, 2);

it.each([
  [0, 'now'],
  [-900, 'now'],
  [-1500, '1.5 s ago'],
  [-61_000, '1 min ago'],
  [-3 * 3_600_000, '3 h ago'],
  [49 * 3_600_000, 'in 2 d'],
])('%i ms away is %s', (difference, text) => {
  expect(relative(new Date(now + difference), now)).toBe(text);
});

it.each([
  ['250', 250],
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
])('%s is %i ms', (text, milliseconds) => {
  expect(parseDuration('--for', text)).toBe(milliseconds);
});

it('reads dates and how long ago', () => {
  expect(parseTime('--since', '2h', undefined, now)).toEqual(new Date(now - 7_200_000));
  expect(parseTime('--since', '2025-12-31')).toEqual(new Date('2025-12-31T00:00:00Z'));
  expect(parseBytes('--keep', '1.5k')).toBe(1536);
  expect(bytesText(1536)).toBe('1.5 KiB');
});

it.each(['', 'soon', '5 years', '-3s'])("refuses '%s'", (text) => {
  expect(() => parseDuration('--for', text)).toThrow(UsageError);
  expect(() => parseTime('--since', text)).toThrow(UsageError);
  expect(() => parseBytes('--keep', text)).toThrow(UsageError);
});
