// What is kept of schedules.
import { emptyPart, recordCollection, type TransactionPart } from '../../store/door.ts';
import type { StoredSubmission } from '../changes/submit.ts';
import type { MissedPolicy, OverlapPolicy, Timing } from './timing.ts';

export interface ScheduleRow {
  readonly name: string;
  readonly timing: Timing;
  /** What each of its jobs is given, as it is kept: whoever fires it need not have the services it names. */
  readonly submission: StoredSubmission;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  readonly paused: boolean;
  readonly created: number;
  readonly updated: number;
  /** The next time; null if there is none, or while it is paused. */
  readonly next: number | null;
  /** Times that wait for the job before to end. */
  readonly waiting: readonly number[];
  /** The job that was submitted last: for which time, and when. */
  readonly last?: { readonly job: string; readonly due: number; readonly time: number };
  readonly fired: number;
  readonly skipped: number;
}

/** [name] */
export const scheduleRows = recordCollection<ScheduleRow>('schedules');
/** When to look at a schedule: [time, name]. */
export const scheduleTimerRows = recordCollection<null>('schedule_timers', { small: true });

export const scheduleCollections = [scheduleRows, scheduleTimerRows] as const;

/** What the end of a job means for the schedule it belongs to: somebody looks whether another one waits for it. */
export function scheduleWoken(schedule: string | undefined, now: number): TransactionPart {
  if (schedule === undefined) return emptyPart;
  return {
    checks: [],
    writes: [{ kind: 'put', collection: scheduleTimerRows, key: [now, schedule], value: null }],
  };
}
