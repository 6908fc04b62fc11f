// Follows a page as a newcomer does: saves its files, types its commands in order, kills a process where the page says so, and
// compares what is printed. A file is a block of TypeScript that begins with its name; other blocks belong to other tests.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { blocksIn, type Block } from './support.ts';

const run = promisify(execFile);

export interface FollowOptions {
  /** Does what the lines that begin with `instead` would do in this folder: packages are not fetched. */
  readonly install: (folder: string) => void;
  /** Default: `npm install`. */
  readonly instead?: string;
  /** Changes a file before it is saved. */
  readonly edit?: (code: string) => string;
}

/** What a page led to. */
export interface Followed {
  readonly saved: number;
  readonly compared: number;
  readonly kills: number;
}

/** Throws with what was expected and what was printed instead. */
export async function followPage(page: string, options: FollowOptions): Promise<Followed> {
  const { edit = (code) => code } = options;
  const top = mkdtempSync(join(tmpdir(), 'statek-follow-'));
  const running: ChildProcess[] = [];
  const done = { saved: 0, compared: 0, kills: 0 };
  let folder = top;
  try {
    const blocks = blocksIn(readFileSync(page, 'utf8'));
    for (const [index, { language, text }] of blocks.entries()) {
      const name = language === 'ts' ? /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] : undefined;
      if (name !== undefined) {
        writeFileSync(join(folder, name), edit(text));
        done.saved++;
      }
      if (language !== 'sh') continue;
      const command = text.trim();
      const output = blocks[index + 1]?.language === 'text' ? blocks[index + 1]?.text : undefined;
      if (command.startsWith('kill ')) {
        await Promise.all(running.splice(0).map(killed));
        done.kills++;
      } else if (isKilledLater(blocks.slice(index + 1))) {
        const { child, printed } = await startedUntil(command, folder, output ?? '');
        running.push(child);
        compare(page, command, printed, output ?? '');
        done.compared++;
      } else if (command.startsWith('npm ') || output !== undefined) {
        const { stdout, place } = await typed(command, folder, top, options);
        folder = place;
        if (output === undefined) continue;
        compare(page, command, stdout, output);
        done.compared++;
      } else if (command.startsWith('mkdir ')) folder = (await typed(command, folder, top, options)).place;
    }
    return done;
  } finally {
    await Promise.all(running.map(killed));
    rmSync(top, { recursive: true, force: true });
  }
}

function isKilledLater(after: readonly Block[]): boolean {
  return after.find(({ language }) => language === 'sh')?.text.startsWith('kill') === true;
}

/** Types lines into a shell. */
async function typed(
  command: string,
  folder: string,
  top: string,
  { install, instead = 'npm install' }: FollowOptions,
): Promise<{ stdout: string; place: string }> {
  const lines = command.split('\n');
  const commands = lines.filter((line) => !line.startsWith(instead));
  const shell = `set -e\n${commands.join('\n')}\npwd > '${top}/.place'`;
  const { stdout } = await run('bash', ['-c', shell], { cwd: folder, env: environment() });
  const place = readFileSync(join(top, '.place'), 'utf8').trim();
  if (commands.length < lines.length) install(place);
  return { stdout, place };
}

/** Starts a process that does not end, and waits until it has printed as many lines as expected. */
async function startedUntil(
  command: string,
  folder: string,
  expected: string,
): Promise<{ child: ChildProcess; printed: string }> {
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      printed += data.toString();
      if (printed.split('\n').length >= expected.split('\n').length) resolve();
    });
    child.stdout.once('close', () => resolve());
  });
  return { child, printed };
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
  };
}

/** The number of a process may be any. */
function compare(page: string, command: string, printed: string, expected: string): void {
  const plain = printed.replaceAll(/process \d+/g, 'process 4711');
  if (plain !== expected) throw new Error(`${page}: ${command} printed\n${plain}\ninstead of\n${expected}`);
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
