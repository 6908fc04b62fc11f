// Local time in time zones, their changes included.
import { expect, it } from 'vitest';
import { zoneOffsets } from './time-zone.ts';

const at = (text: string): number => Date.parse(text) / 1000;

it('tells offsets, and when they change', () => {
  const warsaw = zoneOffsets('Europe/Warsaw');
  expect(warsaw(at('2026-01-15T12:00:00Z'))).toBe(60);
  expect(warsaw(at('2026-07-15T12:00:00Z'))).toBe(120);
  expect(warsaw(at('2026-03-29T00:59:59Z'))).toBe(60);
  expect(warsaw(at('2026-03-29T01:00:00Z'))).toBe(120);
});

it.each([
  ['UTC', 0],
  ['Asia/Kathmandu', 345],
  ['America/St_Johns', -210],
])('knows %s', (zone, minutes) => {
  expect(zoneOffsets(zone)(at('2026-01-15T12:00:00Z'))).toBe(minutes);
});

it('has no local time for moments beyond all dates', () => {
  expect(zoneOffsets('Asia/Tokyo')(1e16)).toBe(0);
});

it('refuses a zone that does not exist', () => {
  expect(() => zoneOffsets('Mars/Olympus')).toThrow("There is no time zone 'Mars/Olympus'");
});
