// What local time is in a time zone, so that a program's dates do not depend on the machine it happens to run on.
import { InvalidOptionError } from '../base/options.ts';

// Offsets change at whole quarters of an hour; asking again within one is pointless.
const quarter = 15 * 60;
const maxCached = 10_000;

/** Minutes to add to UTC for local time, at a moment in seconds since 1970. */
export type ZoneOffset = (seconds: number) => number;

const zones = new Map<string, ZoneOffset>();

/** The offsets of a time zone, such as `Europe/Warsaw`; an unknown name is refused. */
export function zoneOffsets(timeZone: string): ZoneOffset {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const format = formatFor(timeZone);
  const cached = new Map<number, number>();
  const offsets = (seconds: number): number => {
    const moment = Math.floor(seconds / quarter);
    let offset = cached.get(moment);
    if (offset === undefined) {
      if (cached.size >= maxCached) cached.clear();
      cached.set(moment, (offset = offsetAt(format, moment * quarter)));
    }
    return offset;
  };
  zones.set(timeZone, offsets);
  return offsets;
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new InvalidOptionError(`There is no time zone '${timeZone}'. Use a name such as 'UTC' or 'Europe/Warsaw'.`, {
      timeZone,
    });
  }
}

function offsetAt(format: Intl.DateTimeFormat, seconds: number): number {
  const milliseconds = seconds * 1000;
  // Beyond what dates can hold there is no local time to tell.
  if (Math.abs(milliseconds) > 8.64e15) return 0;
  const name = format.formatToParts(milliseconds).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d+)(?::(\d+))?/.exec(name);
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === '-' ? -minutes : minutes;
}
