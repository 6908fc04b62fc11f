// Jobs in a workspace that they are given: one at a time, in order, each with a result of its own; the variables stay.
import { expect, it } from 'vitest';
import {
  InvalidOptionError,
  JobStateError,
  program,
  type Driver,
  type Statek,
  type StatekOptions,
} from '../../src/index.ts';
import { ManualClock, simulate } from '../../src/testing.ts';
import { openStore } from '../../src/store/open.ts';
import { turnWorld } from '../simulation/turns.ts';
import { openKit, storeFolder, valueOf } from '../workspace/support/kits.ts';

/** Runs its input as code; the value is the result. */
const coder = program({ role: 'coder', source: (input) => String(input) });
const other = program({ role: 'other', source: (input) => String(input) });
/** The same, started again by a message, which is the next code. */
const talker: Driver = {
  role: 'talker',
  reopens: true,
  next: ({ event, input, messages }) => {
    if (event.kind === 'step')
      return event.step.status === 'done' ? { finish: event.step.value } : { fail: event.step.error ?? 'failed' };
    return { run: String(messages.at(-1)?.body ?? input) };
  },
};
const drivers = [coder, other, talker];

async function open(options: Partial<StatekOptions> = {}): Promise<Statek> {
  return openKit({ drivers, ...options });
}

it('goes on with the variables that the one before it left, in the order in which they were submitted', async () => {
  const kit = await open();
  const first = await kit.submit(coder, { workspace: 'analysis', input: 'let seen = [1]; seen' });
  const jobs = await Promise.all(
    [2, 3, 4].map((n) => kit.submit(other, { workspace: 'analysis', input: `seen.push(${n}); [...seen]` })),
  );
  expect(await first.result()).toEqual([1]);
  expect(await Promise.all(jobs.map((job) => job.result()))).toEqual([
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4],
  ]);
  const workspace = await kit.workspace('analysis');
  expect(await valueOf(workspace, 'seen.length')).toBe(4);
  expect((await kit.jobs({ workspace: 'analysis' })).length).toBe(4);
});

it('waits for its turn while the one before it waits, and gets its own answer', async () => {
  const kit = await open();
  const asking = await kit.submit(coder, { workspace: 'w', input: 'let name = await ask("Who?"); name' });
  const next = await kit.submit(coder, { workspace: 'w', input: 'const other = await ask("And?"); [name, other]' });
  await kit.runUntilIdle();
  expect([(await asking.refresh()).status, (await next.refresh()).status]).toEqual(['SUSPENDED', 'READY']);
  const [question] = await asking.waiting();
  expect([question?.question, await next.waiting()]).toEqual(['Who?', []]);
  await kit.answer(question?.id ?? '', 'Ann');
  expect(await asking.result()).toBe('Ann');
  await kit.runUntilIdle();
  const [second] = await next.waiting();
  expect(second?.question).toBe('And?');
  await kit.answer(second?.id ?? '', 'Bob');
  expect(await next.result()).toEqual(['Ann', 'Bob']);
});

it('lets the next one go on when it fails, is cancelled or meets a limit', async () => {
  const clock = new ManualClock();
  const kit = await open({ clock });
  const ends = [
    await kit.submit(coder, { workspace: 'w', input: 'let n = 1; throw new Error("no")' }),
    await kit.submit(coder, { workspace: 'w', input: 'n++; await sleep(1e9)' }),
    await kit.submit(coder, { workspace: 'w', input: 'n++; await sleep(1e9)', deadline: new Date(clock.now() + 1000) }),
  ];
  const last = await kit.submit(coder, { workspace: 'w', input: 'n++; n' });
  await kit.runUntilIdle();
  await ends[1]?.cancel();
  await kit.runUntilIdle();
  clock.advance(2000);
  await kit.runUntilIdle();
  expect(await last.result()).toBe(4);
  for (const job of ends) await job.refresh();
  expect(ends.map(({ outcome }) => outcome)).toEqual(['failed', 'cancelled', 'limit']);
});

