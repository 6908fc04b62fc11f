// Formats a job event as one line.
import type { JobStreamEvent } from '../../jobs/journal/events.ts';
import { shownId } from './describe.ts';
import type { Output } from '../output/output.ts';
import { oneLine } from '../output/style.ts';

export function eventLine(out: Output, { job, kind, data, time, commit }: JobStreamEvent, withJob: boolean): string {
  const { style } = out;
  const clock = time.toISOString().slice(11, 19);
  const details = data === null ? '' : oneLine(typeof data === 'object' ? JSON.stringify(data) : String(data));
  const who = withJob ? `${shownId(job, out)} ` : '';
  const mark = commit === undefined ? '' : style.dim(` ${commit.slice(0, 12)}`);
  return `${style.dim(clock)} ${who}${kind === 'done' ? style.bold(kind) : kind}${details === '' ? '' : ` ${details}`}${mark}`;
}
