// A store that refuses everything for a while: whoever waits goes on waiting, and the work goes on when it is back.
import { expect, it, onTestFinished } from 'vitest';
import { openStore, program, Statek, tool } from '../../src/index.ts';
import { StoreUnknownOutcomeError } from '../../src/store.ts';
import { Outage } from '../faults/outage.ts';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('waits for results and goes on with jobs over outages that are longer than the lease', async () => {
  const outage = new Outage();
  const store = outage.over(await openStore('memory:'));
  const ping = tool({ name: 'ping', execute: async (n: number) => n });
  const loop = program({
    role: 'loop',
    source: 'let sum = 0; for (let i = 0; i < 40; i++) { sum += await ping(i); await sleep(20); } sum',
  });
  const kit = await Statek.open({ store, drivers: [loop], services: { ping }, leaseMilliseconds: 200 });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  kit.start();
  const jobs = await kit.submitAll(
    loop,
    Array.from({ length: 4 }, () => ({ vars: { ping } })),
  );
  const results = Promise.all(jobs.map((job) => job.result()));
  for (let times = 0; times < 3; times++) {
    await pause(100);
    outage.isOn = true;
    await pause(400);
    outage.isOn = false;
  }
  expect(await results).toEqual([780, 780, 780, 780]);
});

it.each(['it was made', 'it was not made'])(
  'goes on when nobody knows whether the start of a call was recorded: %s',
  async (what) => {
    const store = await openStore('memory:');
    const commit = store.commit.bind(store);
    let isLost = false;
    store.commit = async (transactions) => {
      const starts = transactions.some(({ writes = [] }) =>
        writes.some(
          (write) => write.kind === 'put' && (write.value as { state?: unknown } | null)?.state === 'started',
        ),
      );
      if (!starts || isLost) return commit(transactions);
      isLost = true;
      if (what === 'it was made') await commit(transactions);
      // By then the job waits for its call.
      await pause(200);
      throw new StoreUnknownOutcomeError('The answer was lost.');
    };
    const ping = tool({ name: 'ping', idempotent: true, execute: async (n: number) => n + 1 });
    const asking = program({ role: 'asking', source: 'await ping(20)' });
    const kit = await Statek.open({ store, drivers: [asking], services: { ping } });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    kit.start();
    const job = await kit.submit(asking, { vars: { ping } });
    expect(await job.result()).toBe(21);
    expect(isLost).toBe(true);
  },
);
