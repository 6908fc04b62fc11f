// Small things a runner says: the plainest changes of a job, and where a job was when something happened to it.
import type { Also } from '../workspace/extension.ts';
import type { PlannedChange } from './ending.ts';
import { jobCallRows, type JobCallRow, type JobRow, type JobUpdate } from './rows.ts';

/** What was recorded of the call the job is to make. */
export function recordedCall({ action }: JobRow, writes: Also['writes']): JobCallRow | undefined {
  if (action?.kind !== 'call') return undefined;
  const write = writes.find(({ collection, key }) => collection.name === jobCallRows.name && key[1] === action.number);
  return write?.kind === 'put' ? (write.value as JobCallRow) : undefined;
}

export function planOf(change: JobUpdate): PlannedChange {
  return { change, events: [], also: { checks: [], writes: [] } };
}

export function doing({ action }: JobRow): string {
  switch (action?.kind) {
    case 'run':
      return action.step === undefined ? 'at the beginning of a step' : `in step ${action.step}`;
    case 'call':
      return `in the call of '${action.name}'`;
    default:
      return 'while its driver decided';
  }
}
