// Definitions are frozen and shared; and what can be learned about a job afterwards.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { chatRows, definitionRows } from '../../src/agents/chat/item.ts';
import { Agent, InvalidOptionError, Models, SupervisedAgent, tool } from '../../src/index.ts';
import { scanAll } from '../../src/store.ts';
import { ManualClock, scriptedModel } from '../../src/testing.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('needs a model, and refuses what it does not know', () => {
  expect(() => new Agent({ role: 'x' }).createJobDef()).toThrow(/MODEL is missing/);
  expect(() => new Agent({ role: 'x', colour: 'red' } as never)).toThrow(InvalidOptionError);
  expect(() => new Agent({ role: 'x', warmup: '1' } as never)).toThrow(
    "'x': an Agent has no 'warmup'. Use new SupervisedAgent(…).",
  );
  expect(() => agentWith().createJobDef({ colour: 'red' } as never)).toThrow(InvalidOptionError);
  expect(() => agentWith({ metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'ALL +nothing' } }).createJobDef()).toThrow(
    /'nothing'/,
  );
  const hides = { tools: [function _secret() {}], metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'ALL +_secret' } };
  expect(() => agentWith(hides).createJobDef()).toThrow(/adds '_secret', which is hidden/);
});

it('is frozen, and equal definitions are kept once', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG' });
  const { kit } = await stage([agent], ['a', 'b', 'c']);
  const def = agent.createJobDef();
  expect(agent.createJobDef().hash).toBe(def.hash);
  expect(agent.createJobDef({ locale: 'de' }).hash).not.toBe(def.hash);
  expect(() => Object.assign(def.definition, { style: 'CONSOLE' })).toThrow(TypeError);
  for (const submitted of [def, def, agent]) await (await kit.submit(submitted, { message: 'x' })).result();
  const kept = [];
  for await (const { key } of scanAll(kit.store, definitionRows, {})) kept.push(key[0]);
  expect(kept).toEqual([def.hash]);
});

it('deletes the conversation with its job', async () => {
  const { job, kit } = await played({ chatStyle: 'MD_DIALOG' }, ['a']);
  await job.delete();
  const left = [];
  for await (const { key } of scanAll(kit.store, chatRows, {})) left.push(key);
  expect(left).toEqual([]);
});

it('pairs what was said with what was answered', async () => {
  const { job, kit } = await played({ chatStyle: 'MD_DIALOG' }, ['One.', 'Two.'], { message: 'First?' });
  await job.say('Second?');
  await kit.runUntilIdle();
  expect((await job.dialog()).map(({ message, answers }) => [message, answers])).toEqual([
    ['First?', ['One.']],
    ['Second?', ['Two.']],
  ]);
});

it('finds variables by name and by what they hold', async () => {
  class Room {
    readonly name = 'blue';
  }
  const room = new Room();
  const { job } = await played(
    {},
    [ts('const count = 2; const counted = [1];'), ts('exit()')],
    { message: 'x', vars: { room } },
    { services: { room } },
  );
  expect(await job.findLocals(/^count/)).toEqual({ count: 2, counted: [1] });
  expect(await job.findLocals(Room)).toEqual({ room });
});

it('prints variables, and not what can be called', async () => {
  const { model } = await played({}, [ts('const a = 1; const text = "x"; printLocals()'), ts('exit()')]);
  expect(lastMessage(model, 2)).toBe('a = 1\ntext = x');
});

