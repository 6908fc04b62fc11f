// `npm run test:schedules`: many schedules on several processes, of which one is killed now and then. Every time must have exactly one
// job, and every job must end. The last line of its output is a summary in JSON, and its exit code says whether all was well.
import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Statek } from '../../src/index.ts';
import { Random } from '../crash/random.ts';
import { Progress } from '../crash/progress.ts';
import { postgresForTests } from '../support/postgres.ts';
import { tick } from './tick.ts';

const usage =
  'npm run test:schedules -- [--store sqlite|postgres] [--schedules 1000] [--processes 4] [--seconds 600] [--seed N]';
const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    schedules: { type: 'string', default: '1000' },
    processes: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [schedules = 0, processes = 0, seconds = 0, seed = 0] = [
  values.schedules,
  values.processes,
  values.seconds,
  values.seed,
].map(Number);
if ([schedules, processes, seconds, seed].some((number) => !Number.isInteger(number) || number < 0)) {
  console.error(usage);
  process.exit(2);
}

const random = new Random(seed);
const folder = mkdtempSync(join(tmpdir(), 'statek-schedules-'));
const postgres = values.store === 'postgres' ? await postgresForTests() : undefined;
const database = await postgres?.freshSchema();
const located = (schema: string): string =>
  `${postgres?.url ?? ''}${postgres?.url.includes('?') === true ? '&' : '?'}schema=${schema}`;
const store =
  values.store !== 'postgres' ? join(folder, 'data') : database === undefined ? '' : located(database.schema);
if (store === '') {
  console.error('There is no PostgreSQL here.');
  process.exit(2);
}

const problems: string[] = [];
let kills = 0;
let firings = 0;
let behind = 0;
try {
  const kit = await Statek.open({ store, drivers: [tick] });
  const start = Date.now();
  for (let index = 0; index < schedules; index++)
    await kit.schedule(`s${index}`, {
      every: 5000 + 1000 * (index % 10),
      submit: { role: tick },
      missed: 'all',
      overlap: 'queue',
    });
  const children = new Set<ChildProcess>();
  const begin = (): void => {
    const child = fork(new URL('./worker-child.ts', import.meta.url), [store], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
  };
  for (let index = 0; index < processes; index++) begin();
  const progress = new Progress(seconds);
  for (let second = 0; second < seconds; second++) {
    await pause(1000);
    progress.show(second + 1, `${kills} kills`);
    if (random.fraction() < 0.5) continue;
    random.pick([...children]).kill('SIGKILL');
    kills++;
    begin();
  }
  for await (const { name } of kit.schedules()) await (await kit.findSchedule(name)).pause();
  await pause(5000);
  for (const child of children) child.kill('SIGKILL');
  await kit.runUntilIdle();
  for await (const state of kit.schedules()) firings += await check(kit, state.name, start);
  await kit.close();
} finally {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(
  JSON.stringify({
    store: values.store,
    seed,
    schedules,
    processes,
    seconds,
    kills,
    firings,
    behind,
    problems: problems.length,
  }),
);
process.exit(problems.length === 0 ? 0 : 1);

/** Every time of a schedule up to the last one it fired has one job, which is over; returns how many there are. */
async function check(kit: Statek, name: string, start: number): Promise<number> {
  const { fired, skipped, waiting, last, timing } = await (await kit.findSchedule(name)).state();
  const every = 'every' in timing ? timing.every : 0;
  const jobs = await kit.jobs({ label: `schedule:${name}`, order: 'oldest', limit: 1000 });
  const due = jobs.map(({ id }) => Date.parse(id.slice(id.indexOf('@') + 1))).toSorted((a, b) => a - b);
  const problem = (text: string): void => void problems.push(`${name}: ${text}`);
  behind += waiting.length;
  if (skipped > 0) problem(`${skipped} times were skipped`);
  if (jobs.length !== fired) problem(`it has ${jobs.length} jobs and says it fired ${fired}`);
  // A slow machine does not keep up. A paused schedule keeps the times that wait for the job before them.
  const all = [...due, ...waiting.map((time) => time.getTime())];
  for (const [index, time] of all.entries())
    if (index > 0 && time - (all[index - 1] ?? 0) !== every)
      problem(`the time before ${new Date(time).toISOString()} is missing`);
  if ((due[0] ?? start) - start > 2 * every + 60_000) problem('its first times are missing');
  if (last !== undefined && due.at(-1) !== last.due.getTime()) problem('its last time has no job');
  for (const { id, status, outcome } of jobs)
    if (status !== 'DONE' || outcome !== 'completed') problem(`${id} is ${outcome ?? status}`);
  for (const job of jobs.slice(0, 3)) {
    const begun = (await job.pastEvents()).filter(({ kind }) => kind === 'submitted').length;
    if (begun !== 1) problem(`${job.id} was submitted ${begun} times`);
  }
  return jobs.length;
}
