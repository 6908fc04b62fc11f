// Starts another program and keeps what it prints, for checks that show the output only when something is wrong.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { root } from './source.ts';

export interface Finished {
  readonly code: number;
  readonly output: string;
}

export interface RunOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
}

export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.folder ?? root,
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
        options.onOutput?.(text);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** As run(), but anything other than success is thrown with the program's own words. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new CommandError(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}

/** Waits for all of them, also when one fails, so that nothing is still running when the caller tidies up. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(works)).filter((result) => result.status === 'rejected');
  if (failures.length > 0) throw new CommandError(failures.map(({ reason }) => messageOf(reason)).join('\n'));
}

function messageOf(reason: unknown): string {
  return reason instanceof CommandError ? reason.message : inspect(reason);
}

/** A program of the repository's development dependencies. */
export function tool(name: string): string {
  return join(root, 'node_modules', '.bin', name);
}

/** Something outside went wrong; the message is all there is to say, a stack would only hide it. */
export class CommandError extends Error {}

/** Runs a check's main function and turns a CommandError into its message and exit code 1. */
export async function main(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
