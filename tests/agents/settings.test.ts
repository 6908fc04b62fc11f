// Each setting reaches what it is for, from code as from the environment; limits from every place that may say them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Agent, DialogAgent, Statek, type ChatStyle, type JobLimits, type StatekOptions } from '../../src/index.ts';
import { limitKey, limitNames, type LimitName } from '../../src/agents/settings/limits.ts';
import { ManualTime, scriptedModel } from '../../src/testing.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

const limitsOf = (agent: Agent, options = {}): Partial<JobLimits> => agent.createJobDef(options).definition.limits;

it.each(limitNames)(
  'the limit %s is that of the environment, the prompt, the agent and the job, the later the stronger',
  async (name: LimitName) => {
    // Within what every one of them may be.
    const [one, two, three, four] = [70_000, 80_000, 90_000, 100_000].map((n) =>
      name === 'heapBytes' ? n * 100 : name === 'sliceMilliseconds' ? n / 1000 : n,
    );
    const opened = async (agent: Agent, settings: StatekOptions['settings'] = {}): Promise<Agent> => {
      await stage([agent], [], { settings });
      return agent;
    };
    vi.stubEnv(`STATEK_${limitKey(name)}`, String(one));
    onTestFinished(() => void vi.unstubAllEnvs());
    const metadata = { MODEL: 'script', [limitKey(name)]: two };
    expect(limitsOf(await opened(agentWith()))[name]).toBe(one);
    expect(limitsOf(await opened(agentWith({ metadata })))[name]).toBe(two);
    const agent = await opened(agentWith({ metadata, limits: { [name]: three } }));
    expect(limitsOf(agent)[name]).toBe(three);
    expect(limitsOf(agent, { limits: { [name]: four } })[name]).toBe(four);
    const unlimited = limitsOf(agent, { limits: { [name]: Number.POSITIVE_INFINITY } })[name];
    // A workspace has bounds of its own.
    const isBounded = ['sliceMilliseconds', 'heapBytes', 'consoleBytes'].includes(name);
    expect(unlimited === undefined || (isBounded && unlimited > (four ?? 0))).toBe(true);
    const code = await opened(agentWith(), { limits: { [name]: two } });
    expect(limitsOf(code)[name]).toBe(two);
  },
);

it('the chat style is that of the job, the metadata, the kind of agent, the environment, and else MARKDOWN', async () => {
  const metadata = { MODEL: 'script' };
  const talker = new DialogAgent({ role: 'talker', metadata, sendMessage: () => undefined });
  const plain = new Agent({ role: 'plain', metadata });
  const style = (agent: Agent, options = {}): string => agent.createJobDef(options).definition.style;
  const { kit } = await stage([talker, plain], []);
  expect([style(plain), style(talker)]).toEqual(['MARKDOWN', 'MD_DIALOG']);
  await kit.close();
  vi.stubEnv('STATEK_CHAT_STYLE', 'CONSOLE');
  onTestFinished(() => void vi.unstubAllEnvs());
  await stage([talker, plain], []);
  expect([style(plain), style(talker)]).toEqual(['CONSOLE', 'MD_DIALOG']);
  expect(style(talker, { metadata: { CHAT_STYLE: 'DIRECT' } })).toBe('DIRECT');
  expect(style(talker, { metadata: { CHAT_STYLE: 'DIRECT' }, chatStyle: 'MARKDOWN' })).toBe('MARKDOWN');
});

async function shownExample(settings: StatekOptions['settings'], chatStyle: 'DIRECT' | 'MD_DIALOG' | 'MARKDOWN') {
  const examples = storeFolder();
  mkdirSync(join(examples, 'helper'));
  writeFileSync(join(examples, 'helper/a.md'), '# name: Add\n\n```ts\nprint(1);\n```\n> 1\n');
  const show = 'print(await showExample("Add"))';
  const { model } = await played(
    {},
    [chatStyle === 'DIRECT' ? { toolCalls: [{ name: 'ts_cli', input: { code: show } }] } : ts(show), ts('exit()')],
    { message: 'x', metadata: { CHAT_STYLE: chatStyle }, limits: { turns: 2 } },
    { settings: { ...settings, examples } },
  );
  return JSON.stringify(model.requests[1]?.messages.at(-1)?.content);
}

