// One program of very many steps whose old commits are dropped while it runs: what its store takes, how soon it continues in a new
// process beside a program of fifty steps, and what its steps notice of it.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Statek, type Workspace } from '../../src/index.ts';
import { inBenchFolder } from '../support/folder.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { resumeOnce } from '../workspace/resume.ts';
import { prelude, smallStep } from '../workspace/steps.ts';

const fewSteps = 50;
const resumes = 9;

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const steps = quick ? 10_000 : 100_000;
  const retention = { last: steps / 100 };
  return inBenchFolder('retention', async (folder) => {
    const store = join(folder, 'data');
    const kit = await Statek.open({ store, retention: false });
    const few = await kit.workspace('few');
    await few.run(prelude);
    for (let number = 0; number < fewSteps; number++) await few.run(smallStep(number));
    const { sizes, quiet, meanwhile } = await runLong(kit, await kit.workspace('many'), { store, steps, retention });
    await kit.close();
    const samples: Record<string, number[]> = { few: [], many: [] };
    for (let turn = 0; turn < resumes; turn++)
      for (const name of ['few', 'many']) samples[name]?.push(resumeOnce(store, name));
    const [fewResume, manyResume] = ['few', 'many'].map((name) => percentile(samples[name] ?? [], 0.5));
    const [first = 0, last = 0] = [sizes[3], sizes.at(-1)];
    const growth = round(last / first);
    return [
      row('retentionStore', last / 2 ** 20, 'MiB', `store after ${steps} steps that keep ${retention.last} commits`),
      {
        ...row('retentionGrowth', growth, '×', `the same, of its size after ${steps / 5} steps`),
        goal: { text: 'at most 1.05 ×', met: growth <= 1.05 },
      },
      row('retentionResumeFew', fewResume ?? 0, 'ms', `resumed in a new process after ${fewSteps} steps`),
      row('retentionResumeMany', manyResume ?? 0, 'ms', `resumed in a new process after ${steps} steps`),
      row('retentionStepQuiet', percentile(quiet, 0.99), 'ms', 'a step, p99'),
      row('retentionStepMeanwhile', percentile(meanwhile, 0.99), 'ms', 'a step while old commits are dropped, p99'),
    ];
  });
}

/** Twenty times over, old commits are dropped while the program goes on. */
async function runLong(
  kit: Statek,
  workspace: Workspace,
  {
    store,
    steps,
    retention,
  }: { readonly store: string; readonly steps: number; readonly retention: { readonly last: number } },
): Promise<{ readonly sizes: number[]; readonly quiet: number[]; readonly meanwhile: number[] }> {
  const sizes: number[] = [];
  const quiet: number[] = [];
  const meanwhile: number[] = [];
  await workspace.run(prelude);
  let dropping: Promise<unknown> | undefined;
  for (let number = 0; number < steps; number++) {
    if (number % 500 === 0) progress(`step ${number} of ${steps}`);
    const started = performance.now();
    await workspace.run(smallStep(number));
    (dropping === undefined ? quiet : meanwhile).push(performance.now() - started);
    if ((number + 1) % (steps / 20) !== 0) continue;
    await dropping;
    sizes.push(sizeOf(store));
    dropping = kit.gc({ retention }).finally(() => (dropping = undefined));
  }
  await dropping;
  return { sizes, quiet, meanwhile };
}

/** Without the write-ahead log, which is 64 MB at most, and gone when the store is closed. */
function sizeOf(folder: string): number {
  return statSync(join(folder, 'statek.db')).size;
}

function row(figure: string, value: number, unit: string, what: string): Measurement {
  return { figure, value: round(value), unit, what };
}
