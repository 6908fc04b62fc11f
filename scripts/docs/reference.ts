// A page for everything that is exported, made from its comments by TypeDoc.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../support/run.ts';
import { entryPoints } from '../support/entry-points.ts';
import { siteTool } from './install.ts';
import { pagesFolder, siteFolder } from './pages.ts';

export async function writeReference(): Promise<void> {
  rmSync(join(pagesFolder, 'reference'), { recursive: true, force: true });
  const sources = entryPoints().flatMap(({ declarations }) => [
    '--entryPoints',
    join('../src', declarations.replace('.d.ts', '.ts')),
  ]);
  await mustRun(siteTool('typedoc'), ['--options', 'typedoc.json', ...sources], { folder: siteFolder });
}
