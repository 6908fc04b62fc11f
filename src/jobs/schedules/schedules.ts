// Schedules: jobs that are submitted at times. A time is fired by whichever process comes first, in the commit that submits its job,
// so it is fired once however many there are.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { choiceOption, InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { count } from '../../base/telemetry.ts';
import {
  commitParts,
  scanAll,
  StoreConflictError,
  type Check,
  type TransactionPart,
  type Write,
  readUndamaged,
  StoreCorruptError,
} from '../../store/door.ts';
import { NotFoundError } from '../../workspace/door.ts';
import { requestCancel } from '../changes/control.ts';
import type { JobOptions } from '../changes/new-job.ts';
import { storedSubmission, submitStored } from '../changes/submit.ts';
import { optionsForRole } from '../work/program-requests.ts';
import { jobRows } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { scheduleRows, scheduleTimerRows, scheduleWoken, type ScheduleRow } from './rows.ts';
import {
  checkTiming,
  decide,
  missedPolicies,
  nextTime,
  overlapPolicies,
  type MissedPolicy,
  type OverlapPolicy,
  type Timing,
} from './timing.ts';

/** What a schedule submits: the role, and the options of each of its jobs. */
export type ScheduledJob = { readonly role: string } & Omit<
  JobOptions,
  'id' | 'startAt' | 'deadline' | 'whenParentEnds'
>;

/** When a schedule fires and what it submits. One of `cron`, `every` and `at` is given. */
export interface ScheduleOptions<Submit = ScheduledJob> {
  /** Minute, hour, day, month, day of the week; with six parts, seconds come first. */
  readonly cron?: string | undefined;
  /** Whose wall clock `cron` means, such as `Europe/Berlin`; default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** Milliseconds from one time to the next, 1,000 at least. */
  readonly every?: number | undefined;
  /** The only time. */
  readonly at?: Date | undefined;
  readonly submit: Submit;
  /**
   * Times that passed by more than a minute while no worker was there: `skip` them, make up for the latest `once` (the default), or
   * for `all` of them.
   */
  readonly missed?: MissedPolicy | undefined;
  /** If the job before is not over: the next one waits in a `queue` (the default), is left out (`skip`), or the old one is `cancel`led. */
  readonly overlap?: OverlapPolicy | undefined;
}

const maxTries = 100;
const maxNameLength = 100;
const atOnce = 200;

/** Makes a schedule, or changes the one there is. */
async function setSchedule(system: JobSystem, name: string, options: ScheduleOptions): Promise<ScheduleRow> {
  const where = 'kit.schedule';
  refuseUnknownOptions(where, options, {
    cron: true,
    timeZone: true,
    every: true,
    at: true,
    submit: true,
    missed: true,
    overlap: true,
  });
  if (typeof name !== 'string' || name === '' || name.length > maxNameLength || !name.isWellFormed())
    throw new InvalidOptionError(`${where}: a schedule's name has 1 to ${maxNameLength} characters.`, { name: 'name' });
  const { missed = 'once', overlap = 'queue' } = options;
  choiceOption(where, 'missed', missed, missedPolicies);
  choiceOption(where, 'overlap', overlap, overlapPolicies);
  const { role, ...rest } = options.submit;
  for (const other of ['id', 'startAt', 'deadline', 'whenParentEnds'])
    if (other in rest) throw new InvalidOptionError(`${where}: submit has no option '${other}'.`, { name: other });
  const labels = [...(rest.labels ?? []), labelOf(name)];
  const given = optionsForRole(await system.learnRole(role), { ...rest, labels });
  const submission = storedSubmission(system, role, given, where);
  const row = await changed(system, name, (before, now) => {
    const timing = timingOf(options, before?.timing, now);
    checkTiming(timing);
    const definition = { timing, submission, missed, overlap };
    if (before !== undefined && isSame(before, definition)) return before;
    const isPaused = before?.paused === true;
    const next = nextTime(timing, now);
    if (next === undefined) throw new InvalidOptionError(`${where}: the time of '${name}' has passed.`, { name: 'at' });
    return {
      fired: 0,
      skipped: 0,
      created: now,
      waiting: [],
      paused: isPaused,
      ...before,
      name,
      ...definition,
      updated: now,
      next: isPaused ? null : next,
    };
  });
  return row as ScheduleRow;
}

/** Jobs of a schedule are found by this label. */
function labelOf(name: string): string {
  return `schedule:${name}`;
}

async function readSchedule(system: JobSystem, name: string): Promise<ScheduleRow> {
  const [entry] = await system.store.read(scheduleRows, [[name]]);
  if (entry === undefined) throw new NotFoundError(`There is no schedule '${name}'.`, { schedule: name });
  return entry.value;
}

