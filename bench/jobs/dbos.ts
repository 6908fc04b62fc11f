// Measures DBOS on the same database with the same steps. It is installed on demand into a separate folder; if that fails,
// the comparison is skipped with the reason.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { progress } from '../support/measurement.ts';

const dbosPackage = '@dbos-inc/dbos-sdk@5.3.0';

/** So that its code is compiled before it is measured, as ours is by then. */
export const dbosWarmUp = { jobs: 10, steps: 50 };

/** Steps per second by the number of workflows at once, or why there are none. */
export function measureDbos(
  url: string,
  schema: string,
  runs: readonly { readonly jobs: number; readonly steps: number }[],
): readonly number[] | string {
  try {
    const output = execFileSync(
      process.execPath,
      [join(import.meta.dirname, 'dbos-child.mjs'), install(), url, schema, JSON.stringify(runs)],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as number[];
  } catch (error) {
    return `could not be installed or run: ${String(error).split('\n')[0]}`;
  }
}

function install(): string {
  const folder = process.env['STATEK_BENCH_DBOS'] ?? join(import.meta.dirname, '../../node_modules/.cache/dbos');
  if (existsSync(join(folder, 'node_modules/@dbos-inc/dbos-sdk'))) return folder;
  progress('installing DBOS');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', dbosPackage], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return folder;
}
