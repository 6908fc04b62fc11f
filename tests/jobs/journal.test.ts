// The journal of calls: what was asked for and what came of it, the large apart from the small.
import { expect, it } from 'vitest';
import { program, tool, type Driver } from '../../src/index.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import { jobCallRows, jobRows } from '../../src/jobs/rows.ts';
import { largeTextRows } from '../../src/workspace/large-texts.ts';
import { futureRows } from '../../src/workspace/rows.ts';
import { openKit } from '../workspace/support/kits.ts';

const twice = async (text: string): Promise<string> => text + text;
const failing = async (): Promise<never> => {
  throw new RangeError('no');
};
const coder = program({ role: 'coder', source: String });
const caller: Driver = {
  role: 'caller',
  calls: { twice: async (text: string) => text + text },
  next: ({ event, input }) =>
    event.kind === 'call' ? { finish: event.call.value } : { call: 'twice', input: input as string },
};
const large = 'x'.repeat(100_000);

it('tells what calls were given and returned', async () => {
  const kit = await openKit({ drivers: [coder, caller], services: { twice, failing } });
  const job = await kit.submit(coder, {
    input: 'const a = await twice("ab"); try { await failing(1, { b: [2] }); } catch {} a',
    vars: { twice, failing },
  });
  const driven = await kit.submit(caller, { input: 'ab' });
  expect([await job.result(), await driven.result()]).toEqual(['abab', 'abab']);
  const calls = [...(await job.calls()), ...(await driven.calls())];
  expect(await Promise.all(calls.map((call) => call.input()))).toEqual([['ab'], [1, { b: [2] }], 'ab']);
  const outputs = await Promise.all(calls.map((call) => call.output()));
  expect([outputs[0], outputs[2]]).toEqual(['abab', 'abab']);
  expect(outputs[1]).toMatchObject({ name: 'RangeError', message: 'no' });
  expect(calls.map(({ state }) => state)).toEqual(['done', 'failed', 'done']);
});

it('keeps large ones once, apart from the rows that change', async () => {
  const kit = await openKit({ drivers: [coder, caller], services: { twice } });
  const options = { id: 'a', input: '(await twice(text)).length', vars: { twice, text: large } };
  const job = await kit.submit(coder, options);
  const driven = await kit.submit(caller, { id: 'b', input: large });
  expect([await job.result(), await driven.result()]).toEqual([200_000, large + large]);
  for (const collection of [jobCallRows, futureRows])
    for await (const { value } of scanAll(kit.store, collection, {}))
      expect(JSON.stringify(value).length).toBeLessThan(5000);
  for await (const { value } of scanAll(kit.store, jobRows, {}))
    expect([value.input, value.vars].join('').length).toBeLessThan(5000);
  const [call] = await job.calls();
  const [other] = await driven.calls();
  expect([await call?.input(), await call?.output()]).toEqual([[large], large + large]);
  expect([await other?.input(), await other?.output()]).toEqual([large, large + large]);
  expect(call?.characters.input).toBeGreaterThan(100_000);
  // The same job under the same id is one job, also where what it was given is kept apart.
  expect((await kit.submit(coder, options)).id).toBe('a');
  await expect(kit.submit(coder, { ...options, vars: { twice, text: `${large}!` } })).rejects.toThrow(
    /another job 'a'/,
  );
  await (await job.refresh()).delete();
  await (await driven.refresh()).delete();
  for await (const { key } of scanAll(kit.store, largeTextRows, {})) expect(key).toBeUndefined();
});

it('keeps a large text once that several calls are given, or that goes from one to the next', async () => {
  const passer: Driver = {
    role: 'passer',
    calls: { same: async (text: string) => text },
    next: ({ event, input, turn }) =>
      turn > 3 ? { finish: turn } : { call: 'same', input: event.kind === 'call' ? event.call.value : input },
  };
  const kit = await openKit({ drivers: [coder, passer], services: { twice } });
  const source = '(await Promise.all([twice(text), twice(text)])).length';
  const workspace = await kit.workspace('w', { vars: { twice, text: large } });
  await workspace.run(source);
  expect((await workspace.settled()).value).toBe(2);
  expect(await (await kit.submit(coder, { input: source, vars: { twice, text: large } })).result()).toBe(2);
  expect(await (await kit.submit(passer, { input: large })).result()).toBe(4);
});

it('refuses a call of a driver’s that only a program can wait for', async () => {
  const pay = tool({ name: 'pay', approval: 'always', cache: { ttl: 1 }, execute: async () => 1 });
  const payer: Driver = { role: 'payer', calls: { pay }, next: () => ({ call: 'pay' }) };
  await expect(openKit({ drivers: [payer] })).rejects.toThrow(
    "The driver 'payer' cannot call 'pay' itself, because of its approval, cache. Let the job's program call it",
  );
});
