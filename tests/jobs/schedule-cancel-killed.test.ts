// A process that dies between cancelling the old job of a schedule and submitting the next one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { asks } from './support/asks.ts';

it('fires the time once, by whoever comes next, and the old job is over', async () => {
  const store = storeFolder();
  const kit = await Statek.open({ store, drivers: [asks], leaseMilliseconds: 60_000 });
  const schedule = await kit.schedule('often', { every: 1000, submit: { role: asks }, overlap: 'cancel' });
  const first = await schedule.runNow();
  await kit.close();
  const child = fork(join(import.meta.dirname, 'support/schedule-child.ts'), [store], { stdio: 'inherit' });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  const next = await Statek.open({ store, drivers: [asks], leaseMilliseconds: 60_000 });
  const before = await next.jobs({ label: 'schedule:often' });
  expect(before.map(({ id }) => id)).toEqual([first]);
  const again = await next.findSchedule('often');
  next.start();
  const events = next.events({ since: 0 });
  let fired: string | undefined;
  let isOver = false;
  for await (const { job, kind } of events) {
    if (kind === 'submitted' && job !== first) {
      fired ??= job;
      await again.pause();
    }
    if (kind === 'done' && job === first) isOver = true;
    if (fired !== undefined && isOver) break;
  }
  expect((await next.job(first)).outcome).toBe('cancelled');
  const submitted = (await (await next.job(fired ?? '')).pastEvents()).filter(({ kind }) => kind === 'submitted');
  expect(submitted.length).toBe(1);
  await next.close({ graceMilliseconds: 0 });
});
