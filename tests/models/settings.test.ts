// What a request asks for reaches each provider in its own words.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/models/request.ts';
import { modelsAt, testedProviders, type TestedProvider } from './providers.ts';
import { ModelServer, type ReceivedRequest } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

const messages: ModelRequest['messages'] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'Hello' },
];

async function sent(provider: TestedProvider, request: Partial<ModelRequest>): Promise<ReceivedRequest> {
  server.say({ text: ['Hello'] });
  await modelsAt(server, provider).ask({ model: provider.model, messages, ...request });
  const received = server.requests.at(-1);
  if (received === undefined) throw new Error('Nothing arrived.');
  return received;
}

const by = <Value>(values: Record<string, Value>): (TestedProvider & { expected: Value })[] =>
  testedProviders.map((provider) => ({ ...provider, expected: values[provider.title] as Value }));

it.each(
  by({
    'openai (responses)': '/v1/responses',
    'openai (chat completions)': '/v1/chat/completions',
    anthropic: '/v1/messages',
    google: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    openrouter: '/api/v1/chat/completions',
    ollama: '/v1/chat/completions',
  }),
)('$title is asked at $expected', async (provider) => {
  expect((await sent(provider, {})).path).toBe(provider.expected);
});

it.each(
  by<Record<string, string | undefined>>({
    'openai (responses)': { authorization: 'Bearer sk-very-secret-key' },
    'openai (chat completions)': { authorization: 'Bearer sk-very-secret-key' },
    anthropic: { 'x-api-key': 'sk-very-secret-key' },
    google: { 'x-goog-api-key': 'sk-very-secret-key' },
    openrouter: { authorization: 'Bearer sk-very-secret-key' },
    ollama: { authorization: undefined },
  }),
)('$title is shown the key', async (provider) => {
  const { headers } = await sent(provider, {});
  for (const [name, value] of Object.entries(provider.expected)) expect(headers[name]).toBe(value);
});

describe('reasoning levels', () => {
  it.each(
    by<object>({
      'openai (responses)': { reasoning: { effort: 'medium' } },
      'openai (chat completions)': { reasoning_effort: 'medium' },
      anthropic: { thinking: { type: 'enabled' } },
      google: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
      openrouter: { reasoning: { effort: 'medium' } },
      ollama: { reasoning_effort: 'medium' },
    }),
  )('rl=60 reaches $title', async (provider) => {
    const { body } = await sent(provider, { model: `${provider.model} rl=60` });
    expect(body).toMatchObject(provider.expected);
  });

  it.each(
    by<object>({
      'openai (responses)': {},
      'openai (chat completions)': {},
      anthropic: {},
      google: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      openrouter: { reasoning: { effort: 'none' } },
      ollama: { reasoning_effort: 'none' },
    }),
  )('rl=0 reaches $title', async (provider) => {
    const { body } = await sent(provider, { model: `${provider.model} rl=0` });
    expect(body).toMatchObject(provider.expected);
    expect(body['thinking']).toBeOneOf([undefined, { type: 'disabled' }]);
  });

  it.each(testedProviders)('more thinking is asked of $title the higher the level', async (provider) => {
    const asked = new Set<string>();
    for (const level of [10, 30, 60, 80]) {
      const { body } = await sent(provider, { model: `${provider.model} rl=${level}` });
      asked.add(
        JSON.stringify([body['reasoning'], body['reasoning_effort'], body['thinking'], body['generationConfig']]),
      );
    }
    expect(asked.size).toBeGreaterThanOrEqual(3);
  });

  it.each(testedProviders)('no level asks nothing of $title', async (provider) => {
    const text = JSON.stringify((await sent(provider, {})).body);
    expect(text).not.toMatch(/effort|thinking/i);
  });
});

describe('caching', () => {
  it('is asked of Anthropic, for the instructions and for everything up to the last message', async () => {
    const anthropic = testedProviders.find(({ title }) => title === 'anthropic') as TestedProvider;
    const mark = { cache_control: { type: 'ephemeral' } };
    expect((await sent(anthropic, {})).body).toMatchObject({
      system: [{ text: 'You are brief.', ...mark }],
      messages: [{ role: 'user', content: [{ text: 'Hello', ...mark }] }],
    });
    expect(JSON.stringify((await sent(anthropic, { cache: false })).body)).not.toContain('cache_control');
  });

  it("is asked of OpenRouter for Anthropic's models", async () => {
    const openrouter = testedProviders.find(({ title }) => title === 'openrouter') as TestedProvider;
    expect((await sent(openrouter, {})).body).toMatchObject({ cache_control: { type: 'ephemeral' } });
    const { body } = await sent(openrouter, { model: 'openrouter/openai/gpt-5' });
    expect(body).not.toHaveProperty('cache_control');
  });

  it('is by name with OpenAI', async () => {
    const [openai] = testedProviders as [TestedProvider];
    expect((await sent(openai, { cacheKey: 'job-7' })).body).toMatchObject({ prompt_cache_key: 'job-7', store: false });
  });
});

it.each(testedProviders)("$title gets the other settings, its own options too, and nobody else's", async (provider) => {
  const name = provider.model.split('/')[0] ?? '';
  const option = { openai: { user: 'me' }, anthropic: { speed: 'fast' }, google: { labels: { a: 'me' } } }[name] ?? {
    user: 'me',
  };
  const model = provider.title.startsWith('openai') ? 'openai/gpt-4.1' : provider.model;
  const { body } = await sent(provider, {
    model,
    temperature: 0.25,
    maxOutputTokens: 77,
    settings: { [name]: option, nobody: { user: 'them' } },
  });
  const text = JSON.stringify(body);
  expect(text).toContain('0.25');
  expect(text).toContain('77');
  expect(text).toMatch(/"me"|"fast"/);
  expect(text).not.toContain('them');
});

it.each(testedProviders)('$title gets tools, which of them to use, and what the output must be', async (provider) => {
  const tool = {
    name: 'look',
    description: 'Looks',
    input: { type: 'object', properties: { at: { type: 'string' } } },
  };
  const withTools = JSON.stringify((await sent(provider, { tools: [tool], toolChoice: { tool: 'look' } })).body);
  expect(withTools).toContain('Looks');
  expect(withTools.match(/"look"/g)?.length).toBeGreaterThanOrEqual(2);
  const output = {
    type: 'object',
    properties: { kindness: { type: 'number' } },
    required: ['kindness'],
    additionalProperties: false,
  };
  expect(JSON.stringify((await sent(provider, { output })).body)).toContain('kindness');
});

it.each(
  by<number | undefined>({
    'openai (responses)': (10 * 0.25 + 5 * 2) / 1e6,
    'openai (chat completions)': (10 * 0.25 + 5 * 2) / 1e6,
    anthropic: (10 * 3 + 5 * 15) / 1e6,
    google: (10 * 0.3 + 5 * 2.5) / 1e6,
    openrouter: 0.0125,
    ollama: undefined,
  }),
)('a turn with $title is priced', async (provider) => {
  server.say({ text: ['Hello'] });
  const { usage } = await modelsAt(server, provider).ask({ model: provider.model, messages });
  expect(usage.cost?.amount).toBe(provider.expected);
  const source = provider.title === 'openrouter' ? 'provider' : 'table';
  expect(usage.cost?.source).toBe(provider.expected === undefined ? undefined : source);
});
