// Calls of tasks on one state: each is a job of its own, in the order in which they were made, in one process or several.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Live, Statek, Versioned } from '../../src/index.ts';
import type { TaskResult } from '../../src/types.ts';
import { openStore } from '../../src/store/open.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { ts } from './support/fences.ts';
import { always, taskWorker, times10 } from './support/task-worker.ts';

function child(folder: string, inputs: readonly number[]): { process: ChildProcess; results: [number, number][] } {
  const process = fork(join(import.meta.dirname, 'support/task-child.ts'), [folder, ...inputs.map(String)]);
  const results: [number, number][] = [];
  process.on('message', (message) => results.push(message as [number, number]));
  return { process, results };
}

function versioned(store?: Parameters<typeof Versioned>[0]): ReturnType<typeof Versioned> {
  const state = Versioned(store);
  onTestFinished(() => state.close());
  return state;
}

it('gives each call its own result while two processes call at once', async () => {
  const folder = storeFolder();
  const children = [child(folder, [1, 2, 3, 4]), child(folder, [11, 12, 13, 14])];
  await Promise.all(children.map(({ process }) => once(process, 'exit')));
  for (const { results } of children) {
    expect(results).toHaveLength(4);
    expect(results.filter(([input, result]) => result !== input * 10)).toEqual([]);
  }
  const { agent } = taskWorker('ann', []);
  const state = versioned(folder);
  const seen = (await state.variables(agent))['seen'] as number[];
  expect(seen.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 11, 12, 13, 14]);
  expect(seen.filter((n) => n < 10)).toEqual([1, 2, 3, 4]);
});

it(
  'loses no call of a process that is killed, and answers none with the result of another',
  { timeout: 120_000 },
  async () => {
    const folder = storeFolder();
    const killed = child(folder, [1, 2, 3, 4, 5, 6]);
    await once(killed.process, 'message');
    const exited = once(killed.process, 'exit');
    killed.process.kill('SIGKILL');
    await exited;
    const state = versioned(folder);
    const { agent, work } = taskWorker('ann', always(times10));
    expect(await Promise.all([7, 8].map((n) => work(n, { state })))).toEqual([70, 80]);
    // Those that were submitted before the kill have run, once each and before the later ones.
    const seen = (await state.variables(agent))['seen'] as number[];
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
    const kit = await Statek.open({ store: folder });
    onTestFinished(() => kit.close());
    const jobs = await kit.jobs({ workspace: 'task of ann' });
    expect(jobs).toHaveLength(seen.length);
    for (const job of jobs) expect(job.outcome).toBe('completed');
    const results = await Promise.all(jobs.map((job) => job.result()));
    expect(results.map(Number).toSorted((a, b) => a - b)).toEqual(seen.map((n) => n * 10));
  },
);

it('carries out each task of an agent as that task, on one state', async () => {
  const { agent, model } = taskWorker('ann', [
    ts('globalThis.n = input.n; exit(n + 1)'),
    ts('exit("wrong")'),
    ts('exit({ text: String(n) })'),
    ts('exit(n + 2)'),
  ]);
  const number = agent.task({ input: z.object({ n: z.number() }), output: z.number(), description: 'Counts on.' });
  const text = agent.task({ input: z.null(), output: z.object({ text: z.string() }), description: 'Writes it out.' });
  const state = versioned();
  expect(await number({ n: 4 }, { state })).toBe(5);
  expect(await text(null, { state })).toEqual({ text: '4' });
  expect(await number({ n: 6 }, { state })).toBe(6);
  const prompts = model.requests.map(({ messages }) => JSON.stringify(messages[0]?.content));
  expect(prompts.map((prompt) => prompt.includes('Counts on.'))).toEqual([true, false, false, true]);
  expect(prompts.map((prompt) => prompt.includes('Writes it out.'))).toEqual([false, true, true, false]);
  // A call sees its own conversation alone.
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('globalThis.n');
});

