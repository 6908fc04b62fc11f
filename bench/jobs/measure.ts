// Benchmarks jobs: many waiting ones, timers, wake-ups, and durable steps compared with DBOS on the same database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { postgresForTests } from '../../tests/support/postgres.ts';
import { progress, round, type Measurement } from '../support/measurement.ts';
import { measureDbos } from './dbos.ts';
import { park, startBeside, wakeLatencies } from './parked.ts';
import { stepsPerSecond } from './steps.ts';
import { measureTimers } from './timers.ts';
import { coder, stepper } from './workload.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-bench-jobs-'));
  try {
    return [
      ...(await measureParked(folder, quick)),
      ...(await measureTimerRates(folder, quick)),
      ...(await measureSteps(folder, quick)),
      ...(await measurePostgres(quick)),
    ];
  } finally {
    progress('');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureParked(folder: string, quick: boolean): Promise<Measurement[]> {
  const [few, many] = quick ? [200, 2000] : [1000, 100_000];
  const samples = quick ? 50 : 300;
  progress(`parking ${many} jobs`);
  const place = join(folder, 'parked');
  await park(place, 0, few);
  const before = await wakeLatencies(place, 0, samples);
  await park(place, few, many - few);
  const { startMilliseconds, growthMegabytes } = startBeside(place);
  const after = await wakeLatencies(place, few, samples);
  const ratio = round(after.p50 / before.p50);
  return [
    { figure: 'parkedJobs', value: many, unit: '', what: 'jobs that wait for a message' },
    {
      figure: 'parkedGrowthMegabytes',
      value: round(growthMegabytes),
      unit: 'MB',
      what: 'memory they add to a worker',
      goal: { text: '< 150', met: growthMegabytes < 150 },
    },
    {
      figure: 'workerStartMilliseconds',
      value: round(startMilliseconds),
      unit: 'ms',
      what: 'a new process: from opening the store to its first job done',
      goal: { text: '< 2,000', met: startMilliseconds < 2000 },
    },
    { figure: 'wakeFewP50', value: round(before.p50), unit: 'ms', what: `message to result, p50, ${few} parked` },
    { figure: 'wakeFewP99', value: round(before.p99), unit: 'ms', what: `… p99` },
    { figure: 'wakeManyP50', value: round(after.p50), unit: 'ms', what: `message to result, p50, ${many} parked` },
    { figure: 'wakeManyP99', value: round(after.p99), unit: 'ms', what: `… p99` },
    {
      figure: 'wakeRatioP50',
      value: ratio,
      unit: '×',
      what: 'p50, many against few',
      goal: { text: '≤ 1.5', met: ratio <= 1.5 },
    },
    {
      figure: 'wakeRatioP99',
      value: round(after.p99 / before.p99),
      unit: '×',
      what: 'p99, many against few',
      goal: { text: '≤ 1.5', met: after.p99 / before.p99 <= 1.5 },
    },
  ];
}

async function measureTimerRates(folder: string, quick: boolean): Promise<Measurement[]> {
  const count = quick ? 2000 : 100_000;
  progress(`timers of ${count} jobs`);
  const resumed = quick ? 300 : 1500;
  const { settledPerSecond, resumedPerSecond } = await measureTimers(join(folder, 'timers'), count, resumed);
  return [
    { figure: 'timers', value: count, unit: '', what: 'jobs suspended in the middle of a program, all due' },
    { figure: 'timersSettledPerSecond', value: round(settledPerSecond), unit: '/s', what: 'timers settled' },
    {
      figure: 'programsResumedPerSecond',
      value: round(resumedPerSecond),
      unit: '/s',
      what: 'programs resumed and brought to their end',
    },
  ];
}

const activeJobs = [1, 10, 100];

async function measureSteps(folder: string, quick: boolean): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const jobs of activeJobs) {
    for (const [driver, what] of [
      [stepper, 'steps'],
      [coder, 'programSteps'],
    ] as const) {
      progress(`${what} of ${jobs} jobs`);
      const store = await openStore(join(folder, `steps ${driver.role} ${jobs}`));
      const perSecond = await stepsPerSecond(store, driver, jobs, stepsFor(jobs, quick));
      await store.close();
      const described = driver === stepper ? 'durable steps' : 'durable steps of guest code';
      measurements.push({
        figure: `sqlite_${what}_${jobs}`,
        value: round(perSecond),
        unit: '/s',
        what: `SQLite, ${described}, ${jobs} jobs at once`,
      });
    }
  }
  return measurements;
}

async function measurePostgres(quick: boolean): Promise<Measurement[]> {
  const postgres = await postgresForTests();
  if (postgres === undefined) return [];
  const measurements: Measurement[] = [];
  const [settings] = await postgres.query(
    "select current_setting('synchronous_commit') as synchronous, current_setting('fsync') as fsync, current_setting('server_version') as version",
  );
  measurements.push({
    figure: 'postgresSettings',
    value: `synchronous_commit=${String(settings?.['synchronous'])}, fsync=${String(settings?.['fsync'])}, PostgreSQL ${String(settings?.['version'])}`,
    unit: '',
    what: 'both sides: one process, the same server',
  });
  const ours: number[] = [];
  for (const jobs of activeJobs) {
    for (const driver of [stepper, coder]) {
      progress(`PostgreSQL, steps of ${jobs} jobs (${driver.role})`);
      const { schema, drop } = await postgres.freshSchema();
      const store = await openPostgres(postgres.url, { schema });
      const perSecond = await stepsPerSecond(store, driver, jobs, stepsFor(jobs, quick));
      await store.close();
      await drop();
      if (driver === stepper) ours.push(perSecond);
      const [figure, described] =
        driver === stepper ? ['steps', 'durable steps'] : ['programSteps', 'durable steps of guest code'];
      measurements.push({
        figure: `postgres_${figure}_${jobs}`,
        value: round(perSecond),
        unit: '/s',
        what: `PostgreSQL, ${described}, ${jobs} jobs at once`,
      });
    }
  }
  progress('DBOS');
  const { schema, drop } = await postgres.freshSchema();
  const runs = activeJobs.map((jobs) => ({ jobs, steps: stepsFor(jobs, quick) }));
  const theirs = measureDbos(postgres.url, schema, runs);
  await drop();
  if (typeof theirs === 'string')
    return [...measurements, { figure: 'dbos', value: theirs, unit: '', what: 'DBOS on the same steps' }];
  for (const [index, jobs] of activeJobs.entries()) {
    const [own = 0, other = 0] = [ours[index], theirs[index]];
    measurements.push(
      {
        figure: `dbos_steps_${jobs}`,
        value: round(other),
        unit: '/s',
        what: `DBOS, durable steps, ${jobs} workflows at once`,
      },
      {
        figure: `dbosRatio_${jobs}`,
        value: round(own / other),
        unit: '×',
        what: `ours against theirs, ${jobs} at once`,
        goal: { text: '≥ 3', met: own / other >= 3 },
      },
    );
  }
  return measurements;
}

function stepsFor(jobs: number, quick: boolean): number {
  return Math.ceil((quick ? 200 : 2000) / Math.sqrt(jobs) / Math.min(jobs, 3));
}
