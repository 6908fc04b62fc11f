// A table for people.
import type { Measurement } from './measurement.ts';

export function table(title: string, measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ what, value, unit, goal }) => [
    what,
    typeof value === 'number' ? value.toLocaleString('en-US', { maximumSignificantDigits: 4 }) : String(value),
    unit,
    goal === undefined ? '' : `${goal.met ? 'met' : 'MISSED'}: ${goal.text}`,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    `  ${row[0]?.padEnd(widths[0] ?? 0)}  ${row[1]?.padStart(widths[1] ?? 0)} ${row[2]?.padEnd(widths[2] ?? 0)}  ${row[3]}`.trimEnd();
  return [title, ...rows.map(line)].join('\n');
}
