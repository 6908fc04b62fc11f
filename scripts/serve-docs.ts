// Serves the documentation while it is written; `npm run docs:dev`. Pages are gathered again whenever one of them changes.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { installSite, siteTool } from './docs/install.ts';
import { writeMenus } from './docs/menus.ts';
import { gatherPages, siteFolder } from './docs/pages.ts';
import { main } from './support/run.ts';
import { root } from './support/source.ts';

await main(async () => {
  await installSite();
  gather();
  let later: NodeJS.Timeout | undefined;
  watch(join(root, 'docs'), { recursive: true }, () => {
    clearTimeout(later);
    later = setTimeout(gather, 100);
  });
  const server = spawn(siteTool('vitepress'), ['dev', '.', ...process.argv.slice(2)], {
    cwd: siteFolder,
    stdio: 'inherit',
  });
  process.once('SIGTERM', () => server.kill());
  server.once('exit', (code) => process.exit(code ?? 1));
});

/** A page that is being written may have a link that leads nowhere yet. */
function gather(): void {
  try {
    gatherPages();
  } catch (error) {
    console.error((error as Error).message);
  }
  writeMenus();
}
