// Coming back: a cold start of a process at an early and at a late step, and checkouts of the oldest and newest commit.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { milliseconds, percentile, progress } from '../support/measurement.ts';
import { prelude, smallStep } from './steps.ts';

export interface ResumeFigures {
  readonly early: number;
  readonly late: number;
  readonly oldest: number;
  readonly newest: number;
  readonly commits: number;
}

/** Makes one workspace with few steps and one with many in the same store, and resumes both in new processes, in turn. */
export async function measureResume(folder: string, few: number, many: number): Promise<ResumeFigures> {
  const store = join(folder, 'resume');
  const kit = await Statek.open({ store });
  for (const [name, steps] of [
    ['early', few],
    ['late', many],
  ] as const) {
    const workspace = await kit.workspace(name);
    await workspace.run(prelude);
    for (let number = 0; number < steps; number++) {
      if (number % 500 === 0) progress(`${name}: step ${number} of ${steps}`);
      await workspace.run(smallStep(number));
    }
  }
  const late = await kit.workspace('late');
  const [newest] = await late.commits({ limit: 1 });
  let oldest: { readonly hash: string } | undefined = newest;
  for await (const commit of everyCommit(late)) oldest = commit;
  const checkout = async (hash: string): Promise<number> => {
    const samples: number[] = [];
    for (let round = 0; round < 15; round++)
      samples.push(await milliseconds(async () => (await late.at(hash)).locals()));
    return percentile(samples, 0.5);
  };
  const figures = { oldest: await checkout(oldest?.hash ?? ''), newest: await checkout(newest?.hash ?? '') };
  await kit.close();
  const samples: Record<string, number[]> = { early: [], late: [] };
  // Each adds a step. The packs since the last large one, up to twenty, are all read: so many rounds see every number of them.
  for (let round = 0; round < 24; round++)
    for (const name of ['early', 'late']) samples[name]?.push(resumeOnce(store, name));
  return {
    early: percentile(samples['early'] ?? [], 0.5),
    late: percentile(samples['late'] ?? [], 0.5),
    ...figures,
    commits: many,
  };
}

async function* everyCommit(
  workspace: Awaited<ReturnType<Statek['workspace']>>,
): AsyncGenerator<{ readonly hash: string }, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await workspace.commitPage({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.commits;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Milliseconds from asking for the workspace to the value of its first step, in a process of its own. */
export function resumeOnce(store: string, name: string): number {
  const output = execFileSync(process.execPath, [join(import.meta.dirname, 'resume-child.ts'), store, name], {
    encoding: 'utf8',
  });
  return Number(output);
}
