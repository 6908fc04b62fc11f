import { expect, it } from 'vitest';
import { program, tool, type Driver } from '../../src/index.ts';
import { openKit } from '../workspace/support/kits.ts';

it('runs a program', async () => {
  const adder = program({ role: 'adder', source: 'await sleep(1); print("hi"); a + 1' });
  const kit = await openKit({ drivers: [adder] });
  const job = await kit.submit(adder, { vars: { a: 41 } });
  expect(await job.result()).toBe(42);
  expect(await job.console()).toEqual(['hi']);
});

it('drives calls', async () => {
  let n = 0;
  const driver: Driver = {
    role: 'caller',
    calls: { add: async (x: number) => x + ++n },
    next: ({ event }) =>
      event.kind === 'begin'
        ? { call: 'add', input: 1 }
        : event.kind === 'call'
          ? { finish: event.call.value }
          : { fail: 'x' },
  };
  const kit = await openKit({ drivers: [driver] });
  const job = await kit.submit(driver);
  expect(await job.result()).toBe(2);
});

it('delegates', async () => {
  const child = program({ role: 'child', source: 'x * 2' });
  const parent = program({
    role: 'parent',
    source: 'const r = await Promise.all([1,2,3].map((x) => delegate("child", { vars: { x } }))); r',
  });
  const kit = await openKit({ drivers: [child, parent] });
  const job = await kit.submit(parent);
  expect(await job.result()).toEqual([2, 4, 6]);
});

it('calls tools', async () => {
  const send = tool({
    name: 'send',
    idempotent: true,
    execute: async (to: string, { idempotencyKey }) => `${to} ${idempotencyKey}`,
  });
  const mail = program({ role: 'mail', source: 'await send("ann")' });
  const kit = await openKit({ drivers: [mail], services: { send } });
  const job = await kit.submit(mail, { id: 'm1', vars: { send } });
  expect(await job.result()).toEqual('ann m1/1');
});

it('works with a worker', async () => {
  const child = program({ role: 'child', source: 'await sleep(20); x * 2' });
  const parent = program({
    role: 'parent',
    source:
      'const r = await Promise.all([1,2,3].map((x) => delegate("child", { vars: { x } }))); exit(r); print("never")',
  });
  const kit = await openKit({ drivers: [child, parent] });
  const worker = kit.start();
  const job = await kit.submit(parent);
  expect(await job.result()).toEqual([2, 4, 6]);
  await worker.stop();
});
