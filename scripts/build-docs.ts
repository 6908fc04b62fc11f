// Builds the site of the documentation into site/dist; `npm run docs`. It can be served from any path, and needs no network. Options:
// --without-reference leaves out the pages made from the sources, which is quicker; --into names another folder.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installSite, siteTool } from './docs/install.ts';
import { writeForModels } from './docs/llms.ts';
import { writeMenus } from './docs/menus.ts';
import { gatherPages, pagesFolder, siteFolder } from './docs/pages.ts';
import { writeReference } from './docs/reference.ts';
import { makeRelative, missingIn, placeholder } from './docs/relative-base.ts';
import { CommandError, main, mustRun } from './support/run.ts';

const { values } = parseArgs({ options: { 'without-reference': { type: 'boolean' }, into: { type: 'string' } } });

await main(async () => {
  await installSite();
  if (values['without-reference'] === true) rmSync(join(pagesFolder, 'reference'), { recursive: true, force: true });
  else await writeReference();
  gatherPages();
  writeMenus();
  const output = values.into === undefined ? join(siteFolder, 'dist') : resolve(values.into);
  rmSync(output, { recursive: true, force: true });
  await mustRun(siteTool('vitepress'), ['build', '.'], {
    folder: siteFolder,
    environment: { STATEK_SITE_BASE: placeholder, STATEK_SITE_OUTPUT: output },
  });
  makeRelative(output);
  writeForModels(output);
  const missing = missingIn(output);
  if (missing.length > 0)
    throw new CommandError(`Pages name files that are not there:\n${missing.slice(0, 20).join('\n')}`);
  console.log(`The site is in ${values.into ?? 'site/dist'}: serve it from any path.`);
});
