// Runs the program of the continuation tests to its end while its processes are killed with -9 at random moments, and
// checks the end against what it must be.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expectedConsole, expectedValue, signals } from './children/program.ts';

interface Message {
  readonly kind: 'begun' | 'sent' | 'state';
  readonly name?: string;
  readonly status?: string;
  readonly value?: unknown;
  readonly console?: readonly string[];
}

/** Kills processes of one program until it is done; returns how many were killed. Throws if anything is not as it must be. */
export async function killUntilDone(random: () => number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-kills-'));
  let sent = 0;
  let kills = 0;
  try {
    for (;;) {
      const { messages, killed } = await runOnce(folder, sent, random);
      // A signal that was sent without its answer being heard is sent again: nobody waits twice for a name.
      sent += messages.filter(({ kind }) => kind === 'sent').length;
      if (killed) kills++;
      const state = messages.find(({ kind }) => kind === 'state');
      if (state === undefined) continue;
      refuseUnlike(state.console, expectedConsole.slice(0, state.console?.length), 'console');
      if (state.status !== 'done') continue;
      refuseUnlike(state.console, expectedConsole, 'console');
      refuseUnlike(state.value, expectedValue, 'value');
      return kills;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOnce(
  folder: string,
  sent: number,
  random: () => number,
): Promise<{ messages: Message[]; killed: boolean }> {
  const child = fork(
    join(import.meta.dirname, 'children/deliver-child.ts'),
    [folder, String(sent), String(signals.length - sent)],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const messages: Message[] = [];
  let killed = false;
  const kill = (): void => {
    killed = true;
    child.kill('SIGKILL');
  };
  // Some die while starting, most a little after one of their messages.
  const early = random() < 0.15 ? setTimeout(kill, random() * 600) : undefined;
  const fatal = Math.floor(random() * 8);
  const delay = random() * 12;
  child.on('message', (message: Message) => {
    messages.push(message);
    if (message.kind === 'state') kill();
    else if (messages.length > fatal) setTimeout(kill, delay);
  });
  await ended(child);
  clearTimeout(early);
  return { messages, killed };
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`A process failed with code ${child.exitCode}.`);
}

function refuseUnlike(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`The ${what} is wrong.\nfound    ${JSON.stringify(found)}\nexpected ${JSON.stringify(expected)}`);
}
