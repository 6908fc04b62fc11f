// What a job knows of the schedule that submitted it.
import type { JobSchedule } from './driver.ts';
import type { JobRow } from './rows.ts';

/** Undefined for jobs of no schedule, and for those of versions that did not write the time down. */
export function scheduleOf({ schedule, due }: Pick<JobRow, 'schedule' | 'due'>): JobSchedule | undefined {
  return schedule === undefined || due === undefined ? undefined : { name: schedule, due: new Date(due) };
}
