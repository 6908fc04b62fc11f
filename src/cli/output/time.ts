// Formats and parses times, durations and sizes as people write them.
import { UsageError } from '../line/errors.ts';

const units: readonly (readonly [name: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** `3 min ago`, `in 2 h`, `now`. */
export function relative(time: Date, now: number = Date.now()): string {
  const difference = time.getTime() - now;
  if (Math.abs(difference) < 1000) return 'now';
  const text = durationText(Math.abs(difference));
  return difference < 0 ? `${text} ago` : `in ${text}`;
}

/** `250 ms`, `3 min`, `2 d`: in the largest unit that fits. */
export function durationText(milliseconds: number): string {
  const [name, size] = units.find(([, one]) => milliseconds >= one) ?? ['ms', 1];
  const number = milliseconds / size;
  return `${number < 10 && size > 1 ? String(Math.floor(number * 10) / 10) : String(Math.floor(number))} ${name}`;
}

const durations: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `90s`, `15m`, `2h`, `7d`, or a number of milliseconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const size = match === null ? undefined : durations[(match[2] ?? '') === '' ? 'ms' : (match[2] ?? '').toLowerCase()];
  if (match === null || size === undefined)
    throw new UsageError(
      `${option}: '${text}' is not a duration. Write 90s, 15m, 2h, 7d, or a number of milliseconds.`,
    );
  return Math.round(Number(match[1]) * size);
}

/** An ISO date, or how long ago: `2h`. */
export function parseTime(option: string, text: string, what = 'how long ago', now: number = Date.now()): Date {
  if (/^\d+(?:\.\d+)?\s*(?:ms|s|m|min|h|d|w)$/i.test(text.trim())) return new Date(now - parseDuration(option, text));
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d{2}/.test(text))
    throw new UsageError(
      `${option}: '${text}' is not a time. Write a date like 2026-01-31T12:00:00Z, or ${what}, like 2h or 7d.`,
    );
  return time;
}

const sizes: Readonly<Record<string, number>> = {
  b: 1,
  k: 1024,
  kb: 1024,
  m: 2 ** 20,
  mb: 2 ** 20,
  g: 2 ** 30,
  gb: 2 ** 30,
};

/** `500mb`, `2g`, or a number of bytes. */
export function parseBytes(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const size = match === null ? undefined : sizes[(match[2] ?? '') === '' ? 'b' : (match[2] ?? '').toLowerCase()];
  if (match === null || size === undefined)
    throw new UsageError(`${option}: '${text}' is not a size. Write 500mb, 2g, or a number of bytes.`);
  return Math.round(Number(match[1]) * size);
}

export function bytesText(bytes: number): string {
  for (const [name, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 1024],
  ] as const)
    if (bytes >= size) return `${(bytes / size).toFixed(1)} ${name}`;
  return `${bytes} B`;
}
