// Tasks: typed functions that an agent carries out.
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Live, Models, TaskClarifyError, TaskFailedError, TaskInputError, Versioned } from '../../src/index.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { stage } from './support/agents.ts';
import { ts } from './support/fences.ts';
import { storeFolder } from '../workspace/support/kits.ts';

function adder(script: readonly ScriptStep[], limits = {}) {
  const model = scriptedModel(script);
  const agent = new Agent({
    role: 'adder',
    metadata: { MODEL: 'script' },
    models: new Models({ models: { script: model }, env: {}, retry: { attempts: 1 } }),
    limits,
  });
  const add = agent.task({
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.number(),
    description: 'Adds two numbers.',
  });
  return { agent, model, add };
}

it('is filled in by the agent, without any kit of the caller', async () => {
  const { add, model } = adder([ts('exit(input.a + input.b)')]);
  expect(await add({ a: 1, b: 2 })).toBe(3);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('Adds two numbers.');
});

it('refuses wrong input before any model is asked', async () => {
  const { add, model } = adder([]);
  await expect(add({ a: 1 } as never)).rejects.toThrow(TaskInputError);
  expect(model.requests).toHaveLength(0);
});

it('shows the model a result that does not fit, and goes on', async () => {
  const { add, model } = adder([ts('exit("three")'), ts('exit(3)')]);
  expect(await add({ a: 1, b: 2 })).toBe(3);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('The result was not accepted');
});

it('ends as fail, limit or cancelled', async () => {
  const failing = adder([ts('fail("too big")')]);
  expect(await failing.add.run({ a: 1, b: 2 })).toEqual({ outcome: 'fail', reason: 'too big' });
  const limited = adder([ts('1')], { turns: 1 });
  expect(await limited.add.run({ a: 1, b: 2 })).toMatchObject({ outcome: 'limit' });
  await expect(adder([ts('fail("x")')]).add({ a: 1, b: 2 })).rejects.toThrow(TaskFailedError);
  const cancelled = adder([ts('await sleep(1e9)')]);
  const stop = new AbortController();
  stop.abort();
  expect(await cancelled.add.run({ a: 1, b: 2 }, { signal: stop.signal })).toMatchObject({ outcome: 'cancelled' });
});

it('asks the caller, and the same run goes on', async () => {
  const script = [ts('const unit = await clarify("Which unit?");'), ts('exit(unit === "m" ? 3 : 0)')];
  const asked: string[] = [];
  const onClarify = (question: string): string => {
    asked.push(question);
    return 'm';
  };
  expect(await adder(script).add({ a: 1, b: 2 }, { onClarify })).toBe(3);
  expect(asked).toEqual(['Which unit?']);
  const question = await adder(script).add.run({ a: 1, b: 2 });
  expect(question.outcome === 'clarify' && (await question.answer('m'))).toEqual({ outcome: 'success', value: 3 });
  const { agent, add } = adder(script);
  await stage([agent], [], { models: agent.options.models });
  const error = await add({ a: 1, b: 2 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TaskClarifyError);
  expect(await (error as TaskClarifyError).answer('m')).toBe(3);
});

it('runs setup before the model is asked', async () => {
  const model = scriptedModel([ts('exit(sum)')]);
  const agent = new Agent({ role: 'x', metadata: { MODEL: 'm' }, models: { models: { m: model }, env: {} } });
  const run = agent.task({
    input: z.object({ list: z.array(z.number()) }),
    output: z.number(),
    description: 'Sums.',
    setup: 'const sum = input.list.reduce((a, b) => a + b, 0);',
  });
  expect(await run({ list: [1, 2, 3] })).toBe(6);
});

it('keeps variables with Live, of any kind, call after call in order', async () => {
  const state = Live();
  onTestFinished(() => state.close());
  const model = scriptedModel([
    ts('globalThis.seen = [input.thing]; exit(input.thing.ping())'),
    ts('seen.push(1); exit(seen.length + " " + seen[0].ping())'),
  ]);
  const agent = new Agent({ role: 'x', metadata: { MODEL: 'm' }, models: { models: { m: model }, env: {} } });
  const run = agent.task({
    input: z.object({ thing: z.any() }),
    output: z.string(),
    description: 'Pings.',
  });
  class Socket {
    ping(): string {
      return 'pong';
    }
  }
  const [first, second] = await Promise.all([1, 2].map(() => run({ thing: new Socket() }, { state })));
  expect([first, second]).toEqual(['pong', '2 pong']);
});

it('keeps variables across processes with Versioned, with a commit for each slice', async () => {
  const folder = storeFolder();
  const first = Versioned(folder);
  const script = [ts('globalThis.total = input.a; exit(total)'), ts('total += input.b; exit(total)')];
  const one = adder([script[0] ?? '']);
  expect(await one.add({ a: 5, b: 0 }, { state: first })).toBe(5);
  const [latest] = await first.commits(one.agent);
  await first.close();
  const second = Versioned(folder);
  onTestFinished(() => second.close());
  const two = adder([script[1] ?? '']);
  expect(await two.add({ a: 0, b: 2 }, { state: second })).toBe(7);
  expect((await second.variables(two.agent))['total']).toBe(7);
  // The tools are variables, too, and not those of the program.
  expect((await second.checkout(latest?.hash ?? '')).locals()).toEqual({ input: { a: 5, b: 0 }, total: 5 });
});

it('gives Python its input as data whose members are attributes, too', async () => {
  const script = [
    'a = input.text\nexit([input.text, input["sub"].n, input.on.year])',
    'exit([a, input.text, input.sub.n])',
  ];
  const agent = new Agent({
    role: 'reader',
    language: 'python',
    metadata: { MODEL: 'script' },
    models: new Models({
      models: { script: scriptedModel(script.map((code) => `\`\`\`python\n${code}\n\`\`\``)) },
      env: {},
    }),
  });
  const read = agent.task({
    input: z.object({ text: z.string(), sub: z.object({ n: z.number() }), on: z.date() }),
    output: z.array(z.unknown()),
    description: 'Reads.',
  });
  const state = Versioned(storeFolder());
  onTestFinished(() => state.close());
  const on = new Date(Date.UTC(2026, 1, 3));
  expect(await read({ text: 'one', sub: { n: 1 }, on }, { state })).toEqual(['one', 1, 2026]);
  expect(await read({ text: 'two', sub: { n: 2 }, on }, { state })).toEqual(['one', 'two', 2]);
});
