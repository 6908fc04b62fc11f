// Runs the real command line as a child process, and tells what it printed and how it ended.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import { runWords } from '../../../src/cli/line/run-words.ts';
import { Statek, type StatekConfig } from '../../../src/index.ts';
import application from '../application/statek.config.ts';

/** For a file of tests: each command is a process, and on a machine with other things to do some of them take a while. */
export function expectProcesses(): void {
  vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
}

export const mainFile: string = join(import.meta.dirname, '../../../src/cli/main.ts');
export const applicationFolder: string = join(import.meta.dirname, '../application');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** Without what the machine the tests run on says about colours and stores. */
function environmentWith(more: StartOptions['environment'] = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _no, FORCE_COLOR: _force, STATEK_STORE: _store, ...rest } = process.env;
  return { ...rest, ...more };
}

export function start(words: readonly string[], options: StartOptions = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [mainFile, ...words], {
    cwd: options.folder ?? applicationFolder,
    env: environmentWith(options.environment),
  });
  child.stdin.on('error', () => undefined);
  return child;
}

export async function statek(words: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const child = start(words, options);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

export interface HereOptions {
  readonly folder?: string;
  /** Then the command runs on a terminal. */
  readonly typed?: string;
}

/**
 * The same in this process: much sooner, for what a command says to whom. A file of tests starts some commands as processes as well,
 * for what only a process has: signals, closed output, an environment.
 */
export async function statekHere(words: readonly string[], options: HereOptions = {}): Promise<Ended> {
  const folder = process.cwd();
  onTestFinished(() => process.chdir(folder));
  const said = { stdout: '', stderr: '' };
  const isTTY = options.typed !== undefined;
  const into = (name: keyof typeof said): { write(text: string): boolean; readonly isTTY: boolean } => ({
    write: (text) => ((said[name] += text), true),
    isTTY,
  });
  const code = await runWords(words, {
    stdout: into('stdout'),
    stderr: into('stderr'),
    environment: environmentWith({ NO_COLOR: '1' }),
    folder: options.folder ?? applicationFolder,
    ...(isTTY ? { stdin: Object.assign(Readable.from([options.typed]), { isTTY }) } : {}),
  });
  return { code, ...said };
}

/** The one document that a command prints; a command that failed shows why. */
export async function json(words: readonly string[], options?: StartOptions): Promise<unknown> {
  const asked = [...words, '--json'];
  const { code, stdout, stderr } = await (options === undefined ? statekHere(asked) : statek(asked, options));
  if (code !== 0) throw new Error(`statek ${words.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}

/** Resolves when what a child prints has this in it. */
export function printed(child: ChildProcessWithoutNullStreams, wanted: string | RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (data: Buffer): void => {
      text += data.toString();
      if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) resolve(text);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('close', () => reject(new Error(`It ended before it printed ${String(wanted)}: ${text}`)));
  });
}

export async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statek-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same application in this process, to prepare what commands look at. */
export async function openApplication(store: string): Promise<Statek> {
  const config: StatekConfig = await application();
  return Statek.open({ ...config, store });
}