async function* allSchedules(system: JobSystem): AsyncGenerator<ScheduleRow, void, undefined> {
  for await (const { value } of scanAll(system.store, scheduleRows, {})) yield value;
}

/** Nothing fires until it is resumed; times that pass meanwhile are left out. */
async function pauseSchedule(system: JobSystem, name: string): Promise<void> {
  await changed(system, name, (before, now) => ({ ...must(before, name), paused: true, next: null, updated: now }));
}

async function resumeSchedule(system: JobSystem, name: string): Promise<void> {
  await changed(system, name, (before, now) => {
    const row = must(before, name);
    return row.paused ? { ...row, paused: false, next: nextTime(row.timing, now) ?? null, updated: now } : row;
  });
  // A time that had to wait for a job may have nothing to wait for any more.
  await commitParts(system.store, [scheduleWoken(name, system.clock.now())]);
}

/** Jobs that it has submitted stay. */
async function deleteSchedule(system: JobSystem, name: string): Promise<void> {
  await changed(system, name, (before) => {
    must(before, name);
    return undefined;
  });
}

/** Submits a job of it now, whatever its times say; returns its id. */
async function runSchedule(system: JobSystem, name: string): Promise<string> {
  for (let tries = 0; tries < maxTries; tries++) {
    const [entry] = await system.store.read(scheduleRows, [[name]]);
    const row = must(entry?.value, name);
    const now = system.clock.now();
    // Not the id of a time: the schedule may fire at this very one.
    const job = `${jobId(name, now)}+${randomBytes(4).toString('hex')}`;
    const after = { ...row, last: { job, due: now, time: now }, fired: row.fired + 1 };
    const also = changeOf(row, entry?.revision, after);
    if (
      (await submitStored(system, row.submission, { id: job, schedule: { name, due: now }, also })).status ===
      'committed'
    )
      return job;
  }
  throw new StoreConflictError(`The schedule '${name}' is being changed by others; try again.`, { schedule: name });
}

/** Fires what is due; returns when the next schedule is to be looked at, if there is one. */
export async function fireSchedules(system: JobSystem): Promise<number | undefined> {
  const { store, clock } = system;
  const damaged = new Set<string>();
  for (;;) {
    const { entries } = await store.scan(scheduleTimerRows, {}, { limit: atOnce + damaged.size });
    const now = clock.now();
    const due = entries.filter(({ key }) => (key[0] as number) <= now && !damaged.has(key[1] as string));
    for (const { key } of due) {
      try {
        await fireOne(system, key[0] as number, key[1] as string);
      } catch (error) {
        // One that cannot be read keeps nobody from the others.
        if (!(error instanceof StoreCorruptError)) throw error;
        damaged.add(key[1] as string);
        system.damaged(error.message, { schedule: key[1] });
      }
    }
    const later = entries.find(({ key }) => (key[0] as number) > now);
    if (later !== undefined || due.length === 0) return later?.key[0] as number | undefined;
  }
}

/** One schedule, as far as it goes: each commit submits one job, or none and puts down what comes next. */
async function fireOne(system: JobSystem, looked: number, name: string): Promise<void> {
  const { store, clock } = system;
  const place = { collection: scheduleTimerRows, key: [looked, name] };
  for (let tries = 0; tries < maxTries; tries++) {
    const [[entry], [timer]] = await Promise.all([
      store.read(scheduleRows, [[name]]),
      store.read(scheduleTimerRows, [place.key]),
    ]);
    if (timer === undefined) return;
    const row = entry?.value;
    if (row === undefined || row.paused) {
      await store.commit([{ writes: [{ kind: 'remove', ...place }] }]);
      return;
    }
    // A job that cannot be read is not worked on any more.
    const [before] =
      row.last === undefined
        ? []
        : await readUndamaged(store, jobRows, [[row.last.job]], (_key, { message }) =>
            system.damaged(message, { job: row.last?.job, schedule: name }),
          );
    const isActive = before !== undefined && before.value.status !== 'DONE';
    const now = clock.now();
    const decision = decide(row, now, isActive);
    const { fire, next, waiting } = decision;
    const after: ScheduleRow = {
      ...row,
      next,
      waiting,
      skipped: row.skipped + decision.skipped,
      ...(fire === undefined ? {} : { fired: row.fired + 1, last: { job: jobId(name, fire), due: fire, time: now } }),
    };
    const change = changeOf(row, entry?.revision, after);
    // It stays until there is nothing more to do about it now; the end of a job puts down another one.
    const also = {
      ...change,
      writes: [
        ...change.writes,
        ...(fire === undefined && looked !== next ? [{ kind: 'remove' as const, ...place }] : []),
      ],
    };
    if (fire === undefined) {
      if ((await commitParts(store, [also])).status === 'committed') return;
      continue;
    }
    if (decision.cancels && row.last !== undefined) {
      await requestCancel(system, row.last.job, `The schedule '${name}' starts its next job.`).catch(() => undefined);
      await system.faults?.hit('schedule.cancelled', name);
    }
    const id = jobId(name, fire);
    const result = await submitStored(system, row.submission, { id, schedule: { name, due: fire }, also });
    if (result.status === 'committed') count('statek.schedules.fired', { schedule: name }, 1);
    // Somebody has submitted a job of this id by hand: the time has its job.
    else if (result.conflict.collection === jobRows.name) await commitParts(store, [also]);
  }
}

