// `statek schedules`: jobs that are submitted at times.
import type { Statek } from '../../../kit/statek.ts';
import type { ScheduleState } from '../../../kit/schedule.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { jsonObject } from '../../line/parse.ts';
import { refuseOptionsOfOthers } from '../../line/refuse-options.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { durationText, parseDuration, parseTime } from '../../output/time.ts';
import type { Session } from '../../session.ts';
import { timeText } from '../../shown/describe.ts';

type Action = (session: Session, kit: Statek, given: Given) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  list,
  show: async ({ out }, kit, given) => print(out, await (await found(kit, given)).state()),
  set,
  pause: onOne((schedule) => schedule.pause()),
  resume: onOne((schedule) => schedule.resume()),
  delete: onOne((schedule) => schedule.delete()),
  run: async ({ out }, kit, given) => {
    const job = await (await found(kit, given)).runNow();
    if (out.isJson) out.json({ job });
    else out.line(harmless(job));
  },
};

/** Options of actions. */
const optionsOf = Object.fromEntries(
  ['cron', 'timeZone', 'every', 'at', 'role', 'message', 'vars', 'missed', 'overlap'].map((name) => [name, ['set']]),
);

export const schedules: Command = {
  name: 'schedules',
  group: 'Run',
  summary: 'jobs submitted at times: list, show, set, pause, resume, run, delete',
  details: `Each time is fired once, by whichever worker comes first. Times that pass while no worker runs are made up for as
--missed says; --overlap says what happens while the job before is not over. Jobs of a schedule have the label schedule:NAME.`,
  arguments: [
    { syntax: '<what>', description: 'list, show, set, pause, resume, run or delete' },
    { syntax: '[name]', description: 'the schedule' },
  ],
  options: [
    { flags: '--cron <expression>', description: "set: minute, hour, day, month, day of the week, as in '30 2 * * *'" },
    { flags: '--time-zone <zone>', description: 'set: whose wall clock --cron means (default: UTC)' },
    { flags: '--every <time>', description: 'set: an interval, such as 15m or 2h', parse: parseDuration },
    { flags: '--at <time>', description: 'set: the only time: an ISO date, or 2h from now', parse: timeToCome },
    { flags: '-r, --role <role>', description: 'set: whose jobs' },
    { flags: '-m, --message <text>', description: 'set: said to each job first' },
    { flags: '--vars <json>', description: 'set: variables of each job, or @file' },
    { flags: '--missed <how>', description: 'set: default once', choices: ['skip', 'once', 'all'] },
    { flags: '--overlap <how>', description: 'set: default queue', choices: ['queue', 'skip', 'cancel'] },
  ],
  examples: [
    ["schedules set nightly --cron '30 2 * * *' --time-zone Europe/Berlin --role report", 'a job every night'],
    ['schedules list', 'all schedules, and when they are due'],
    ['schedules run nightly', 'one of its jobs now'],
  ],
  async run(session, given) {
    const what = given.text('what');
    const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
    if (action === undefined)
      throw new UsageError(`statek schedules has no action '${what}'. Use ${Object.keys(actions).join(', ')}.`);
    refuseOptionsOfOthers(given, `schedules ${what}`, what, optionsOf);
    await action(session, await session.kit(what === 'set' ? 'work' : 'look'), given);
  },
};

/** A duration means from now on. */
function timeToCome(option: string, text: string): Date {
  return /^\d+(?:\.\d+)?\s*[a-z]+$/i.test(text)
    ? new Date(Date.now() + parseDuration(option, text))
    : parseTime(option, text, 'in how long');
}

function nameOf(given: Given): string {
  const name = given.optional('name');
  if (name === undefined) throw new UsageError(`statek schedules ${given.text('what')} needs the name of a schedule.`);
  return name;
}

function found(kit: Statek, given: Given): ReturnType<Statek['findSchedule']> {
  return kit.findSchedule(nameOf(given));
}

function onOne(act: (schedule: Awaited<ReturnType<Statek['findSchedule']>>) => Promise<void>): Action {
  return async ({ out }, kit, given) => {
    const schedule = await found(kit, given);
    await act(schedule);
    if (out.isJson) out.json({ schedule: schedule.name });
    else out.line(harmless(schedule.name));
  };
}

async function set({ out, folder }: Session, kit: Statek, given: Given): Promise<void> {
  const role = given.optional('role');
  if (role === undefined) throw new UsageError('statek schedules set needs --role.');
  const vars = given.optional('vars');
  const schedule = await kit.schedule(nameOf(given), {
    cron: given.optional('cron'),
    timeZone: given.optional('timeZone'),
    every: given.number('every'),
    at: given.date('at'),
    missed: given.optional('missed') as ScheduleState['missed'] | undefined,
    overlap: given.optional('overlap') as ScheduleState['overlap'] | undefined,
    submit: {
      role,
      ...(given.has('message') ? { message: given.text('message') } : {}),
      ...(vars === undefined ? {} : { vars: jsonObject('--vars', vars, folder) }),
    },
  });
  print(out, await schedule.state());
}

async function list({ out }: Session, kit: Statek): Promise<void> {
  const all: ScheduleState[] = [];
  for await (const schedule of kit.schedules()) all.push(schedule);
  if (out.isJson) {
    out.json(all);
    return;
  }
  if (all.length === 0) out.note('There are no schedules.');
  else
    out.table(all, [
      { title: 'SCHEDULE', text: ({ name }) => oneLine(name), minWidth: 8 },
      { title: 'ROLE', text: ({ role }) => oneLine(role), minWidth: 6 },
      { title: 'TIMES', text: timingText, minWidth: 8 },
      { title: 'NEXT', text: ({ next, paused }) => (paused ? 'paused' : timeText(next)) },
      { title: 'FIRED', text: ({ fired }) => String(fired), right: true },
      { title: 'SKIPPED', text: ({ skipped }) => String(skipped), right: true },
    ]);
}

function print(out: Session['out'], state: ScheduleState): void {
  if (out.isJson) {
    out.json(state);
    return;
  }
  const { name, role, next, paused, waiting, last, fired, skipped, missed, overlap } = state;
  out.facts([
    ['schedule', out.style.bold(harmless(name))],
    ['role', harmless(role)],
    ['times', timingText(state)],
    ['next', paused ? 'paused' : (next?.toISOString() ?? 'none')],
    ['missed', missed],
    ['overlap', overlap],
    ['waiting', waiting.length === 0 ? undefined : String(waiting.length)],
    ['last job', last && harmless(last.job)],
    ['fired', String(fired)],
    ['skipped', String(skipped)],
  ]);
}

function timingText({ timing }: ScheduleState): string {
  if ('cron' in timing) return `${timing.cron} ${timing.timeZone}`;
  return 'every' in timing ? `every ${durationText(timing.every)}` : timing.at.toISOString();
}
