// What each key of a prompt file, and each placeholder, means for a job.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent, Coordinator, Models, tool, type AgentOptions, type SubmitOptions } from '../../src/index.ts';
import type { ScriptStep } from '../../src/testing.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { lastMessage, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

/** A job of an agent whose prompt file has these lines. */
async function prompted(
  lines: readonly string[],
  script: readonly ScriptStep[],
  { agent = {}, submit = {} }: { agent?: Partial<AgentOptions>; submit?: SubmitOptions } = {},
) {
  const prompts = storeFolder();
  const keys = lines.some((line) => line.startsWith('# MODEL')) ? [] : ['# MODEL: script'];
  const text = lines.includes('# System Prompt') ? lines : [...lines, '# System Prompt', 'You help.'];
  writeFileSync(join(prompts, 'clerk.md'), [...keys, ...text].join('\n'));
  const clerk = new Agent({ role: 'clerk', ...agent });
  const { kit, model } = await stage([clerk], script, { settings: { prompts } });
  const job = await kit.submit(clerk, { message: 'Please.', ...submit });
  await kit.runUntilIdle();
  const content = model.requests[0]?.messages[0]?.content;
  return { kit, model, clerk, job: await job.refresh(), system: typeof content === 'string' ? content : '' };
}

it('TEMPERATURE and the parameters of the model reach the provider', async () => {
  const { model } = await prompted(['# MODEL: script rl=60', '# TEMPERATURE: 0.25'], [ts('exit()')]);
  expect(model.requests[0]).toMatchObject({ temperature: 0.25, reasoningLevel: 60 });
});

it('PROVIDER takes the whole name of a model', async () => {
  const { job } = await prompted(['# MODEL: openai/gpt-5', '# PROVIDER: nowhere'], []);
  expect(job.error?.message).toMatch(/[Uu]nknown provider 'nowhere'/);
  const given = await prompted(['# MODEL: meta/llama:8b', '# PROVIDER: script'], []);
  expect(await given.job.definition()).toMatchObject({ models: { L: 'meta/llama:8b' }, provider: 'script' });
  const models = new Models({ env: {} });
  expect(models.resolve('anthropic/claude', 'openrouter')).toMatchObject({
    provider: 'openrouter',
    model: 'anthropic/claude',
  });
});

it('DESCRIPTION is what other agents read', async () => {
  const prompts = storeFolder();
  writeFileSync(join(prompts, 'archive.md'), '# MODEL: x\n# DESCRIPTION: Keeps the files\n# System Prompt\nYou file.');
  const boss = new Coordinator({ role: 'boss', metadata: { MODEL: 'script' } });
  const archive = new Agent({ role: 'archive' });
  const { kit } = await stage([boss, archive], [ts('exit(findAgents("files"))')], { settings: { prompts } });
  expect(kit.agents.list()).toContainEqual({
    role: 'archive',
    description: 'Keeps the files',
    language: 'typescript',
    capabilities: [],
  });
  expect(await (await kit.submit(boss, { message: 'x' })).result()).toEqual([
    { role: 'archive', description: 'Keeps the files', capabilities: [] },
  ]);
});

it('DEFAULT_DIFFICULTY and limits are those of the file', async () => {
  const { job } = await prompted(['# DEFAULT_DIFFICULTY: H', '# MAX_TURNS: 1'], [ts('1')]);
  expect([job.outcome, (await job.usage()).turns[0]?.difficulty]).toEqual(['limit', 'H']);
});

it('POST_PROCESSORS are made as they say, and those that do not exist are refused before there is a job', async () => {
  const { job } = await prompted(
    ['# CHAT_STYLE: MD_DIALOG', '# POST_PROCESSORS: FinalCheck(maxActions=1)'],
    ['Draft.', 'Final.'],
  );
  expect(await job.result()).toBe('Final.');
  await expect(prompted(['# POST_PROCESSORS: FinalChek'], [])).rejects.toThrow(
    "There is no post-processor 'FinalChek'; there are: FinalCheck.",
  );
  await expect(prompted(['# POST_PROCESSORS: FinalCheck(maxActions=0)'], [])).rejects.toThrow('maxActions');
});

