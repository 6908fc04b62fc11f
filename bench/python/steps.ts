// Small durable steps in both languages, in turns, on one store.
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { milliseconds, percentile } from '../support/measurement.ts';

export interface StepFigures {
  readonly p50: number;
  readonly deltaBytes: number;
}

const prelude = {
  python: 'items = []\ntotal = 0\ndef add(n):\n    global total\n    total += n\n    items.append(n)\n    return total',
  typescript:
    'const items: number[] = []; let total = 0; function add(n: number) { total += n; items.push(n); return total }',
};

export async function measureSteps(
  folder: string,
  count: number,
): Promise<Readonly<Record<'python' | 'typescript', StepFigures>>> {
  const kit = await Statek.open({ store: join(folder, 'steps') });
  const languages = ['python', 'typescript'] as const;
  const workspaces = await Promise.all(languages.map((language) => kit.workspace(language, { language })));
  const samples: number[][] = [[], []];
  for (const [index, workspace] of workspaces.entries()) await workspace.run(prelude[languages[index] ?? 'python']);
  for (let number = -10; number < count; number++) {
    for (const [index, workspace] of workspaces.entries()) {
      const time = await milliseconds(() => workspace.run(`add(${number})`));
      if (number >= 0) samples[index]?.push(time);
    }
  }
  const figures = await Promise.all(
    workspaces.map(async (workspace, index): Promise<StepFigures> => {
      const commits = await workspace.commits({ limit: count });
      const bytes = commits.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
      return { p50: percentile(samples[index] ?? [], 0.5), deltaBytes: bytes / commits.length };
    }),
  );
  await kit.close();
  const [python, typescript] = figures as [StepFigures, StepFigures];
  return { python, typescript };
}
