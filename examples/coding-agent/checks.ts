// Two checks of a repository in memory: TypeScript's own compiler, and its code run in a sandbox of its own.
import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Statek } from 'statek';

export type Files = Readonly<Record<string, string>>;

// Given on the command line: a configuration within the repository would be the agent's to change.
const options = ['--noEmit', '--strict', '--allowImportingTsExtensions', '--ignoreConfig', '--pretty', 'false'];
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** What the compiler has to say: a line for each error, none if there are none. It reads the files and runs none of them. */
export async function typeCheck(files: Files): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-check-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const program = [compiler, ...options, ...Object.keys(files)];
    const out = await new Promise<string>((resolve, reject) => {
      // It fails when it has found errors; any other failure must not look like a repository without them.
      execFile(process.execPath, program, { cwd: folder }, (error, text) =>
        error === null || text.includes('error TS') ? resolve(text) : reject(error),
      );
    });
    return out.split('\n').filter((line) => line.includes('error'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The value of an expression after a file's code has run, in a workspace that reaches nothing and is thrown away. */
export async function evaluate(source: string, expression: string): Promise<unknown> {
  const sandbox = await Statek.open({ store: 'memory:' });
  try {
    const workspace = await sandbox.workspace('check');
    await workspace.run(source.replaceAll(/^export /gm, ''));
    const { value, error } = await workspace.run(expression);
    return error === undefined ? value : `${error.name}: ${error.message}`;
  } finally {
    await sandbox.close();
  }
}
