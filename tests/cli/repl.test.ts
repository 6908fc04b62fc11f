// The interactive workspace, through a pipe and on a terminal; killed, and there again.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  applicationFolder,
  expectProcesses,
  kill,
  mainFile,
  printed,
  start,
  statek,
  temporaryFolder,
} from './support/statek.ts';

expectProcesses();

const lines = (...texts: string[]): string => `${texts.join('\n')}\n`;

it('runs steps over several lines, and looks around', async () => {
  const store = join(temporaryFolder(), 'data');
  const { code, stdout, stderr } = await statek(['repl', 'hand', '--store', store], {
    input: lines(
      'const twice = (n: number) => {',
      '  return n * 2',
      '}',
      '',
      'const list = [',
      '  twice(4),',
      ']',
      '`a',
      'b`',
      'const dropped = (',
      '.break',
      '.locals list',
      '.log 1',
      '.at HEAD~1 list.length',
      '.fork other',
      '.rollback HEAD~2',
      '.nonsense',
      '.exit',
      'never()',
    ),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Unknown command .nonsense; .help lists the commands.\n' });
  expect(stdout.split('\n').filter((line) => !/^(?:[0-9a-f]{12}|COMMIT) /.test(line))).toEqual([
    'a',
    'b',
    'list  [8]',
    '1',
    'Created other; statek repl other opens it.',
    expect.stringMatching(/^Rolled back to [0-9a-f]{12}\.$/),
    '',
  ]);
  const after = await statek(['repl', 'hand', '--store', store, '--json'], {
    input: lines('twice(1)', 'list', '.help'),
  });
  expect(after.code).toBe(1);
  const [first, second, help] = after.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ status: 'done', value: 2 });
  expect(second).toMatchObject({ status: 'failed', error: { name: 'ReferenceError' } });
  expect(help).toHaveProperty('help');
});

it('is there again after it was killed, also in the middle of a wait', async () => {
  const store = join(temporaryFolder(), 'data');
  const words = ['repl', 'kept', '--store', store];
  const environment = { STATEK_TEST_CLI_LEASE: '1000' };
  const first = start(words, { environment });
  first.stdin.write(lines('const before = [1, 2]', 'const got = await ask("More?")'));
  await printed(first, 'statek answer kept/1 TEXT');
  await kill(first);
  expect((await statek(['answer', 'kept', 'yes', '--store', store])).code).toBe(0);
  const second = await statek(words, { input: lines('[...before, got]'), environment });
  expect(second.stdout).toBe("[1, 2, 'yes']\n");
  expect(second.stderr).toContain('Step 2 is still running');
});

it.skipIf(!existsSync('/usr/bin/script'))('on a terminal, ^C stops the line and not the workspace', async () => {
  const store = join(temporaryFolder(), 'data');
  execFileSync(process.execPath, [mainFile, 'run', '-w', 'typed', '-c', 'const earlier = 1', '--store', store], {
    cwd: applicationFolder,
  });
  const { spawn } = await import('node:child_process');
  const command = `'${process.execPath}' '${mainFile}' repl typed --store '${store}'`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd: applicationFolder,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
  });
  await printed(child, '> ');
  const see = async (typed: string, wanted: string | RegExp): Promise<void> => {
    const seen = printed(child, wanted);
    child.stdin.write(typed);
    await seen;
  };
  await see('half a line\u0003', /half a line[\s\S]*> /);
  await see('let n = 1; await signal("never")\r', "waits for signal 'never'");
  await see('\u0003', 'Stopped and rolled back');
  await see('typeof n + earlier\r', 'undefined1');
  // The arrow brings back the line before.
  await see('\u001B[A\r', 'undefined1');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.write('\u0004');
  expect(await ended).toBe(0);
});
