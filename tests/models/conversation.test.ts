// A reply that was stored goes back to its provider with everything that provider wants to see again, and to no other.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../src/models/message.ts';
import { messageToolCalls } from '../../src/models/message.ts';
import type { ModelReply, ModelRequest } from '../../src/models/request.ts';
import { modelsAt, testedProviders, type TestedProvider } from './providers.ts';
import { ModelServer } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

const tools = [{ name: 'weather', input: { type: 'object', properties: { town: { type: 'string' } } } }];
const thoughts = 'The user wants weather.';
/** What only the provider that made it may see again. */
const opaque: Readonly<Record<string, readonly string[]>> = {
  'openai (responses)': ['sealed thoughts'],
  'openai (chat completions)': [],
  anthropic: ['signed by the maker', thoughts],
  google: ['signed by the maker', thoughts],
  openrouter: ['signed by the maker', thoughts],
  ollama: [thoughts],
};

const first: ModelMessage[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'How is the weather in Ghent?' },
];

async function firstTurn(provider: TestedProvider): Promise<ModelReply> {
  server.say({
    reasoning: thoughts,
    text: ['Let me see.'],
    calls: [{ id: 'call.1:x', name: 'weather', input: '{"town":"Ghent"}' }],
  });
  const reply = await modelsAt(server, provider).ask({ model: `${provider.model} rl=60`, messages: first, tools });
  // As if it had been stored in a database and read again.
  return JSON.parse(JSON.stringify(reply)) as ModelReply;
}

function secondTurn({ message }: ModelReply): ModelMessage[] {
  const [call] = messageToolCalls(message);
  return [
    ...first,
    message,
    { role: 'tool', content: [{ type: 'tool-result', id: call?.id ?? '', name: 'weather', output: { sky: 'grey' } }] },
  ];
}

async function bodyOf(provider: TestedProvider, request: Omit<ModelRequest, 'model'>): Promise<string> {
  server.say({ text: ['It is grey.'] });
  await modelsAt(server, provider).ask({ model: provider.model, ...request });
  return JSON.stringify(server.requests.at(-1)?.body);
}

/** Once with the call and once with the result. */
const timesIn = (body: string, id: RegExp): number => body.match(id)?.length ?? 0;

it('sends OpenRouter the details of what was thought as they came, once', async () => {
  const openrouter = testedProviders.find(({ title }) => title === 'openrouter') as TestedProvider;
  await bodyOf(openrouter, { messages: secondTurn(await firstTurn(openrouter)), tools });
  const sent = server.requests.at(-1)?.body['messages'] as Record<string, unknown>[];
  const reply = sent.find(({ role }) => role === 'assistant');
  expect(reply?.['reasoning_details']).toEqual([
    { type: 'reasoning.text', index: 0, text: thoughts, signature: 'signed by the maker' },
  ]);
  expect(reply).not.toHaveProperty('reasoning_content');
});

describe.each(testedProviders)('$title', (provider) => {
  it('gets back what it wants to see again', async () => {
    const body = await bodyOf(provider, { messages: secondTurn(await firstTurn(provider)), tools });
    for (const text of ['Let me see.', 'Ghent', 'grey', ...(opaque[provider.title] ?? [])]) {
      expect(body).toContain(text);
    }
  });

  it.each(testedProviders.filter(({ model }) => model.split('/')[0] !== provider.model.split('/')[0]))(
    'gets nothing opaque from $title',
    async (other) => {
      const reply = await firstTurn(other);
      const body = await bodyOf(provider, { messages: secondTurn(reply), tools });
      expect(body).toContain('Let me see.');
      expect(body).toContain('grey');
      for (const text of [thoughts, 'signed by the maker', 'sealed thoughts']) expect(body).not.toContain(text);
      // An id that another provider made may have characters that this one refuses.
      expect(body).not.toContain('call.1:x');
      expect(timesIn(body, /call_1_x/g)).toBe(2);
    },
  );

  it('pairs calls and results whose ids had to change', async () => {
    const foreign: ModelMessage = {
      role: 'assistant',
      content: [{ type: 'tool-call', id: 'functions.weather:0', name: 'weather', input: { town: 'Ghent' } }],
      madeBy: { provider: 'elsewhere', model: 'kimi' },
    };
    const result: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-result', id: 'functions.weather:0', name: 'weather', output: 'grey' }],
    };
    const body = await bodyOf(provider, { messages: [...first, foreign, result], tools });
    expect(timesIn(body, /functions_weather_0/g)).toBe(2);
    expect(body).not.toContain('functions.weather:0');
  });

  it('receives notes in the middle, wherever they stand', async () => {
    const note: ModelMessage = { role: 'system', content: 'Remember to be kind.' };
    const said: ModelMessage = { role: 'assistant', content: 'Hello' };
    for (const messages of [
      [...first, note],
      [...first, said, note],
      [...first, said, note, { role: 'user', content: 'And?' } as const],
      [...first, said, { role: 'user', content: 'And?' } as const, note],
    ]) {
      const body = await bodyOf(provider, { messages });
      expect(body).toContain('<system_note>\\nRemember to be kind.\\n</system_note>');
    }
  });

  it('takes replies that were empty, and calls whose input was wrong', async () => {
    const messages: ModelMessage[] = [
      ...first,
      { role: 'assistant', content: [] },
      { role: 'user', content: 'Well?' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'c1', name: 'weather', input: '{"town":', invalid: 'not JSON' }],
      },
      { role: 'tool', content: [{ type: 'tool-result', id: 'c1', name: 'weather', output: 'not JSON', failed: true }] },
    ];
    const body = await bodyOf(provider, { messages, tools });
    expect(body).toContain('invalid_input');
    expect(body).toContain('Well?');
  });

  it('is shown media, in messages and in results of tools', async () => {
    const picture = { type: 'media', mediaType: 'image/png', data: 'aGVsbG8gcGljdHVyZQ==' } as const;
    const drawing = { type: 'media', mediaType: 'image/png', data: 'aGVsbG8gZHJhd2luZw==' } as const;
    const messages: ModelMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, picture] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name: 'draw', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', id: 'c1', name: 'draw', output: 'drawn', media: [drawing] }] },
    ];
    const body = await bodyOf(provider, { messages, tools: [{ name: 'draw', input: { type: 'object' } }] });
    expect(body).toContain(picture.data);
    expect(body).toContain(drawing.data);
    expect(body).toContain('drawn');
    // Not as text within text, which no model sees.
    expect(body).not.toContain(`\\"${drawing.data}\\"`);
  });
});