it('fails with its step when that does not compile, meets a limit or waits for nothing', async () => {
  const kit = await open({ limits: { softCpuMilliseconds: 50 } });
  const jobs = [];
  for (const input of ['let let = 1', 'for (;;) {}', 'await new Promise(() => undefined)'])
    jobs.push(await kit.submit(coder, { workspace: 'w', input }));
  const last = await kit.submit(coder, { workspace: 'w', input: '1' });
  expect(await last.result()).toBe(1);
  for (const job of jobs) expect((await job.refresh()).outcome).toBe('failed');
});

it('leaves the queue when it is cancelled there, and the others keep their order', async () => {
  const kit = await open();
  const first = await kit.submit(coder, { workspace: 'w', input: 'let all = []; await ask("?")' });
  const waiting = [];
  for (const n of [1, 2, 3])
    waiting.push(await kit.submit(coder, { workspace: 'w', input: `all.push(${n}); [...all]` }));
  await kit.runUntilIdle();
  await waiting[1]?.cancel('not needed');
  await kit.runUntilIdle();
  expect((await waiting[1]?.refresh())?.outcome).toBe('cancelled');
  await kit.answer((await first.waiting())[0]?.id ?? '', 'go');
  await kit.runUntilIdle();
  expect([await waiting[0]?.result(), await waiting[2]?.result()]).toEqual([[1], [1, 3]]);
});

it('queues like any other when it is started again', async () => {
  const kit = await open();
  const talking = await kit.submit(talker, { workspace: 'w', input: 'let n = 1; n' });
  expect(await talking.result()).toBe(1);
  const asking = await kit.submit(coder, { workspace: 'w', input: 'n += await ask("How much?"); n' });
  await kit.runUntilIdle();
  await talking.say('n * 10');
  await kit.runUntilIdle();
  expect((await talking.refresh()).status).not.toBe('DONE');
  await kit.answer((await asking.waiting())[0]?.id ?? '', 4);
  expect([await asking.result(), await talking.result()]).toEqual([5, 50]);
});

it('keeps its calls, and what it was given, apart from those of others', async () => {
  const calls: string[] = [];
  const look = async (what: string): Promise<string> => {
    calls.push(what);
    return `saw ${what}`;
  };
  const kit = await open({ services: { look } });
  const submit = (n: number) =>
    kit.submit(coder, { workspace: 'w', vars: { n, look }, input: 'await look(String(n))' });
  const [one, two] = [await submit(1), await submit(2)];
  expect([await one.result(), await two.result()]).toEqual(['saw 1', 'saw 2']);
  const inputs = async (job: typeof one) => Promise.all((await job.calls()).map((call) => call.input()));
  expect([await inputs(one), await inputs(two)]).toEqual([[['1']], [['2']]]);
  expect(calls).toEqual(['1', '2']);
});

it('is deleted without the workspace, which stays', async () => {
  const kit = await open();
  const one = await kit.submit(coder, { workspace: 'w', input: 'let kept = "x".repeat(100_000); 1' });
  await one.result();
  await one.delete();
  expect(await (await kit.submit(coder, { workspace: 'w', input: 'kept.length' })).result()).toBe(100_000);
});

it('waits for the step of a person', async () => {
  const kit = await open();
  const workspace = await kit.workspace('w');
  const step = await workspace.run('let answer = await ask("Ready?"); answer');
  const job = await kit.submit(coder, { workspace: 'w', input: 'answer + "!"' });
  await kit.runUntilIdle();
  expect((await job.refresh()).status).not.toBe('DONE');
  await kit.answer(step.waiting[0]?.id ?? '', 'yes');
  expect(await job.result()).toBe('yes!');
  expect((await workspace.settled()).value).toBe('yes!');
});