it('holds everything a job is made from', () => {
  const agent = new SupervisedAgent({
    role: 'clerk',
    systemPrompt: 'You work for {company}.',
    parameters: ['company'],
    warmup: 'const b = 2;',
    fallbacks: ['other'],
    settings: { openai: { user: 'me' } },
    metadata: { MODEL: 'L:a,MH:b', PROVIDER: 'openai', TEMPERATURE: 0.5, POST_PROCESSORS: 'FinalCheck', TEAM: 'blue' },
  });
  const { definition } = agent.createJobDef({
    parameters: { company: 'ACME' },
    warmup: 'const a = 1;',
    chatStyle: 'DIRECT',
    locale: 'pl',
    settings: { anthropic: { speed: 'fast' } },
  });
  expect(definition).toMatchObject({
    role: 'clerk',
    prompt: { L: expect.stringContaining('You work for ACME.') as string },
    metadata: { TEAM: 'blue' },
    parameters: { company: 'ACME' },
    style: 'DIRECT',
    language: 'typescript',
    models: { L: 'a', M: 'b', H: 'b' },
    provider: 'openai',
    fallbacks: ['other'],
    temperature: 0.5,
    settings: { openai: { user: 'me' }, anthropic: { speed: 'fast' } },
    warmup: [{ source: 'const a = 1;' }, { source: 'const b = 2;' }],
    postProcessors: [{ name: 'FinalCheck', options: {} }],
    locale: 'pl',
    limits: { turns: 50, errorsInARow: 5 },
  });
});

it('keeps prompt and schemas as they were; what tools do comes from the agent that is there', async () => {
  const prompts = storeFolder();
  const write = (text: string): void =>
    writeFileSync(
      join(prompts, 'clerk.md'),
      `# MODEL: script\n# LLM_TOOLS_SCOPE: APPLICATION\n# System Prompt\n${text}`,
    );
  const made = (input: z.ZodObject, answer: string): Agent =>
    new Agent({ role: 'clerk', chatStyle: 'DIRECT', tools: [tool({ name: 'look', input, execute: () => answer })] });
  write('You are old.');
  const old = made(z.object({ day: z.string() }), 'old');
  await stage([old], [], { settings: { prompts } });
  const def = old.createJobDef();
  write('You are young, and know more.');
  const young = made(z.object({ day: z.string(), hour: z.int().optional() }), 'young');
  const call = { toolCalls: [{ name: 'look', input: { day: 'monday' } }] };
  const { kit, model } = await stage([young], [call, 'Done.', 'New.'], { settings: { prompts } });
  await (await kit.submit(def, { message: 'x' })).result();
  await (await kit.submit(young, { message: 'x' })).result();
  const [first, second, third] = model.requests;
  expect(first?.messages[0]?.content).toContain('You are old.');
  expect(Object.keys(first?.tools?.[0]?.input['properties'] ?? {})).toEqual(['day']);
  expect(second?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: 'young' }] });
  expect(third?.messages[0]?.content).toContain('You are young');
  expect(young.createJobDef().hash).not.toBe(def.hash);
});

it('has times, pairs with response times, and tokens per second', async () => {
  const clock = new ManualClock(1000);
  const slow = (text: string, after: number) => (): { text: string; tokens: { input: number; output: number } } => {
    clock.advance(after);
    return { text, tokens: { input: 5, output: 10 } };
  };
  const script = scriptedModel([slow(ts('const a = 1;'), 3000), slow('Done.', 2000)]);
  const models = new Models({ models: { script }, env: {}, clock });
  const { job } = await played({ chatStyle: 'MD_DIALOG' }, [], { message: 'Go.' }, { clock, models });
  expect([job.created.getTime(), job.updated.getTime()]).toEqual([1000, 6000]);
  expect((await job.dialog()).map(({ responseTime }) => responseTime)).toEqual([5000]);
  const { turns, tokensPerSecond } = await job.usage();
  expect([turns.map(({ duration }) => duration), tokensPerSecond]).toEqual([[3000, 2000], 4]);
});

it('knows for each item what it printed, one entry for each print', async () => {
  const { job } = await played({}, [`${ts('print(1, 2)', 'print("a\\nb")')}\n${ts('print(3)')}`, ts('exit()')]);
  const steps = (await job.chat()).flatMap((item) => (item.kind === 'step' ? [item.console] : []));
  expect(steps).toEqual([['1 2', 'a\nb'], ['3'], []]);
  expect(await job.console()).toEqual(['1 2', 'a\nb', '3']);
});
