// A process is killed with -9 around the end of a call that has changed objects: the call's last transaction is there if and
// only if its outcome is, and the call is not made again.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';
import { Seats } from './booking.ts';

async function killed(pause: number, after: number): Promise<{ told: unknown; taken: string[]; outside: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-killed-booking-'));
  try {
    const child = fork(join(import.meta.dirname, 'booking-child.ts'), [folder, String(pause)]);
    await once(child, 'message');
    const exited = once(child, 'exit');
    await new Promise((resolve) => setTimeout(resolve, after));
    child.kill('SIGKILL');
    await exited;
    const desk = {
      async book(): Promise<never> {
        throw new Error('The call was made a second time.');
      },
    };
    const kit = await Statek.open({
      store: join(folder, 'store'),
      classes: [Seats],
      services: { desk },
      leaseMilliseconds: 1000,
    });
    const { value } = await (await kit.workspace('booking', { vars: { desk } })).settled();
    const taken = await kit.transaction(() => [...new Seats().taken]);
    await kit.close();
    return { told: value, taken, outside: readFileSync(join(folder, 'outside'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('keeps neither objects nor outcome of a call that had not returned', async () => {
  const { told, taken, outside } = await killed(60_000, 0);
  expect({ told, taken, outside }).toEqual({ told: 'OUTCOME_UNKNOWN', taken: [], outside: '12A\n' });
});

it.each([0, 3, 200])(
  'keeps both or neither, %i ms after the transaction',
  async (after) => {
    const { told, taken, outside } = await killed(0, after);
    expect(outside).toBe('12A\n');
    expect([told, taken]).toEqual(told === 'booked 12A' ? ['booked 12A', ['12A']] : ['OUTCOME_UNKNOWN', []]);
  },
  60_000,
);