it('examples are laid out in the style of the job, or in that of the settings, in boxes', async () => {
  expect(await shownExample({}, 'DIRECT')).toContain('Tool call ts_cli:');
  expect(await shownExample({}, 'MD_DIALOG')).toContain('<CONSOLE>\\n1\\n</CONSOLE>\\n</CONSOLE>');
  expect(await shownExample({ examplesStyle: 'CONSOLE' }, 'DIRECT')).toContain('// Example: Add');
  expect(await shownExample({ exampleBox: 'EX', consoleBox: 'OUT' }, 'MARKDOWN')).toMatch(
    /<EX>\\nExample: Add[\s\S]*<OUT>\\n1\\n<\/OUT>\\n<\/EX>/,
  );
});

it('the difficulty to begin with is that of the settings', async () => {
  const { job } = await played({}, [ts('exit()')], { message: 'x' }, { settings: { defaultDifficulty: 'M' } });
  expect((await job.usage()).turns[0]?.difficulty).toBe('M');
});

it('provider, prices, attempts, concurrency and silence of the settings are those of the models', async () => {
  const prices = join(storeFolder(), 'prices.csv');
  writeFileSync(prices, 'model,input,output\nscripted/scripted,1000000,0\n');
  const agent = new Agent({ role: 'helper', metadata: { MODEL: 'script' } });
  let running = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return { text: ts('exit()'), tokens: { input: 2, output: 1 } };
  };
  const script = scriptedModel([slow, slow, { fault: 'overloaded' }]);
  const kit = await Statek.open({
    store: 'memory:',
    agents: [agent],
    models: { models: { script } },
    settings: { prices, modelAttempts: 1, modelConcurrency: 1, logLevel: 'silent' },
  });
  onTestFinished(() => kit.close());
  const jobs = await kit.submitAll(agent, [{ message: 'a' }, { message: 'b' }]);
  await Promise.all(jobs.map((job) => job.result()));
  expect([most, (await jobs[0]?.usage())?.cost]).toEqual([1, 2]);
  const failed = await kit.submit(agent, { message: 'c' });
  await expect(failed.result()).rejects.toThrow('overloaded');
  expect(script.requests).toHaveLength(3);
  const { clock, sleep } = new ManualTime(0, { skipUpTo: 1000 });
  const silent = await Statek.open({
    store: 'memory:',
    agents: [new Agent({ role: 'helper', metadata: { MODEL: 'm' } })],
    models: { models: { m: scriptedModel([{ fault: 'silence' }]) }, retry: { attempts: 1 }, clock, sleep },
    settings: { modelSilence: 1, logLevel: 'silent' },
  });
  onTestFinished(() => silent.close());
  await expect((await silent.submit('helper', { message: 'x' })).result()).rejects.toThrow(
    'sent nothing for 1 seconds',
  );
  const elsewhere = await Statek.open({
    store: 'memory:',
    agents: [new Agent({ role: 'helper', metadata: { MODEL: 'some-model' } })],
    settings: { defaultProvider: 'nobody', logLevel: 'silent' },
  });
  onTestFinished(() => elsewhere.close());
  await expect((await elsewhere.submit('helper', { message: 'x' })).result()).rejects.toThrow("'nobody'");
});

it.each<[ChatStyle, string]>([
  ['CONSOLE', '> 1'],
  ['MARKDOWN', '1'],
  ['MD_DIALOG', '1'],
])('a box wraps the console in %s', async (chatStyle, text) => {
  const print = chatStyle === 'CONSOLE' ? 'print(1)' : ts('print(1)');
  const { model } = await played(
    { chatStyle },
    [print, 'exit()'],
    { message: 'x', limits: { turns: 2 } },
    { settings: { consoleBox: 'OUT' } },
  );
  expect(lastMessage(model, 2)).toBe(`<OUT>\n${text}\n</OUT>`);
});
