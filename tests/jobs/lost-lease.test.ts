// A process that loses its lease while it runs a step, and gets it back when another one has run the step, must not run it again.
import { expect, it, onTestFinished } from 'vitest';
import { openStore, program, Statek, StoreUnavailableError, type Driver, type Store } from '../../src/index.ts';
import type { Faults } from '../../src/testing.ts';
import { jobWorkRows } from '../../src/jobs/rows.ts';
import { Random } from '../crash/random.ts';
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

it.each(['slice.join', 'commit.before', 'claim.after', 'park.before'] as const)(
  'goes on until the job is done though its lease ran out at %s',
  async (where) => {
    const clock = new ManualClock(1);
    let times = 0;
    const kit = await Statek.open({
      store: 'memory:',
      drivers: [counter],
      clock,
      leaseMilliseconds: 1000,
      faults: {
        hit: async (point) => {
          if (point === where && times++ === 0) clock.advance(1001);
        },
      },
    });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    const job = await kit.submit(counter);
    await kit.runUntilIdle();
    expect([(await job.refresh()).status, await job.local('n')]).toEqual(['DONE', 1]);
  },
);

/** A store that is so slow at moments drawn from a seed that leases run out meanwhile. */
function slowStore(store: Store, clock: ManualClock, random: Random): Store {
  let times = 2;
  return new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]): unknown => {
        if (times > 0 && name !== 'follow' && random.fraction() < 0.05) {
          times--;
          clock.advance(1001);
        }
        return Reflect.apply(member, target, parameters) as unknown;
      };
    },
  });
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])('finds a signal that was sent before, on a slow store (%i)', async (seed) => {
  const clock = new ManualClock(1);
  const waiter = program({ role: 'waiter', source: `await signal('bell')` });
  const store = slowStore(await openStore(`memory:slow-${seed}`, { clock }), clock, new Random(seed));
  const kit = await Statek.open({ store, drivers: [waiter], clock, leaseMilliseconds: 1000 });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  const job = await kit.submit(waiter);
  await kit.signal('bell', 7);
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('DONE');
});

it('does not believe that nothing is left to do when the store cannot be asked', async () => {
  const real = await openStore('memory:');
  const store = new Proxy(real, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === 'claim') return () => Promise.reject(new StoreUnavailableError('It is out of reach.'));
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const kit = await Statek.open({ store, drivers: [counter] });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  await kit.submit(counter);
  await expect(kit.runUntilIdle()).rejects.toThrow('It is out of reach.');
});

it('ends a job that is taken away from every process before it has done anything', async () => {
  const clock = new ManualClock(1);
  const place = 'memory:always-lost';
  const losing = async (): Promise<Statek> => {
    const kit = await Statek.open({
      store: await openStore(place, { clock }),
      drivers: [counter],
      clock,
      leaseMilliseconds: 1000,
      // A process that is so slow at each step that another one takes the job.
      faults: {
        hit: async (point) => {
          if (point !== 'slice.join') return;
          clock.advance(1001);
          await taken();
        },
      },
    });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    return kit;
  };
  const thief = await openStore(place, { clock });
  onTestFinished(() => thief.close());
  await thief.declare(jobWorkRows);
  const taken = async (): Promise<void> => {
    await thief.claim(jobWorkRows, { owner: 'thief', limit: 1, leaseMilliseconds: 1 });
    clock.advance(2);
  };
  const kit = await losing();
  const job = await kit.submit(counter);
  for (let tries = 0; tries < 20 && (await job.refresh()).status !== 'DONE'; tries++) await kit.runUntilIdle();
  expect([job.status, job.outcome, job.error?.code]).toEqual(['DONE', 'failed', 'CRASH_LOOP']);
});
