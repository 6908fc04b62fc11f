// `npm run test:soak -- --minutes 30`: schedules, agents, objects, retention and kills for a long time. The memory of a worker and the
// size of the store must be flat after the warm-up, and nothing may be lost or doubled. The last line is a summary in JSON.
import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../crash/random.ts';
import { adds, counts, Ledger, openSoak } from './cast.ts';
import { picture, slopeOf, type Slope } from './slope.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'jobs-per-second': { type: 'string', default: '8' },
    'kill-every': { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [minutes = 0, perSecond = 0, killEvery = 0, seed = 0] = [
  values.minutes,
  values['jobs-per-second'],
  values['kill-every'],
  values.seed,
].map(Number);
if (![minutes, perSecond, killEvery, seed].every((number) => number > 0)) {
  console.error('npm run test:soak -- [--minutes 30] [--jobs-per-second 8] [--kill-every 10] [--seed N]');
  process.exit(2);
}

const random = new Random(seed);
const folder = mkdtempSync(join(tmpdir(), 'statek-soak-'));
const [store, bookings] = [join(folder, 'data'), join(folder, 'bookings')];
writeFileSync(bookings, '');
const problems: string[] = [];
/** Of the database file alone: the write-ahead log beside it is larger than most leaks, and always as large. */
const sizes: number[] = [];
/** Of the worker that is never killed. */
const heaps: number[] = [];
let [kills, submitted, failed] = [0, 0, 0];
const children = new Set<ChildProcess>();
/** Jobs that have not been seen to end. */
const open = new Set<string>();

function begin(): ChildProcess {
  const child = fork(new URL('./worker-child.ts', import.meta.url), [store, bookings], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

try {
  const { kit, book } = await openSoak(store, bookings);
  const ledger = new Ledger();
  await kit.flush();
  await kit.schedule('pulse', {
    every: 1000,
    submit: { role: counts, vars: { ledger, book, job: 'pulse' } },
    overlap: 'skip',
  });
  const steady = begin();
  steady.on('message', (told) => heaps.push((told as { heap: number }).heap));
  begin();
  const stop = new AbortController();
  const since = await kit.store.revision();
  const following = (async () => {
    for await (const { job, kind, data } of kit.events({ since, signal: stop.signal })) {
      if (kind !== 'done') continue;
      open.delete(job);
      if ((data as { outcome: string }).outcome !== 'completed') {
        failed++;
        problems.push(`${job} ended ${JSON.stringify(data)}`);
      }
    }
  })();
  for (let second = 1; second <= minutes * 60; second++) {
    await pause(1000);
    for (let index = 0; index < perSecond; index++) {
      const id = `job${submitted++}`;
      open.add(id);
      const vars = { ledger, book, job: id };
      await kit.submit(random.pick(['clerk', counts.role, adds.role]), { id, vars, message: 'Go' });
    }
    if (second % killEvery === 0) {
      const victims = [...children].filter((child) => child !== steady);
      if (victims.length > 0) random.pick(victims).kill('SIGKILL');
      kills++;
      begin();
    }
    // Retention, and what it frees, as workers do it in the background, only sooner.
    if (second % 15 === 0)
      await kit.gc({ retention: { last: 5 }, graceMilliseconds: 0 }).catch((error: unknown) => note(error));
    if (second % 2 === 0) sizes.push(statSync(join(store, 'statek.db')).size);
    if (second % 10 === 0)
      process.stderr.write(
        `${second} s: ${submitted} jobs, ${open.size} open, ${kills} kills, heap ${megabytes(heaps.at(-1))}, store ${megabytes(sizes.at(-1))}\n`,
      );
  }
  await (await kit.findSchedule('pulse')).pause();
  for (let second = 0; second < 60 && open.size > 0; second++) await pause(1000);
  for (const id of open) problems.push(`${id} has not ended`);
  for (const child of children) child.kill('SIGKILL');
  await kit.runUntilIdle();
  stop.abort();
  await following.catch(() => undefined);
  check(await kit.transaction(() => ledger.total));
  const verified = await kit.verify();
  for (const problem of verified.problems) problems.push(`verify: ${JSON.stringify(problem)}`);
  await kit.close();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
const [heap, size] = [flat('heap', heaps), flat('store', sizes)];
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(JSON.stringify({ minutes, seed, submitted, kills, failed, heap, store: size, problems: problems.length }));
process.exit(problems.length === 0 ? 0 : 1);

/** Every job has booked; a killed process may have booked twice under the same key, since the tool is idempotent, and never added twice. */
function check(total: number): void {
  const booked = new Set(readFileSync(bookings, 'utf8').split('\n'));
  for (let index = 0; index < submitted; index++)
    if (!booked.has(`job${index}`) && !open.has(`job${index}`)) problems.push(`job${index} has not booked`);
  // What the schedule has added is not known exactly; it is at most one job each second.
  if (total < submitted - open.size - failed)
    problems.push(`the ledger has ${total}, and ${submitted} jobs have added to it`);
  if (total > submitted + minutes * 60 + 60)
    problems.push(`the ledger has ${total} of ${submitted} jobs: something was added twice`);
}

function note(error: unknown): void {
  const { code } = error as { code?: string };
  if (code !== 'HISTORY_COLLECTOR_REPLACED') problems.push(`gc: ${String(error)}`);
}

/** After the warm-up, the first quarter or 45 seconds if that is longer, a curve must be flat. */
function flat(name: string, curve: readonly number[]): Slope {
  const after = curve.slice(Math.max(Math.floor(curve.length / 4), Math.min(22, Math.floor(curve.length / 2))));
  const slope = slopeOf(after);
  console.error(
    `${name.padEnd(6)} ${picture(curve)} mean ${megabytes(slope.mean)}, growth ${megabytes(slope.growth)}, noise ${megabytes(slope.noise)}`,
  );
  if (!slope.isFlat) problems.push(`${name} grows: ${megabytes(slope.growth)} after the warm-up`);
  return slope;
}

function megabytes(bytes = 0): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
