// What agents are told: prompt files, listings, examples, documents, languages and settings.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent, SupervisedAgent, tool, type StatekOptions } from '../../src/index.ts';
import type { ScriptStep } from '../../src/testing.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = storeFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function run(agent: Agent, script: readonly ScriptStep[], settings: StatekOptions['settings'], submit = {}) {
  const { kit, model } = await stage([agent], script, { settings });
  const job = await kit.submit(agent, { message: 'Please.', ...submit });
  await kit.runUntilIdle();
  return { job: await job.refresh(), model, kit };
}

const systemOf = (model: { requests: readonly { messages: readonly { content: unknown }[] }[] }, request = 1): string =>
  String(model.requests[request - 1]?.messages[0]?.content);

it('reads its prompt from a file: settings, placeholders, sections by difficulty', async () => {
  const prompts = folderWith({
    'clerk.md':
      '# MODEL: script\n# CHAT_STYLE: MD_DIALOG\n# DEFAULT_DIFFICULTY: M\n# PARAMETERS: company\n# System Prompt\nYou work for {company}.\n\n--- MH: Hard ---\nThink twice.\n\n--- L: Easy ---\nBe quick.\n\n{brief_tools}\n',
  });
  const greet = tool({
    name: 'greet',
    description: 'Greets.',
    input: z.object({ name: z.string() }),
    execute: () => 1,
  });
  const { job, model } = await run(
    new Agent({ role: 'clerk', tools: [greet] }),
    ['Hello.'],
    { prompts },
    { parameters: { company: 'ACME' } },
  );
  expect(await job.result()).toBe('Hello.');
  const system = systemOf(model);
  expect(system).toContain('You work for ACME.');
  expect(system).toContain('Think twice.');
  expect(system).not.toContain('Be quick.');
});

it('lists tools and types in the prompt', async () => {
  class Calendar {
    owner = 'Ann';
    /** Finds a meeting by its title. */
    find(title: string): string {
      return title;
    }
  }
  const calendar = new Calendar();
  const add = tool({
    name: 'add',
    description: 'Adds.\n\nExactly.',
    input: z.object({ a: z.number(), b: z.number().optional() }),
    execute: () => 1,
  });
  const { model } = await played(
    { systemPrompt: 'Tools:\n{tools}\nTypes:\n{types}\nVariables: {shared_var_names}', tools: [add] },
    [ts('print(brief(calendar))'), ts('print(docstr(add))'), ts('exit()')],
    { message: 'x', vars: { calendar, today: 'Monday' } },
    { services: { calendar } },
  );
  const system = systemOf(model);
  expect(system).toMatch(/add\(a: number, .*b\?: number/);
  expect(system).toContain('calendar: Calendar');
  expect(system).toContain('Variables: calendar, today');
  expect(lastMessage(model, 2)).toContain('find(title');
  expect(lastMessage(model, 3)).toContain('Exactly.');
});

it('reads examples, which may raise the difficulty, and documents', async () => {
  const examples = folderWith({
    'helper/move.md': '# name: Move a meeting\n# seq_id: 1\n# difficulty: H\n\n### user\n\nMove it.\n',
  });
  const documents = folderWith({ 'rules.md': '# title: Rules\n\nBe kind.\n' });
  const agent = new Agent({ role: 'helper', metadata: { MODEL: 'script' } });
  const { job, model } = await run(
    agent,
    [ts('print(listOfExamples()); print(await showExample(1)); print(showDocument("Rules"))'), ts('exit()')],
    { examples, documents },
  );
  expect(lastMessage(model, 2)).toContain('Move a meeting');
  expect(lastMessage(model, 2)).toContain('Be kind.');
  expect((await job.usage()).turns.map(({ difficulty }) => difficulty)).toEqual(['L', 'H']);
});

it('takes its warmup from a file', async () => {
  const warmups = folderWith({ 'helper.ts': 'const fromFile = 7;\n' });
  const agent = new SupervisedAgent({ role: 'helper', metadata: { MODEL: 'script' } });
  const { job } = await run(agent, [ts('exit(fromFile)')], { warmups });
  expect(await job.result()).toBe(7);
});

it('answers in the language of the job', async () => {
  const agent = new Agent({
    role: 'helper',
    metadata: { MODEL: 'script', CHAT_STYLE: 'MD_DIALOG', AUTO_LANG_HINT: 'true' },
  });
  const { model } = await run(agent, ['Gut.'], {}, { locale: 'de' });
  expect(systemOf(model)).toContain('Deutsch');
  expect(lastMessage(model, 1)).toMatch(/^Please\.\n\n\(.+\)$/);
});

it('takes style, limits and boxes from the settings, which code overrules', async () => {
  const agent = new Agent({ role: 'helper', metadata: { MODEL: 'script' } });
  const { job, model } = await run(agent, ['print(1)', 'print(2)'], {
    chatStyle: 'CONSOLE',
    limits: { turns: 2 },
    consoleBox: 'OUT',
  });
  expect(job.outcome).toBe('limit');
  expect(lastMessage(model, 2)).toBe('<OUT>\n> 1\n</OUT>');
});
