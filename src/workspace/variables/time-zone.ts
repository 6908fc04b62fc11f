// What local time is in a time zone, so that a program's dates do not depend on the machine it happens to run on.
import { InvalidOptionError } from '../../base/options.ts';

// Asking for an offset takes microseconds, and a program may ask for very many. Offsets change at whole quarters of an hour, and never
// twice in a day: a day that begins and ends with the same offset has it throughout.
const quarter = 15 * 60;
const day = 24 * 60 * 60;
const maxKept = 10_000;

/** Minutes to add to UTC for local time, at a moment in seconds since 1970. */
export type ZoneOffset = (seconds: number) => number;

const zones = new Map<string, ZoneOffset>();

/** The offsets of a time zone, such as `Europe/Warsaw`; an unknown name is refused. */
export function zoneOffsets(timeZone: string): ZoneOffset {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const format = formatFor(timeZone);
  const atMoment = kept((moment: number) => offsetAt(format, moment));
  /** The offset of a whole day, or undefined if it changes in it. */
  const ofDay = kept((start: number) => {
    const first = atMoment(start);
    return first === atMoment(start + day) ? first : undefined;
  });
  const offsets = (seconds: number): number =>
    ofDay(Math.floor(seconds / day) * day) ?? atMoment(Math.floor(seconds / quarter) * quarter);
  zones.set(timeZone, offsets);
  return offsets;
}

/** Keeps the results that were asked for last, roughly. */
function kept<Result>(compute: (moment: number) => Result): (moment: number) => Result {
  const results = new Map<number, Result>();
  return (moment) => {
    if (results.has(moment)) return results.get(moment) as Result;
    const result = compute(moment);
    if (results.size >= maxKept) results.clear();
    results.set(moment, result);
    return result;
  };
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
  const match = /GMT([+-])(\d+)(?::(\d+))?/.exec(format.format(milliseconds));
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === '-' ? -minutes : minutes;
}
