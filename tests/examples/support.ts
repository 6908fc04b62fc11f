// Runs an example as its reader does: as a program of its own, by the command of its README.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export async function runExample(
  name: string,
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const program = ['--import', './examples/from-source.ts', `examples/${name}/main.ts`, ...options];
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, program, {
    cwd: root,
    // Keys of whoever runs the tests are not for the examples.
    env: { PATH, TMPDIR, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Past the test's own time it must not stay behind.
    timeout: 230_000,
    killSignal: 'SIGKILL',
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, error }));
  });
}
