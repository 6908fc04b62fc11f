// A process that loses its lease while it runs a step, and gets it back when another one has run the step, must not run it again.
import { expect, it, onTestFinished } from 'vitest';
import { Statek, type Driver, type Faults } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';

const counter: Driver = {
  role: 'counter',
  next: ({ event, state }) =>
    event.kind === 'begin'
      ? { run: 'globalThis.n = (globalThis.n ?? 0) + 1; n' }
      : event.kind === 'step' && state === null
        ? { run: 'n', state: 'read' }
        : { finish: event.kind === 'step' ? event.step.value : undefined },
};

it('runs a step once though the lease was lost and claimed again', async () => {
  const clock = new ManualClock(1);
  const open = async (faults?: Faults): Promise<Statek> => {
    const kit = await Statek.open({
      store: 'memory:lost-lease',
      drivers: [counter],
      clock,
      leaseMilliseconds: 1000,
      ...(faults === undefined ? {} : { faults }),
    });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    return kit;
  };
  let isStolen = false;
  const thief = await open();
  const slow = await open({
    hit: async (point) => {
      if (point !== 'slice.join' || isStolen) return;
      isStolen = true;
      clock.advance(1001);
      await thief.runUntilIdle();
    },
  });
  const job = await slow.submit(counter);
  await slow.runUntilIdle();
  await thief.runUntilIdle();
  expect([isStolen, await job.result(), await job.local('n')]).toEqual([true, 1, 1]);
});
