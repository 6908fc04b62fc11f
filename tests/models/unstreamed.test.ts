// Servers that answer with one JSON document though a stream was asked for: it is a reply like any other.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageText, messageToolCalls } from '../../src/models/message.ts';
import type { ModelDelta } from '../../src/models/request.ts';
import { modelsAt, testedProviders } from './providers.ts';
import { ModelServer } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

const call = { name: 'find', input: { title: 'x' } };
const chat = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello there',
        tool_calls: [
          { id: 'call-1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

const documents: Readonly<Record<string, object>> = {
  'openai (responses)': {
    id: 'resp_1',
    created_at: 1_700_000_000,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call-1', name: call.name, arguments: JSON.stringify(call.input) },
    ],
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  'openai (chat completions)': chat,
  anthropic: {
    type: 'message',
    id: 'msg_1',
    model: 'm',
    role: 'assistant',
    content: [
      { type: 'text', text: 'Hello there' },
      { type: 'tool_use', id: 'call-1', name: call.name, input: call.input },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  google: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'Hello there' }, { functionCall: { name: call.name, args: call.input } }],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  },
  openrouter: chat,
  ollama: chat,
};

describe.each(testedProviders)('$title', (provider) => {
  const tools = [{ name: call.name, input: { type: 'object', properties: { title: { type: 'string' } } } }];
  const request = { model: provider.model, messages: [{ role: 'user' as const, content: 'Hello' }], tools };
  const headers = { 'content-type': 'application/json; charset=utf-8' };

  it('takes a document for a reply, and asks once', async () => {
    server.say({ status: 200, headers, body: JSON.stringify(documents[provider.title]) });
    const deltas: ModelDelta[] = [];
    const { message, finish, usage } = await modelsAt(server, provider).ask(request, {
      onDelta: (delta) => deltas.push(delta),
    });
    expect(messageText(message)).toBe('Hello there');
    expect(messageToolCalls(message)).toMatchObject([call]);
    expect([finish, usage.tokens.input, usage.tokens.output]).toEqual(['tool-calls', 10, 5]);
    expect(deltas).toContainEqual({ type: 'text', text: 'Hello there' });
    expect(server.requests).toHaveLength(1);
  });

  it('does not take anything else for one', async () => {
    server.say({ status: 200, headers, body: '{"hello": "there"}' }, { status: 200, headers, body: '{"half": ' });
    const models = modelsAt(server, provider);
    for (let tries = 0; tries < 2; tries++)
      // One provider's own code takes a document without output for a failure of the server.
      await expect(models.ask(request)).rejects.toMatchObject({
        code: expect.stringMatching(/^MODEL_(?:INVALID_REPLY|OVERLOADED)$/) as unknown,
      });
  });
});
