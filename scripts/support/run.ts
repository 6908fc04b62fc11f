// Runs a program and captures its output, for checks that show it only on failure.
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
  /** Called with each piece of output. */
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

/** Like run(), but throws with the program's output if it fails. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new CommandError(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}

/** Waits for all of them even if one fails, so that nothing is still running when the caller cleans up. */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(works)).filter((result) => result.status === 'rejected');
  if (failures.length > 0) throw new CommandError(failures.map(({ reason }) => messageOf(reason)).join('\n'));
}

function messageOf(reason: unknown): string {
  return reason instanceof CommandError ? reason.message : inspect(reason);
}

/** A program from the development dependencies. */
export function tool(name: string): string {
  return join(root, 'node_modules', '.bin', name);
}

/** An external failure; its message is enough, without a stack. */
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
