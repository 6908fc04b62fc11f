// The same request has the same effect with every provider. The real code of the providers runs, against a local server.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageText, messageToolCalls } from '../../src/models/message.ts';
import type { ModelDelta, ModelRequest } from '../../src/models/request.ts';
import { modelsAt, testedProviders } from './providers.ts';
import { ModelServer } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

const weather = {
  name: 'weather',
  description: 'The weather in a town',
  input: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'], additionalProperties: false },
};

describe.each(testedProviders)('$title', (provider) => {
  const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
    model: provider.model,
    messages: [
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: 'Hello' },
    ],
    ...more,
  });

  it('returns text, and streams it', async () => {
    server.say({ text: ['Good ', 'morning'], usage: { input: 20, output: 4, cached: 8 } });
    const deltas: ModelDelta[] = [];
    const reply = await modelsAt(server, provider).ask(request(), { onDelta: (delta) => deltas.push(delta) });
    expect(messageText(reply.message)).toBe('Good morning');
    expect(reply.finish).toBe('stop');
    expect(reply.usage.tokens).toEqual({ input: 20, output: 4, cached: 8, cacheWrite: 0, reasoning: 0 });
    expect(reply.usage.attempts).toBe(1);
    expect(deltas).toEqual([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning' },
    ]);
  });

  it('counts tokens in, out, cached, and of reasoning where the provider reports them', async () => {
    server.say({ text: ['Hm'], usage: { input: 20, output: 9, cached: 8, reasoning: 3 } });
    const { usage } = await modelsAt(server, provider).ask(request());
    const reasoning = provider.title === 'anthropic' ? 0 : 3;
    expect(usage.tokens).toEqual({ input: 20, output: 9, cached: 8, cacheWrite: 0, reasoning });
  });

  it('returns tool calls', async () => {
    server.say({
      text: ['Let me see.'],
      calls: [
        { id: 'call-1', name: 'weather', input: '{"town":"Ghent"}' },
        { id: 'call-2', name: 'weather', input: '{"town":"Bruges"}' },
      ],
    });
    const reply = await modelsAt(server, provider).ask(request({ tools: [weather] }));
    expect(reply.finish).toBe('tool-calls');
    expect(messageToolCalls(reply.message).map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'weather', input: { town: 'Ghent' } },
      { name: 'weather', input: { town: 'Bruges' } },
    ]);
  });

  it('gives replies that are JSON and nothing else', async () => {
    server.say({ reasoning: 'Hm, hm.', text: ['Yes'], calls: [{ id: 'call-1', name: 'weather', input: '{}' }] });
    const reply = await modelsAt(server, provider).ask(request({ tools: [weather] }));
    expect(JSON.parse(JSON.stringify(reply))).toStrictEqual(reply);
  });
});
