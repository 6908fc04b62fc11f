// Deciding on a terminal: what it is about is shown, and asked back. Scripts are asked nothing.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  applicationFolder,
  expectProcesses,
  json,
  mainFile,
  openApplication,
  printed,
  statek,
  statekHere,
  temporaryFolder,
} from './support/statek.ts';

expectProcesses();

/** A store with a job of each role that waits for a person; the id of a job is its role. */
async function storeWith(...roles: string[]): Promise<(...words: string[]) => string[]> {
  const store = join(temporaryFolder(), 'data');
  const kit = await openApplication(store);
  try {
    const { services } = await (await import('./application/statek.config.ts')).default();
    for (const role of roles)
      await kit.submit(role, { id: role, vars: role === 'pays' ? { pay: services['pay'] } : {} });
    await kit.runUntilIdle();
  } finally {
    await kit.close();
  }
  return (...words) => [...words, '--store', store];
}

it('shows the call and its arguments, and approves after a yes', async () => {
  const at = await storeWith('pays');
  const { code, stdout, stderr } = await statekHere(at('approve', 'pays'), { typed: 'y\n' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Approved pays/1: pay(20)\n' });
  expect(stderr).toBe(
    [
      'job        pays',
      'role       pays',
      'call       pay',
      'arguments  [',
      '             20',
      '           ]',
      'Approve this? [y/N] ',
    ].join('\n'),
  );
});

it('shows the question and its details, harmless for the terminal', async () => {
  const at = await storeWith('buys');
  const { code, stderr } = await statekHere(at('deny', 'buys', 'too expensive'), { typed: 'yes\n' });
  expect(code).toBe(0);
  expect(stderr).toContain('question  Buy it?');
  expect(stderr).toContain('"item": "desk"');
  expect(stderr).toContain('"euros": 300');
  expect(stderr).toContain('reason    too expensive');
  expect(stderr).not.toContain('\u001B');
  expect(await json(at('waiting'))).toEqual([]);
});

it.each([
  ['no', 'n\n'],
  ['nothing', '\n'],
  ['something else', 'perhaps\n'],
  ['the end of the input', ''],
])('decides nothing after %s', async (_what, typed) => {
  const at = await storeWith('consents', 'asks');
  for (const words of [
    ['approve', 'consents'],
    ['deny', 'consents'],
    ['answer', 'asks', 'Monday'],
  ] as const) {
    const { code, stdout, stderr } = await statekHere(at(...words), { typed });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/\[y\/N\] Nothing was changed\.\n$/);
  }
  expect(await json(at('waiting'))).toHaveLength(2);
});

it('shows the question and the answer that is about to be sent', async () => {
  const at = await storeWith('asks');
  const { code, stdout, stderr } = await statekHere(at('answer', 'asks', '{"day":1}', '--data'), { typed: 'Y\n' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Answered asks/1: Which day?\n' });
  expect(stderr).toContain('question  Which day?');
  expect(stderr).toContain('answer    {\n            "day": 1\n          }\nSend this answer? [y/N] ');
});

it('asks nothing with --yes, with --json, without a terminal, and about what is decided already', async () => {
  const at = await storeWith('consents', 'asks', 'buys', 'pays');
  const said = [
    await statekHere(at('approve', 'consents', '--yes'), { typed: '' }),
    await statekHere(at('answer', 'asks', 'Monday', '--json'), { typed: '' }),
    await statekHere(at('deny', 'buys')),
    await statek(at('approve', 'pays')),
  ];
  expect(said.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array.from({ length: 4 }, () => ({ code: 0, stderr: '' })),
  );
  const again = await statekHere(at('approve', 'consents/1'), { typed: 'y\n' });
  expect(again.code).toBe(4);
  expect(again.stderr).toMatch(/^WORKSPACE_STATE: /);
});

it.skipIf(!existsSync('/usr/bin/script'))('asks on a real terminal', async () => {
  const at = await storeWith('consents');
  const command = [process.execPath, mainFile, ...at('approve', 'consents')].map((word) => `'${word}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd: applicationFolder,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
  });
  await printed(child, 'Approve this? [y/N] ');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const approved = printed(child, 'Approved consents/1: Order pizza?');
  child.stdin.write('y\r');
  await approved;
  expect(await ended).toBe(0);
});
