// A process is killed with -9 in the middle of a call. Nobody knows whether the call had its effect, so the program is told
// just that, and the call is not made again.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';

it('tells the program that the outcome is unknown, and calls nothing twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-killed-call-'));
  try {
    const child = fork(join(import.meta.dirname, 'children/paying-child.ts'), [folder]);
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;

    let calls = 0;
    const bank = { pay: async (): Promise<number> => Promise.resolve(++calls) };
    const kit = await Statek.open({ store: join(folder, 'store'), services: { bank }, leaseMilliseconds: 500 });
    const step = await (await kit.workspace('payment', { vars: { bank } })).settled();
    expect([step.status, step.value]).toEqual(['done', 'OUTCOME_UNKNOWN']);
    expect(calls).toBe(0);
    expect(readFileSync(join(folder, 'payments'), 'utf8')).toBe('paid\n');
    await kit.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
