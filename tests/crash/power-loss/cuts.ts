// Power cuts in number: records loads, cuts each at random lines, and sums up what was found.
import type { Problem } from '../problem.ts';
import type { Random } from '../random.ts';
import { record } from './record.ts';
import { randomCuts, replay, type Cut } from './replay.ts';
import { countSyncs, type SyncCount } from './syncs.ts';

export interface CutsReport extends SyncCount {
  readonly cuts: number;
  /** Transactions that had been acknowledged at the cut, over all cuts. */
  readonly acknowledgedAtCuts: number;
  /** Each with the cut that shows it. */
  readonly problems: readonly (Problem & { readonly cut: Cut })[];
}

export async function cutPower(options: {
  readonly durability: 'full' | 'relaxed';
  readonly calls: number;
  readonly cuts: number;
  readonly random: Random;
  readonly shown?: (done: number) => void;
}): Promise<CutsReport> {
  const { durability, calls, random } = options;
  const recording = await record({ seed: random.seed(), calls, durability });
  const waiting = randomCuts(recording, options.cuts, random);
  const problems: (Problem & { readonly cut: Cut })[] = [];
  let acknowledgedAtCuts = 0;
  let done = 0;
  const replayAll = async (): Promise<void> => {
    for (let cut = waiting.pop(); cut !== undefined; cut = waiting.pop()) {
      const report = await replay(recording, cut);
      acknowledgedAtCuts += report.acknowledged;
      for (const problem of report.problems) problems.push({ ...problem, cut });
      options.shown?.(++done);
    }
  };
  await Promise.all([replayAll(), replayAll(), replayAll()]);
  return { ...countSyncs(recording), cuts: options.cuts, acknowledgedAtCuts, problems };
}
