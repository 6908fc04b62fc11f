// Several processes on a PostgreSQL server at a distance, against one: what a round trip costs, and what a cluster gains.
import { cpus } from 'node:os';
import type { TestPostgres } from '../../tests/support/postgres.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { clusterStepsPerSecond, type Cluster } from './cluster.ts';
import { dbosWarmUp, measureDbos } from './dbos.ts';
import { distantServer } from './distant-server.ts';

const millisecondsEachWay = 1;
const shapes = [
  { processes: 1, jobs: 100 },
  { processes: 4, jobs: 25 },
  { processes: 4, jobs: 100 },
] as const;

interface Figures {
  readonly name: string;
  readonly perSecond: number;
  /** The share of all cores that was in use, from 0 to 1. */
  readonly busy: number;
}

/** The ratios come first. */
export async function measureDistance(postgres: TestPostgres, quick: boolean): Promise<Measurement[]> {
  const server = await distantServer(postgres.url, millisecondsEachWay);
  try {
    const samples = new Map<string, Figures[]>();
    // In turns, so that what else the machine does affects all of them.
    for (let turn = 0; turn < (quick ? 1 : 3); turn++) {
      for (const { processes, jobs } of shapes) {
        const name = `${processes}x${jobs}`;
        progress(`${name} jobs at a distance`);
        const steps = Math.ceil((quick ? 5000 : 40_000) / (processes * jobs));
        const figures = await measureOne(postgres, server.url, { processes, jobs, steps });
        samples.set(name, [...(samples.get(name) ?? []), { name, ...figures }]);
      }
    }
    const [one, few, many] = [...samples.values()].map(median) as [Figures, Figures, Figures];
    progress('DBOS at a distance');
    const { schema, drop } = await postgres.freshSchema();
    const theirs = measureDbos(server.url, schema, [dbosWarmUp, { jobs: 100, steps: quick ? 5 : 50 }]);
    await drop();
    return [
      ratio('distanceRatio_4x25', few, one, 1),
      ratio('distanceRatio_4x100', many, one, 2),
      ...dbosFigures(theirs, one),
      ...[one, few, many].flatMap(plainFigures),
    ];
  } finally {
    await server.close();
  }
}

async function measureOne(
  postgres: TestPostgres,
  url: string,
  cluster: Cluster,
): Promise<{ readonly perSecond: number; readonly busy: number }> {
  let before = cpuTimes();
  let after = before;
  const perSecond = await clusterStepsPerSecond(postgres, url, cluster, {
    onStart: () => (before = cpuTimes()),
    onEnd: () => (after = cpuTimes()),
  });
  return { perSecond, busy: 1 - (after.idle - before.idle) / (after.all - before.all) };
}

function cpuTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map(({ times: one }) => one);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}

function median(samples: readonly Figures[]): Figures {
  const middle = percentile(
    samples.map(({ perSecond }) => perSecond),
    0.5,
  );
  return samples.find(({ perSecond }) => perSecond === middle) as Figures;
}

function ratio(figure: string, few: Figures, one: Figures, goal: number): Measurement {
  const value = few.perSecond / one.perSecond;
  return {
    figure,
    value: round(value),
    unit: '×',
    what: `PostgreSQL ${2 * millisecondsEachWay} ms away, ${few.name} jobs against ${one.name}`,
    goal: { text: `≥ ${goal}`, met: value >= goal },
  };
}

function plainFigures({ name, perSecond, busy }: Figures): Measurement[] {
  return [
    { figure: `distance_steps_${name}`, value: round(perSecond), unit: '/s', what: `… durable steps, ${name} jobs` },
    {
      figure: `distance_busy_${name}`,
      value: round(busy * 100),
      unit: '%',
      what: `… of all ${cpus().length} cores in use meanwhile, the server's share included`,
    },
  ];
}

function dbosFigures(theirs: readonly number[] | string, one: Figures): Measurement[] {
  const what = `… DBOS, durable steps, 100 workflows in one process`;
  if (typeof theirs === 'string') return [{ figure: 'distance_dbos', value: theirs, unit: '', what }];
  const perSecond = theirs.at(-1) ?? 0;
  return [
    {
      figure: 'distanceDbosRatio_100',
      value: round(one.perSecond / perSecond),
      unit: '×',
      what: '… one process against DBOS, 100 at once',
    },
    { figure: 'distance_dbos_steps_100', value: round(perSecond), unit: '/s', what },
  ];
}
