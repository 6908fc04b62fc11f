// A schedule as the application sees it.
import type { Agent, SubmitOptions } from '../agents/door.ts';
import { described, InvalidOptionError } from '../base/options.ts';
import type { Program, ScheduleOptions, Schedules, ScheduleRow } from '../jobs/door.ts';

/**
 * What a schedule submits: an agent, a program or a role, and the options of each of its jobs. An agent's prompt and model are those
 * of the process that starts the job.
 */
export type ScheduleSubmission = { readonly role: Agent | Program<unknown> | string } & Omit<
  SubmitOptions,
  'id' | 'startAt' | 'deadline' | 'whenParentEnds' | 'metadata' | 'settings' | 'fallbacks'
>;

/** What a schedule is at one moment. */
export interface ScheduleState {
  readonly name: string;
  readonly role: string;
  /** When it fires: a cron expression with its time zone, an interval in milliseconds, or one time. */
  readonly timing:
    | { readonly cron: string; readonly timeZone: string }
    | { readonly every: number }
    | { readonly at: Date };
  readonly missed: 'skip' | 'once' | 'all';
  readonly overlap: 'queue' | 'skip' | 'cancel';
  readonly paused: boolean;
  /** The next time; undefined if there is none, or while it is paused. */
  readonly next: Date | undefined;
  /** Times that wait for the job before to end. */
  readonly waiting: readonly Date[];
  /** The job that was submitted last, and for which time. */
  readonly last: { readonly job: string; readonly due: Date } | undefined;
  /** How many jobs it has submitted, and how many times it has left out. */
  readonly fired: number;
  readonly skipped: number;
}

/** A schedule: jobs submitted at times, once for each time in however many processes. Its jobs have the label `schedule:<name>`. */
export class Schedule {
  readonly name: string;
  readonly #schedules: Schedules;

  /** @internal */
  constructor(schedules: Schedules, name: string) {
    this.#schedules = schedules;
    this.name = name;
  }

  /** What it is now. */
  async state(): Promise<ScheduleState> {
    return scheduleState(await this.#schedules.read(this.name));
  }

  /** Nothing fires until it is resumed; times that pass meanwhile are left out. */
  async pause(): Promise<void> {
    await this.#schedules.pause(this.name);
  }

  async resume(): Promise<void> {
    await this.#schedules.resume(this.name);
  }

  /** Submits a job of it now, whatever its times say; returns the job's id. */
  async runNow(): Promise<string> {
    return this.#schedules.run(this.name);
  }

  /** Its jobs stay. */
  async delete(): Promise<void> {
    await this.#schedules.delete(this.name);
  }
}

/** What a schedule submits; throws if nothing was given that can be submitted. */
export function submissionOf({ submit }: ScheduleOptions<ScheduleSubmission>): ScheduleSubmission {
  // Callers without types may leave it out.
  const { role } = (submit as Partial<ScheduleSubmission> | undefined) ?? {};
  if (typeof (typeof role === 'object' ? role.role : role) === 'string') return submit;
  throw new InvalidOptionError(
    `kit.schedule: option 'submit' must name the role of its jobs, as in { submit: { role: 'report' } }, not ${described(submit)}.`,
    { name: 'submit' },
  );
}

export function scheduleState(row: ScheduleRow): ScheduleState {
  const { name, submission, timing, missed, overlap, paused, next, waiting, last, fired, skipped } = row;
  return {
    name,
    role: submission.role,
    timing:
      timing.kind === 'cron'
        ? { cron: timing.cron, timeZone: timing.timeZone }
        : timing.kind === 'every'
          ? { every: timing.milliseconds }
          : { at: new Date(timing.at) },
    missed,
    overlap,
    paused,
    next: next === null ? undefined : new Date(next),
    waiting: waiting.map((time) => new Date(time)),
    last: last && { job: last.job, due: new Date(last.due) },
    fired,
    skipped,
  };
}
