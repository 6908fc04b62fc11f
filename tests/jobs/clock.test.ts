// Clocks are set back now and then. A pause that began while the clock was ahead is as long as it was asked to be.
import { expect, it, onTestFinished } from 'vitest';
import { program, Statek, type Driver } from '../../src/index.ts';

const hour = 3_600_000;

/** A kit whose clock is an hour ahead until it is set back. */
async function open(driver: Driver): Promise<{ kit: Statek; setBack(): void }> {
  let offset = hour;
  const clock = { now: () => Date.now() + offset };
  const kit = await Statek.open({ store: 'memory:', drivers: [driver], clock, leaseMilliseconds: 500 });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  kit.start();
  return { kit, setBack: () => (offset = 0) };
}

async function untilSuspended(kit: Statek, id: string): Promise<void> {
  while ((await kit.job(id)).status !== 'SUSPENDED') await new Promise((resolve) => setTimeout(resolve, 5));
}

it('does not let a pause last an hour because the clock was set back by one', async () => {
  const pause = program({ role: 'pause', source: 'await sleep(2000); "over"' });
  const { kit, setBack } = await open(pause);
  const job = await kit.submit(pause);
  await untilSuspended(kit, job.id);
  setBack();
  expect(await job.result()).toBe('over');
});

it('does not let a time-out last an hour because the clock was set back by one', async () => {
  const asks = program({
    role: 'asks',
    source: `await ask('Well?', undefined, { timeout: 2000 }).catch((error) => error.name)`,
  });
  const { kit, setBack } = await open(asks);
  const job = await kit.submit(asks);
  await untilSuspended(kit, job.id);
  setBack();
  expect(await job.result()).toBe('TimeoutError');
});
