// Small steps: what one costs, in time and bytes, for one workspace and for many.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Statek, type Workspace } from '../../src/index.ts';
import { milliseconds, percentile, processCpuMilliseconds } from '../support/measurement.ts';
import { RawDisk } from '../store/raw-disk.ts';

/** A step that keeps about 500 bytes of state, as a model would write it. */
export function smallStep(number: number): string {
  return `const note: string = \`step ${number} \${total}\`.padEnd(500, '.');\ntotal += ${number};\nhistory.push(note.length);\nif (history.length > 20) history.shift();\ntotal`;
}

export const prelude = 'let total = 0; const history: number[] = []; let note = "";';

export interface StepFigures {
  readonly p50: number;
  readonly perSecond: number;
  /** Of all threads of the process, for each step. */
  readonly cpuMilliseconds: number;
  readonly rawP50: number;
  readonly deltaBytes: number;
  readonly growthBytes: number;
}

export async function measureSteps(folder: string, count: number): Promise<StepFigures> {
  const kit = await Statek.open({ store: join(folder, 'one') });
  const workspace = await kit.workspace('one');
  await workspace.run(prelude);
  // As many steps as LangGraph runs before it is measured: both are compiled by then.
  for (let number = 0; number < count; number++) await workspace.run(smallStep(number));
  const disk = new RawDisk(folder, 16 * 1024);
  const samples: number[] = [];
  for (let number = 0; number < count; number++) {
    samples.push(await milliseconds(() => workspace.run(smallStep(number))));
    disk.append();
  }
  disk.close();
  // In another one: what a step adds to the store depends on how many there were.
  const other = await kit.workspace('other');
  await other.run(prelude);
  for (let number = 0; number < 50; number++) await other.run(smallStep(number));
  const cpu = await processCpuMilliseconds(async () => {
    for (let number = 0; number < count * 5; number++) await other.run(smallStep(number));
  });
  const commits = await workspace.commits({ limit: count });
  await kit.close();
  const before = statSync(join(folder, 'one/statek.db')).size;
  const again = await Statek.open({ store: join(folder, 'one') });
  const same = await again.workspace('one');
  for (let number = 0; number < count; number++) await same.run(smallStep(number));
  await again.close();
  return {
    p50: percentile(samples, 0.5),
    perSecond: (samples.length / samples.reduce((sum, sample) => sum + sample, 0)) * 1000,
    cpuMilliseconds: cpu / (count * 5),
    rawP50: percentile(disk.samples, 0.5),
    deltaBytes: commits.reduce((sum, { storedBytes }) => sum + storedBytes, 0) / commits.length,
    growthBytes: (statSync(join(folder, 'one/statek.db')).size - before) / count,
  };
}

export interface ManyFigures {
  readonly perSecond: number;
  readonly cpuMilliseconds: number;
}

/** Many workspaces, each waiting for its own step. */
export async function measureMany(folder: string, workspaces: number, stepsEach: number): Promise<ManyFigures> {
  const kit = await Statek.open({ store: join(folder, 'many'), liveWorkspaces: workspaces });
  const all: Workspace[] = await Promise.all(
    Array.from({ length: workspaces }, (_, index) => kit.workspace(`workspace ${index}`)),
  );
  await Promise.all(all.map((workspace) => workspace.run(prelude)));
  let time = 0;
  const cpu = await processCpuMilliseconds(async () => {
    time = await milliseconds(() =>
      Promise.all(
        all.map(async (workspace) => {
          for (let number = 0; number < stepsEach; number++) await workspace.run(smallStep(number));
        }),
      ),
    );
  });
  await kit.close();
  const steps = workspaces * stepsEach;
  return { perSecond: steps / (time / 1000), cpuMilliseconds: cpu / steps };
}
