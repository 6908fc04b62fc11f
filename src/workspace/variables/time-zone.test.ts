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

it('is right at every quarter of an hour around each change', () => {
  const exact = (timeZone: string, seconds: number): number => {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
      seconds * 1000,
    );
    const [, sign, hours, minutes] =
      /GMT([+-])(\d+):(\d+)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? [];
    return hours === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
  for (const [timeZone, change] of [
    ['Europe/Warsaw', Date.UTC(2026, 2, 29, 1)],
    ['Europe/Warsaw', Date.UTC(2026, 9, 25, 1)],
    ['America/New_York', Date.UTC(2026, 2, 8, 7)],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15)],
    ['Pacific/Apia', Date.UTC(2011, 11, 30, 10)],
  ] as const) {
    const offsetAt = zoneOffsets(timeZone);
    for (let quarters = -200; quarters <= 200; quarters += 7) {
      const seconds = change / 1000 + quarters * 900;
      expect([timeZone, seconds, offsetAt(seconds)]).toEqual([timeZone, seconds, exact(timeZone, seconds)]);
    }
  }
});