it('AUTO_LANG_RULE takes the rule away, and AUTO_LANG_HINT adds a hint to messages', async () => {
  const said = async (...lines: string[]): Promise<[boolean, string]> => {
    const { system, model } = await prompted(['# CHAT_STYLE: MD_DIALOG', ...lines], ['Gut.'], {
      submit: { locale: 'de' },
    });
    return [system.includes('Deutsch'), lastMessage(model, 1)];
  };
  expect(await said()).toEqual([true, 'Please.']);
  expect(await said('# AUTO_LANG_RULE: false')).toEqual([false, 'Please.']);
  expect(await said('# AUTO_LANG_HINT: true')).toEqual([true, 'Please.\n\n(Antworte auf Deutsch.)']);
});

it('difficulty never falls', async () => {
  const examples = storeFolder();
  const agent = new Agent({ role: 'clerk', metadata: { MODEL: 'script', DEFAULT_DIFFICULTY: 'M' } });
  const { kit } = await stage(
    [agent],
    [ts('await showExample(1)'), ts('await panic()'), ts('await panic()'), ts('await showExample(1)'), ts('exit()')],
    { settings: { examples } },
  );
  mkdirSync(join(examples, 'clerk'));
  writeFileSync(join(examples, 'clerk/easy.md'), '# name: Easy\n# seq_id: 1\n# difficulty: L\n\n### user\n\nx\n');
  const job = await kit.submit(agent, { message: 'x' });
  await job.result();
  expect((await job.usage()).turns.map(({ difficulty }) => difficulty)).toEqual(['M', 'M', 'H', 'H', 'H']);
});

const book = tool({
  name: 'book',
  description: 'Books a room.\n\nFor one day.\n@throws {RangeError} when it is taken',
  input: z.object({ room: z.string().describe('Which one'), days: z.int().optional() }),
  execute: () => 1,
});

it('placeholders list the tools in a line, with their parameters, or in full, and the variables', async () => {
  const { system } = await prompted(
    ['# System Prompt', 'A{brief_tools}', 'B{tools}', 'C{detailed_tools}', 'D{shared_var_names}', 'E{types}', 'F{x}'],
    [ts('exit()')],
    { agent: { tools: [book], parameters: ['x'] }, submit: { vars: { total: 1 }, parameters: { x: { a: 1 } } } },
  );
  const part = (from: string, to: string): string =>
    new RegExp(`^${from}([\\s\\S]*?)^${to}`, 'm').exec(system)?.[1] ?? '';
  expect(part('A', 'B')).toContain('book(room: string, options?: { days?: number }) // Books a room.');
  expect(part('B', 'C')).toContain('@param room - Which one');
  expect(part('B', 'C')).not.toContain('For one day.');
  expect(part('C', 'D')).toMatch(/For one day\.[\s\S]*@throws \{RangeError\} when it is taken/);
  expect(part('D', 'E').trim()).toBe('total');
  expect(part('E', 'F')).toContain('declare const total: number;');
  expect(system).toContain('F{"a":1}');
});

it('a prompt written for Python is for Python, also without LANGUAGE', async () => {
  const reply = { toolCalls: [{ name: 'python_cli', input: { code: 'print([n for n in range(3)])' } }] };
  const named = await prompted(['# CHAT_STYLE: DIRECT', '# LLM_TOOLS_SCOPE: ALL +python_cli'], [reply, 'Done.']);
  expect(named.model.requests[0]?.tools?.map(({ name }) => name)).toContain('python_cli');
  expect(JSON.stringify(named.model.requests[1]?.messages.at(-1))).toContain('[0, 1, 2]');
  const text = ['# CHAT_STYLE: DIRECT', '# System Prompt', 'Write:', '```python', 'x = 1', '```'];
  const fenced = await prompted(text, [reply, 'Done.']);
  expect(fenced.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['python_cli']);
  const both = await prompted([...text, '```ts', 'const x = 1', '```'], ['Done.']);
  expect(both.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['ts_cli']);
});
