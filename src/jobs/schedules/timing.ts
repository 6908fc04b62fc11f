// When a schedule is due: pure functions of its times and of now. Times of cron expressions are those of a wall clock in their time
// zone: one that a change to summer time leaves out comes an hour later, one that comes twice in autumn counts once.
import { Cron } from 'croner';
import { InvalidOptionError } from '../../base/options.ts';

/** When a schedule fires. */
export type Timing =
  | { readonly kind: 'cron'; readonly cron: string; readonly timeZone: string }
  /** Every so many milliseconds, counted from a time. */
  | { readonly kind: 'every'; readonly milliseconds: number; readonly from: number }
  | { readonly kind: 'once'; readonly at: number };

/** What happens to times that passed while nobody was there. */
export type MissedPolicy = 'skip' | 'once' | 'all';
export const missedPolicies: readonly MissedPolicy[] = ['skip', 'once', 'all'];

/** What happens when the job before is not over yet. */
export type OverlapPolicy = 'queue' | 'skip' | 'cancel';
export const overlapPolicies: readonly OverlapPolicy[] = ['queue', 'skip', 'cancel'];

/** A time counts as missed if nobody fired it for so long. */
export const graceMilliseconds = 60_000;
/** So many times are kept of those that were missed or wait; the oldest are skipped. */
export const maxWaiting = 1000;

const shortest = 1000;

/** Refuses times that no schedule can have. */
export function checkTiming(timing: Timing): void {
  if (timing.kind === 'every' && !(Number.isInteger(timing.milliseconds) && timing.milliseconds >= shortest))
    throw new InvalidOptionError('kit.schedule: every is a whole number of milliseconds, 1,000 at least.', {
      name: 'every',
    });
  if (timing.kind !== 'cron') return;
  try {
    Intl.DateTimeFormat('en', { timeZone: timing.timeZone });
  } catch {
    throw new InvalidOptionError(
      `kit.schedule: '${timing.timeZone}' is not a time zone. Use a name such as 'Europe/Berlin' or 'UTC'.`,
      { name: 'timeZone' },
    );
  }
  try {
    if (nextTime(timing, 0) === undefined) throw new Error('it never comes');
  } catch (error) {
    throw new InvalidOptionError(
      `kit.schedule: '${timing.cron}' is not a cron expression: ${(error as Error).message.replace(/^\w+: /, '').replace(/\.?$/, '.')} Write minute, hour, day, month and day of the week, such as '30 2 * * *'.`,
      { name: 'cron' },
    );
  }
}

/** The first time after another one; undefined if there is none. */
export function nextTime(timing: Timing, after: number): number | undefined {
  switch (timing.kind) {
    case 'cron':
      return cronOf(timing.cron, timing.timeZone).nextRun(new Date(after))?.getTime();
    case 'every': {
      const { milliseconds, from } = timing;
      return after < from ? from : from + (Math.floor((after - from) / milliseconds) + 1) * milliseconds;
    }
    case 'once':
      return timing.at > after ? timing.at : undefined;
  }
}

const parsed = new Map<string, Cron>();

function cronOf(cron: string, timeZone: string): Cron {
  const name = `${timeZone} ${cron}`;
  let found = parsed.get(name);
  if (found === undefined) {
    if (parsed.size >= 1000) parsed.clear();
    parsed.set(name, (found = new Cron(cron, { timezone: timeZone, paused: true })));
  }
  return found;
}

/** What a decision about a schedule is made from. */
export interface DueSchedule {
  readonly timing: Timing;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  /** The next time; null if there is none. */
  readonly next: number | null;
  /** Times that wait for the job before to end. */
  readonly waiting: readonly number[];
}

/** What to do about a schedule now. At most one job is submitted; if there is more to do, the next decision says so. */
export interface ScheduleDecision {
  /** The time a job is submitted for. */
  readonly fire: number | undefined;
  /** The job before is cancelled first. */
  readonly cancels: boolean;
  readonly waiting: readonly number[];
  readonly next: number | null;
  readonly skipped: number;
}

export function decide(schedule: DueSchedule, now: number, isActive: boolean): ScheduleDecision {
  const { due, next, passed } = dueTimes(schedule, now);
  const { taken, skipped } = afterMissing(schedule.missed, due, now);
  const lost = passed + skipped;
  const latest = taken.at(-1);
  switch (schedule.overlap) {
    case 'queue': {
      const all = [...schedule.waiting, ...taken];
      const kept = all.slice(-maxWaiting);
      const [first] = isActive ? [] : kept;
      const waiting = first === undefined ? kept : kept.slice(1);
      return { fire: first, cancels: false, waiting, next, skipped: lost + all.length - kept.length };
    }
    case 'skip': {
      const fire = isActive ? undefined : latest;
      const dropped = taken.length - (fire === undefined ? 0 : 1);
      return { fire, cancels: false, waiting: [], next, skipped: lost + dropped };
    }
    case 'cancel':
      return {
        fire: latest,
        cancels: isActive && latest !== undefined,
        waiting: [],
        next,
        skipped: lost + Math.max(0, taken.length - 1),
      };
  }
}

/** The times that have come, the next one, and how many were left out because there were too many. */
function dueTimes(
  { timing, next: first }: DueSchedule,
  now: number,
): { readonly due: readonly number[]; readonly next: number | null; readonly passed: number } {
  const due: number[] = [];
  let passed = 0;
  let next = first;
  while (next !== null && next <= now) {
    due.push(next);
    if (due.length > maxWaiting) {
      due.shift();
      passed++;
    }
    next = nextTime(timing, next) ?? null;
  }
  return { due, next, passed };
}

function afterMissing(
  policy: MissedPolicy,
  due: readonly number[],
  now: number,
): { readonly taken: readonly number[]; readonly skipped: number } {
  const onTime = due.filter((time) => now - time <= graceMilliseconds);
  const late = due.length - onTime.length;
  if (policy === 'all') return { taken: due, skipped: 0 };
  if (policy === 'skip' || onTime.length > 0) return { taken: onTime, skipped: late };
  return { taken: due.slice(-1), skipped: Math.max(0, late - 1) };
}
