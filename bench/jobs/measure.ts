// Benchmarks jobs: many waiting ones, timers, wake-ups, and durable steps compared with DBOS on the same database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Driver } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { postgresForTests, type TestPostgres } from '../../tests/support/postgres.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { dbosWarmUp, measureDbos } from './dbos.ts';
import { measureDistance } from './distance.ts';
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
      goal: { text: '≥ 800', met: resumedPerSecond >= 800 },
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

/** What one process does at 1, 10 and 100 jobs, against DBOS. */
const dbosGoals = [1.3, 3, 5];

async function measurePostgres(quick: boolean): Promise<Measurement[]> {
  const postgres = await postgresForTests();
  if (postgres === undefined) return [];
  const [settings] = await postgres.query(
    "select current_setting('synchronous_commit') as synchronous, current_setting('fsync') as fsync, current_setting('server_version') as version",
  );
  const about: Measurement = {
    figure: 'postgresSettings',
    value: `synchronous_commit=${String(settings?.['synchronous'])}, fsync=${String(settings?.['fsync'])}, PostgreSQL ${String(settings?.['version'])}`,
    unit: '',
    what: 'both sides: one process, the same server',
  };
  const ratios: Measurement[] = [];
  const plain: Measurement[] = [];
  for (const [index, jobs] of activeJobs.entries()) {
    const ours: number[] = [];
    const theirs: number[] = [];
    let why: string | undefined;
    // In turns, so that what else the machine does affects both.
    for (let turn = 0; turn < (quick ? 1 : 3); turn++) {
      progress(`PostgreSQL, steps of ${jobs} jobs`);
      ours.push(await postgresSteps(postgres, stepper, jobs, quick));
      progress(`DBOS, steps of ${jobs} workflows`);
      const { schema, drop } = await postgres.freshSchema();
      const measured = measureDbos(postgres.url, schema, [dbosWarmUp, { jobs, steps: stepsFor(jobs, quick) }]);
      await drop();
      if (typeof measured === 'string') why = measured;
      else theirs.push(measured.at(-1) ?? 0);
    }
    const [own, other] = [percentile(ours, 0.5), percentile(theirs, 0.5)];
    plain.push({
      figure: `postgres_steps_${jobs}`,
      value: round(own),
      unit: '/s',
      what: `PostgreSQL, durable steps, ${jobs} jobs at once`,
    });
    progress(`PostgreSQL, steps of guest code, ${jobs} jobs`);
    plain.push({
      figure: `postgres_programSteps_${jobs}`,
      value: round(await postgresSteps(postgres, coder, jobs, quick)),
      unit: '/s',
      what: `PostgreSQL, durable steps of guest code, ${jobs} jobs at once`,
    });
    plain.push({
      figure: `dbos_steps_${jobs}`,
      value: why ?? round(other),
      unit: why === undefined ? '/s' : '',
      what: `DBOS, durable steps, ${jobs} workflows at once`,
    });
    if (why !== undefined) continue;
    const goal = dbosGoals[index] as number;
    ratios.push({
      figure: `dbosRatio_${jobs}`,
      value: round(own / other),
      unit: '×',
      what: `PostgreSQL, durable steps against DBOS, ${jobs} at once`,
      goal: { text: `≥ ${goal}`, met: own / other >= goal },
    });
  }
  return [about, ...ratios, ...plain, ...(await measureDistance(postgres, quick))];
}

async function postgresSteps(postgres: TestPostgres, driver: Driver, jobs: number, quick: boolean): Promise<number> {
  const { schema, drop } = await postgres.freshSchema();
  const store = await openPostgres(postgres.url, { schema });
  const perSecond = await stepsPerSecond(store, driver, jobs, stepsFor(jobs, quick));
  await store.close();
  await drop();
  return perSecond;
}

function stepsFor(jobs: number, quick: boolean): number {
  return Math.ceil((quick ? 200 : 2000) / Math.sqrt(jobs) / Math.min(jobs, 3));
}
