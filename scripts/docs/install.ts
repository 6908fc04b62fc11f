// Installs what builds the site, when it is first used: no other command needs it, so a fresh clone does not wait for it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../support/run.ts';
import { siteFolder } from './pages.ts';

/** @param patience how long a registry that does not answer is waited for, in milliseconds, and only once; by default as npm does */
export async function installSite({ patience }: { readonly patience?: number } = {}): Promise<void> {
  const marker = join(siteFolder, 'node_modules/.statek-site');
  const wanted = createHash('sha256')
    .update(readFileSync(join(siteFolder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return;
  console.error('Installing what builds the site …');
  const hurry = patience === undefined ? [] : ['--fetch-retries=0', `--fetch-timeout=${patience}`];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await mustRun('npm', ['ci', '--prefer-offline', ...quiet, ...hurry], { folder: siteFolder });
  writeFileSync(marker, wanted);
}

/** A program of the site's own dependencies. */
export function siteTool(name: string): string {
  return join(siteFolder, 'node_modules/.bin', name);
}
