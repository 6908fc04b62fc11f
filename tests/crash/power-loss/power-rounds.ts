// The long run of power cuts: a new recording for every hundred of them, and first a relaxed store, which must lose
// something, or the cuts prove nothing.
import { countKinds, type LongRun } from '../long-run.ts';
import { Progress } from '../progress.ts';
import { Random } from '../random.ts';
import { cutPower, type CutsReport } from './cuts.ts';
import { canTrace } from './record.ts';

const cutsPerRecording = 100;

export async function powerRounds(cuts: number, seed: number): Promise<LongRun> {
  if (!canTrace()) throw new Error('Processes cannot be traced here.');
  const random = new Random(seed);
  const control = await cutPower({ durability: 'relaxed', calls: 100, cuts: 20, random });
  if (control.withoutSync === 0 || control.problems.length === 0)
    throw new Error('A relaxed store lost nothing, so the cuts prove nothing.');
  const progress = new Progress(cuts);
  const reports: CutsReport[] = [];
  const count = (of: (report: CutsReport) => number): number => reports.reduce((sum, report) => sum + of(report), 0);
  try {
    for (let done = 0; done < cuts; done += cutsPerRecording) {
      const next = Math.min(cutsPerRecording, cuts - done);
      const shown = (more: number): void => progress.show(done + more, `${reports.length + 1} recordings`);
      reports.push(await cutPower({ durability: 'full', calls: 150, cuts: next, random, shown }));
    }
  } finally {
    progress.end();
  }
  const problems = reports.flatMap((report) => report.problems);
  const withoutSync = count((report) => report.withoutSync);
  if (withoutSync > 0)
    problems.push({
      kind: 'lost',
      text: `${withoutSync} acknowledgements came before a sync.`,
      cut: { line: 0, torn: false, seed },
    });
  const figures = {
    cuts: count((report) => report.cuts),
    recordings: reports.length,
    acknowledgedAtCuts: count(({ acknowledgedAtCuts }) => acknowledgedAtCuts),
    acknowledgements: count(({ acknowledgements }) => acknowledgements),
    logSyncs: count(({ logSyncs }) => logSyncs),
    withoutSync,
    lostByRelaxed: countKinds(control.problems).lost,
  };
  return {
    problems,
    words: `${figures.cuts} power cuts, ${figures.acknowledgements} acknowledgements over ${figures.logSyncs} syncs`,
    figures: { ...figures, ...countKinds(problems) },
  };
}
