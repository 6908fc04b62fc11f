// A job that has no time left: its deadline has passed, or it took longer than its driver allows.
import { LimitError, type FutureReference } from '../../workspace/door.ts';
import { DeadlineError } from '../errors.ts';
import { ending, jobErrorOf, type PlannedChange } from './ending.ts';
import type { JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** Whatever it is doing is not waited for. */
export function isStopped({ cancelling, late, overdue }: JobRow): boolean {
  return cancelling !== undefined || late === true || overdue === true;
}

export function tooLate(system: JobSystem, row: JobRow, waiting: readonly FutureReference[]): Promise<PlannedChange> {
  const error =
    row.late === true
      ? new DeadlineError(`The job '${row.id}' was not done by its deadline.`, { id: row.id })
      : new LimitError('The job has reached a limit: it took longer than its time limit.', {
          id: row.id,
          limit: 'seconds',
        });
  return ending(system, row, { outcome: 'limit', error: jobErrorOf(error) }, waiting);
}