/** One id for each time, so that a time cannot have two jobs. */
function jobId(name: string, time: number): string {
  return `${name}@${new Date(time).toISOString()}`;
}

function must(row: ScheduleRow | undefined, name: string): ScheduleRow {
  if (row === undefined) throw new NotFoundError(`There is no schedule '${name}'.`, { schedule: name });
  return row;
}

function isSame(
  row: ScheduleRow,
  definition: Pick<ScheduleRow, 'timing' | 'submission' | 'missed' | 'overlap'>,
): boolean {
  const { timing, submission, missed, overlap } = row;
  return isDeepStrictEqual({ timing, submission, missed, overlap }, definition);
}

/** An interval that stays the same goes on from where it began. */
function timingOf({ cron, timeZone, every, at }: ScheduleOptions, before: Timing | undefined, now: number): Timing {
  const given = [cron, every, at].filter((one) => one !== undefined).length;
  if (given !== 1) throw new InvalidOptionError('kit.schedule: give one of cron, every and at.', { name: 'cron' });
  if (timeZone !== undefined && cron === undefined)
    throw new InvalidOptionError('kit.schedule: timeZone belongs to cron.', { name: 'timeZone' });
  if (cron !== undefined) return { kind: 'cron', cron, timeZone: timeZone ?? 'UTC' };
  if (every !== undefined) {
    const isKept = before?.kind === 'every' && before.milliseconds === every;
    return { kind: 'every', milliseconds: every, from: isKept ? before.from : now + every };
  }
  const time = at instanceof Date ? at.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidOptionError('kit.schedule: at must be a Date.', { name: 'at' });
  return { kind: 'once', at: time };
}

/** The change of a schedule as part of a transaction: its row, and when to look at it. */
function changeOf(
  before: ScheduleRow | undefined,
  revision: number | undefined,
  after: ScheduleRow | undefined,
): TransactionPart & { readonly checks: readonly Check[]; readonly writes: readonly Write[] } {
  const name = (after ?? before)?.name ?? '';
  const place = { collection: scheduleRows, key: [name] };
  const timer = (time: number): Pick<Write, 'collection' | 'key'> => ({
    collection: scheduleTimerRows,
    key: [time, name],
  });
  const writes: Write[] = [];
  if (after === undefined) writes.push({ kind: 'remove', ...place });
  else writes.push({ kind: 'put', ...place, value: after });
  const [old, next] = [before?.next ?? null, after?.next ?? null];
  if (old !== null && old !== next) writes.push({ kind: 'remove', ...timer(old) });
  if (next !== null && old !== next) writes.push({ kind: 'put', ...timer(next), value: null });
  return {
    checks: [revision === undefined ? { kind: 'absent', ...place } : { kind: 'revision', ...place, revision }],
    writes,
  };
}

async function changed(
  system: JobSystem,
  name: string,
  change: (before: ScheduleRow | undefined, now: number) => ScheduleRow | undefined,
): Promise<ScheduleRow | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const [entry] = await system.store.read(scheduleRows, [[name]]);
    const before = entry?.value;
    const after = change(before, system.clock.now());
    if (after === before) return before;
    const result = await commitParts(system.store, [changeOf(before, entry?.revision, after)]);
    if (result.status === 'committed') return after;
  }
  throw new StoreConflictError(`The schedule '${name}' is being changed by others; try again.`, { schedule: name });
}

/** The schedules of a store. */
export class Schedules {
  readonly #system: JobSystem;

  constructor(system: JobSystem) {
    this.#system = system;
  }

  set(name: string, options: ScheduleOptions): Promise<ScheduleRow> {
    return setSchedule(this.#system, name, options);
  }

  read(name: string): Promise<ScheduleRow> {
    return readSchedule(this.#system, name);
  }

  all(): AsyncGenerator<ScheduleRow, void, undefined> {
    return allSchedules(this.#system);
  }

  pause(name: string): Promise<void> {
    return pauseSchedule(this.#system, name);
  }

  resume(name: string): Promise<void> {
    return resumeSchedule(this.#system, name);
  }

  run(name: string): Promise<string> {
    return runSchedule(this.#system, name);
  }

  delete(name: string): Promise<void> {
    return deleteSchedule(this.#system, name);
  }
}
