// Follows the page for newcomers as they would: saves its files, runs its commands in order, kills the process where the
// page says so, and compares what is printed.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blocksIn, root, withEntryPoints } from './support.ts';

it('leads from an empty folder to a program that was killed and is done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-start-'));
  const blocks = blocksIn(readFileSync(join(root, 'docs/getting-started.md'), 'utf8'));
  // The packages are those of the repository; `npm install` needs a registry.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const waiting: ChildProcess[] = [];
  let kills = 0;
  try {
    for (const [index, { language, text }] of blocks.entries()) {
      if (language === 'ts') writeFileSync(join(folder, fileName(text)), withEntryPoints(text));
      if (language !== 'sh') continue;
      const [command = '', ...words] = wordsOf(text.trim());
      if (command === 'kill') {
        await kill(waiting.splice(0));
        kills++;
      } else if (command === 'node') {
        const next = blocks[index + 1];
        const expected = next?.language === 'text' ? next.text : '';
        const killed =
          blocks
            .slice(index + 1)
            .find((block) => block.language === 'sh')
            ?.text.startsWith('kill') === true;
        waiting.push(await run(folder, words, expected, killed));
      }
    }
  } finally {
    await kill(waiting);
    rmSync(folder, { recursive: true, force: true });
  }
  expect(kills).toBe(1);
}, 60_000);

function fileName(code: string): string {
  return /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? 'unnamed.ts';
}

/** Words of a command line, some of them in single quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Runs until the process ends or, if it is to be killed, has printed what the page shows. The number of a process may be any. */
async function run(folder: string, words: readonly string[], expected: string, killed: boolean): Promise<ChildProcess> {
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      printed += data.toString();
      if (killed && printed.split('\n').length >= expected.split('\n').length) resolve();
    });
    child.stdout.once('close', () => resolve());
  });
  expect(printed.replaceAll(/process \d+/g, 'process 4711')).toBe(expected);
  return child;
}

async function kill(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }
}
