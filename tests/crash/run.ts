// `npm run test:crash`: the long run. Its last line sums up, and its exit code says whether all was well.
import { CrashRun, type RoundReport } from './crash-run.ts';
import { parseArguments, usage, type CrashArguments } from './arguments.ts';
import { postgresPlace, sqlitePlace } from './place.ts';
import type { Problem } from './problem.ts';
import { Progress } from './progress.ts';

interface Summary {
  readonly store: string;
  readonly seed: number;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly unacknowledgedThere: number;
  readonly unacknowledgedAbsent: number;
  readonly roundsWithTwoProcesses: number;
  readonly serverCrashes: number;
  readonly lost: number;
  readonly torn: number;
  readonly twice: number;
  readonly wrong: number;
  readonly seconds: number;
}

async function killRounds({
  rounds,
  seed,
  store,
}: CrashArguments): Promise<{ summary: Summary; problems: readonly Problem[] }> {
  const started = performance.now();
  const progress = new Progress(rounds);
  const place = store === 'sqlite' ? sqlitePlace() : await postgresPlace();
  if (place === undefined) throw new Error('There is no PostgreSQL server to test with.');
  const run = new CrashRun(place, seed);
  const reports: RoundReport[] = [];
  const count = (of: (report: RoundReport) => number): number => reports.reduce((sum, report) => sum + of(report), 0);
  const problemsOf = (kind: Problem['kind']): number =>
    count(({ problems }) => problems.filter((problem) => problem.kind === kind).length);
  try {
    await run.prepare();
    while (reports.length < rounds) {
      reports.push(await run.round());
      progress.show(reports.length, `${count(({ acknowledged }) => acknowledged)} acknowledged, none lost`);
      // A store that is wrong once stays wrong.
      if (reports.at(-1)?.problems.length !== 0) break;
    }
  } finally {
    progress.end();
    await run.dispose();
  }
  return {
    summary: {
      store,
      seed,
      rounds: reports.length,
      acknowledged: count(({ acknowledged }) => acknowledged),
      unacknowledgedThere: count(({ unacknowledgedThere }) => unacknowledgedThere),
      unacknowledgedAbsent: count(({ unacknowledgedAbsent }) => unacknowledgedAbsent),
      roundsWithTwoProcesses: reports.filter(({ processes }) => processes > 1).length,
      serverCrashes: reports.filter(({ serverCrashed }) => serverCrashed).length,
      lost: problemsOf('lost'),
      torn: problemsOf('torn'),
      twice: problemsOf('twice'),
      wrong: problemsOf('wrong'),
      seconds: Math.round((performance.now() - started) / 1000),
    },
    problems: reports.flatMap(({ problems }) => problems),
  };
}

async function main(given: CrashArguments): Promise<void> {
  const { summary, problems } = await killRounds(given);
  for (const { kind, text } of problems.slice(0, 20)) console.error(`${kind}: ${text}`);
  if (problems.length > 0) {
    console.error(
      `Round ${summary.rounds} of seed ${summary.seed}; the moment of a kill cannot be drawn again exactly.`,
    );
    process.exitCode = 1;
  }
  const { rounds, acknowledged, lost, torn, twice, wrong, seconds } = summary;
  console.log(
    given.json
      ? JSON.stringify(summary)
      : `${rounds} rounds, ${acknowledged} transactions acknowledged: ${lost} lost, ${torn} torn, ${twice} twice, ${wrong} wrong (seed ${summary.seed}, ${seconds} s)`,
  );
}

try {
  await main(parseArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`${error.stack ?? error.message}\n\n${usage}`);
  process.exitCode = 2;
}
