// A program is killed with -9 while it waits in the middle of everything, and three later processes in turn bring it to its
// end. Nothing is run again, and every line is printed once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectedConsole, expectedValue } from './children/program.ts';

interface State {
  readonly kind: string;
  readonly status: string;
  readonly value: unknown;
  readonly console: readonly string[];
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-continuation-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('goes on in three later processes after each one is killed', async () => {
  const begun = await deliver(0, 0);
  expect(begun.status).toBe('suspended');
  expect(begun.console).toEqual(['begin a']);

  const second = await deliver(0, 2);
  expect(second.status).toBe('suspended');
  expect(second.console).toEqual(expectedConsole.slice(0, 3));

  const third = await deliver(2, 2);
  expect(third.console).toEqual(expectedConsole.slice(0, 5));

  const last = await deliver(4, 2);
  expect(last.console).toEqual(expectedConsole);
  expect(last.status).toBe('done');
  expect(last.value).toEqual(expectedValue);
});

/** Runs one process until it says what it found, then kills it. */
async function deliver(from: number, count: number): Promise<State> {
  const child = fork(join(import.meta.dirname, 'children/deliver-child.ts'), [folder, String(from), String(count)]);
  const state = new Promise<State>((resolve, reject) => {
    child.on('message', (message: State) => {
      if (message.kind === 'state') resolve(message);
    });
    child.once('exit', () => reject(new Error('The process ended by itself.')));
  });
  const found = await state;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return found;
}