it.each([
  ['Live', Live],
  ['Versioned', Versioned],
] as const)('leaves a question with the call that asked it, while others wait: %s', async (_name, make) => {
  const { work } = taskWorker('ann', [
    ts('globalThis.name = await clarify("Who?"); exit(["first", name])'),
    ts('exit(["second", name])'),
    ts('exit(["third", input])'),
  ]);
  const state = make();
  onTestFinished(() => state.close());
  const first = await work.run(1, { state });
  const others = [work(2, { state }), work(3, { state })];
  expect(first).toMatchObject({ outcome: 'clarify', question: 'Who?' });
  const answered = await (first as Extract<TaskResult<unknown>, { outcome: 'clarify' }>).answer('Ann');
  expect(answered).toEqual({ outcome: 'success', value: ['first', 'Ann'] });
  expect(await Promise.all(others)).toEqual([
    ['second', 'Ann'],
    ['third', 3],
  ]);
});

it('goes on with the next call when one fails, is cancelled or meets a limit', async () => {
  let begun = (): void => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const { work } = taskWorker(
    'ann',
    [
      ts('globalThis.n = 1; fail("no")'),
      ts('n++; begun(); await sleep(1e9)'),
      ts('n++; 1'),
      ts('2'),
      ts('3'),
      ts('exit(n)'),
    ],
    { limits: { turns: 3 }, tools: { begun: () => begun() } },
  );
  const state = versioned();
  const stop = new AbortController();
  const calls = [
    work.run(1, { state }),
    work.run(2, { state, signal: stop.signal }),
    work.run(3, { state }),
    work.run(4, { state }),
  ];
  expect(await calls[0]).toEqual({ outcome: 'fail', reason: 'no' });
  await running;
  stop.abort();
  expect(await calls[1]).toMatchObject({ outcome: 'cancelled' });
  expect(await calls[2]).toMatchObject({ outcome: 'limit' });
  expect(await calls[3]).toEqual({ outcome: 'success', value: 3 });
});

it('rolls a state back between two calls', async () => {
  const { agent, work } = taskWorker('ann', [
    ts('globalThis.n = 1; exit()'),
    ts('n = 2; await clarify("Go on?"); exit(n)'),
    ts('exit(n)'),
  ]);
  const state = versioned();
  await work(1, { state });
  const [one] = await state.commits(agent);
  const open = await work.run(2, { state });
  const rolledBack = state.rollback(one?.hash ?? '');
  if (open.outcome !== 'clarify') throw new Error(open.outcome);
  expect(await open.answer('yes')).toEqual({ outcome: 'success', value: 2 });
  await rolledBack;
  expect(await work(3, { state })).toBe(1);
});

it('goes on with the variables of a state from before calls were jobs', async () => {
  const store = await openStore(storeFolder());
  onTestFinished(() => store.close());
  const old = taskWorker('ann', [ts('globalThis.n = input; exit(n)'), ts('n += await clarify("How much?"); exit(n)')]);
  const kit = await Statek.open({ store, agents: [old.agent], models: old.agent.options.models });
  const id = 'task of ann';
  const call = (input: number) => ({ text: 'Call of the task.', setup: [`var input = ${input};`] });
  const job = await kit.submit(old.agent.createJobDef({ task: 'Work of ann.' }), { id, message: call(1) });
  expect(await job.result()).toBe(1);
  await job.say(call(2));
  await kit.runUntilIdle();
  const [question] = await job.waiting();
  const { agent, work } = taskWorker('ann', [ts('exit(["new", n])'), ts('exit(["newer", n])')]);
  const state = versioned(store);
  const calls = [work(3, { state }), work(4, { state })];
  await kit.answer(question?.id ?? '', 5);
  expect(await Promise.all(calls)).toEqual([
    ['new', 6],
    ['newer', 6],
  ]);
  expect((await state.variables(agent))['n']).toBe(6);
  expect((await state.commits(agent)).length).toBeGreaterThan(3);
  await kit.close();
});

it('keeps the variables when the jobs of its calls are deleted', async () => {
  const store = await openStore(storeFolder());
  onTestFinished(() => store.close());
  const { work } = taskWorker('ann', [ts('globalThis.n = 7; exit(n)'), ts('exit(n)')]);
  const state = versioned(store);
  await work(1, { state });
  const kit = await Statek.open({ store });
  for (const job of await kit.jobs()) await job.delete();
  await kit.close();
  expect(await work(2, { state })).toBe(7);
});