it('refuses to start jobs for a person, who has none, while a job has the turn', async () => {
  let letGo = (): void => undefined;
  const held = new Promise<string>((resolve) => (letGo = () => resolve('over')));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const holder: Driver = {
    role: 'holder',
    calls: {
      hold: () => {
        begin();
        return held;
      },
    },
    next: ({ event }) => (event.kind === 'call' ? { finish: event.call.value } : { call: 'hold' }),
  };
  const kit = await openKit({ drivers: [holder, coder] });
  const workspace = await kit.workspace('w');
  const plain = await workspace.run(`await delegate('coder', { input: '1' })`);
  kit.start();
  const job = await kit.submit(holder, { workspace: 'w' });
  await begun;
  const step = await workspace.run(`await delegate('coder', { input: '1' })`);
  expect([step.status, step.error?.message]).toEqual(['failed', plain.error?.message]);
  letGo();
  expect(await job.result()).toBe('over');
});

it('goes on with the workspace of a job that is over, which then waits for its turn too', async () => {
  const kit = await open();
  const owner = await kit.submit(talker, { id: 'own', input: 'let n = 1; n' });
  await owner.result();
  expect(await (await kit.submit(coder, { workspace: 'own', input: 'n += 1; n' })).result()).toBe(2);
  await owner.say('n += 1; n');
  expect(await owner.result()).toBe(3);
  expect(await (await kit.submit(coder, { workspace: 'own', input: 'n' })).result()).toBe(3);
  await owner.delete();
  expect(await (await kit.submit(coder, { workspace: 'own', input: 'n' })).result()).toBe(3);
});

it('cannot be reached from a program, nor have the name of another job', async () => {
  const kit = await open();
  const spy = await kit.submit(coder, { input: 'await delegate("other", { workspace: "secret", input: "1" })' });
  await expect(spy.result()).rejects.toThrow(/workspace of its own/);
  await (await kit.submit(coder, { workspace: 'w', input: '1' })).result();
  await expect(kit.submit(coder, { id: 'w', input: '1' })).rejects.toThrow(JobStateError);
  await expect(kit.submit(coder, { workspace: '', input: '1' })).rejects.toThrow(InvalidOptionError);
});

it('fails when the workspace speaks another language', async () => {
  const kit = await open();
  await kit.workspace('p', { language: 'python' });
  const job = await kit.submit(coder, { workspace: 'p', input: '1' });
  await expect(job.result()).rejects.toThrow(/language python/);
});

it('is submitted once under one id, and again', async () => {
  const kit = await open();
  const options = { id: 'one', workspace: 'w', input: '1' };
  const [a, b] = await Promise.all([kit.submit(coder, options), kit.submit(coder, options)]);
  expect([a.id, b.id, await kit.countJobs()]).toEqual(['one', 'one', 1]);
  await a.result();
  const again = await kit.job(await a.again());
  expect(await again.result()).toBe(1);
  expect((await kit.jobs({ workspace: 'w' })).length).toBe(2);
});

it('keeps the order across kits on one store, and mixes up no results', async () => {
  const store = await openStore(storeFolder());
  const kits = [await open({ store }), await open({ store }), await open({ store })];
  for (const kit of kits) kit.start({ concurrency: 4 });
  const submitted = [];
  for (let n = 0; n < 30; n++)
    submitted.push(
      await (kits[n % 3] as Statek).submit(coder, {
        workspace: 'w',
        input: `globalThis.all ??= []; all.push(${n}); await sleep(1); [${n}, all.length]`,
      }),
    );
  expect(await Promise.all(submitted.map((job) => job.result()))).toEqual(submitted.map((_, n) => [n, n + 1]));
});

it.each([1, 2, 3, 4, 5, 6])('takes turns while processes die: simulation %i', async (seed) => {
  const report = await simulate({ seed, steps: 120, world: turnWorld });
  expect(report.seed).toBe(seed);
});
