// The long run of kills: rounds on one store until all are done or one shows a problem.
import { CrashRun, type RoundReport } from './crash-run.ts';
import { placeFor, type CrashEngine } from './place.ts';
import { countKinds, type LongRun } from './long-run.ts';
import { Progress } from './progress.ts';

export async function killRounds(rounds: number, seed: number, store: CrashEngine): Promise<LongRun> {
  const place = await placeFor(store);
  if (place === undefined) throw new Error(`There is no ${store} server to test with.`);
  const progress = new Progress(rounds);
  const run = new CrashRun(place, seed);
  const reports: RoundReport[] = [];
  const count = (of: (report: RoundReport) => number): number => reports.reduce((sum, report) => sum + of(report), 0);
  try {
    await run.prepare();
    while (reports.length < rounds) {
      reports.push(await run.round());
      progress.show(reports.length, `${count(({ acknowledged }) => acknowledged)} transactions acknowledged`);
      // A store that is wrong once stays wrong.
      if (reports.at(-1)?.problems.length !== 0) break;
    }
  } finally {
    progress.end();
    await run.dispose();
  }
  const problems = reports.flatMap((report) => report.problems);
  const acknowledged = count((report) => report.acknowledged);
  return {
    problems,
    words: `${reports.length} rounds of kill -9, ${acknowledged} transactions acknowledged`,
    figures: {
      rounds: reports.length,
      acknowledged,
      unacknowledgedThere: count(({ unacknowledgedThere }) => unacknowledgedThere),
      unacknowledgedAbsent: count(({ unacknowledgedAbsent }) => unacknowledgedAbsent),
      roundsWithTwoProcesses: reports.filter(({ processes }) => processes > 1).length,
      serverCrashes: reports.filter(({ serverCrashed }) => serverCrashed).length,
      ...countKinds(problems),
    },
  };
}
