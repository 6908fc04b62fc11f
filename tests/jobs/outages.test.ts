// A store that refuses everything for a while: whoever waits goes on waiting, and the work goes on when it is back.
import { expect, it, onTestFinished } from 'vitest';
import { openStore, program, Statek, tool } from '../../src/index.ts';
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
}, 60_000);
