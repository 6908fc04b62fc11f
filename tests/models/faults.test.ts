// What goes wrong on the way goes wrong in the same way with every provider, and never becomes half a reply.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelError } from '../../src/models/errors.ts';
import { messageText, messageToolCalls, type AssistantMessage } from '../../src/models/message.ts';
import type { ModelsOptions } from '../../src/models/models.ts';
import type { ModelDelta, ModelReply, ModelRequest } from '../../src/models/request.ts';
import { ManualTime } from '../../src/models/testing/manual-time.ts';
import { modelsAt, testedProviders } from './providers.ts';
import { ModelServer } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

describe.each(testedProviders)('$title', (provider) => {
  const request: ModelRequest = { model: provider.model, messages: [{ role: 'user', content: 'Hello' }] };
  const ask = (options: ModelsOptions = {}, onDelta?: (delta: ModelDelta) => void): Promise<ModelReply> =>
    modelsAt(server, provider, options).ask(request, onDelta === undefined ? {} : { onDelta });

  it.each([
    [400, 'MODEL_BAD_REQUEST'],
    [401, 'MODEL_AUTH'],
    [402, 'MODEL_QUOTA'],
    [403, 'MODEL_AUTH'],
    [404, 'MODEL_NOT_FOUND'],
    [408, 'MODEL_TIMEOUT'],
    [409, 'MODEL_OVERLOADED'],
    [422, 'MODEL_BAD_REQUEST'],
    [429, 'MODEL_RATE_LIMIT'],
    [500, 'MODEL_OVERLOADED'],
    [503, 'MODEL_OVERLOADED'],
    [529, 'MODEL_OVERLOADED'],
  ])('tells what status %i means', async (status, code) => {
    server.say({ status });
    const name = provider.model.split('/')[0];
    await expect(ask()).rejects.toMatchObject({ code, details: { provider: name, status, attempts: 1 } });
  });

  it('understands errors that are not JSON', async () => {
    server.say({ status: 502, body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
  });

  it.each([
    ["This model's maximum context length is 8192 tokens", 'MODEL_CONTEXT_TOO_LONG'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'MODEL_CONTEXT_TOO_LONG'],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed', 'MODEL_CONTEXT_TOO_LONG'],
    ['Your request was flagged by our moderation', 'MODEL_CONTENT_REFUSED'],
    ['API key not valid. Please pass a valid API key.', 'MODEL_AUTH'],
    ['Your credit balance is too low to access the API', 'MODEL_QUOTA'],
    ['The model `gpt-99` does not exist', 'MODEL_NOT_FOUND'],
  ])('reads "%s"', async (message, code) => {
    const body = JSON.stringify({ type: 'error', error: { type: 'x', message, code: 400, status: 'X' } });
    server.say({ status: 400, body });
    await expect(ask()).rejects.toMatchObject({ code });
  });

  it('tells an empty account from a full minute', async () => {
    const body = {
      error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 429, status: 'X' },
    };
    server.say({ status: 429, body: JSON.stringify(body) });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_QUOTA', retryable: false });
    server.say({ status: 429, body: JSON.stringify({ error: { ...body.error, type: 'requests' } }) });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT', retryable: true });
  });

  it.each(['cut', 'end'] as const)('takes no part of a stream for the whole (%s)', async (kind) => {
    server.say({ text: ['one ', 'two'], fault: { kind, after: 2 } });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_NETWORK', retryable: true });
  });

  it('gives the whole reply or none, wherever the stream breaks off', async () => {
    const whole = { text: ['one ', 'two'], calls: [{ id: 'c1', name: 'look', input: '{"at":"the sky"}' }] };
    const tools = [{ name: 'look', input: { type: 'object' } }];
    const outcomes = new Set<string>();
    for (const kind of ['cut', 'end'] as const) {
      for (let after = 0; after < 20; after++) {
        server.reset();
        server.say({ ...whole, fault: { kind, after } });
        outcomes.add(
          await modelsAt(server, provider)
            .ask({ ...request, tools })
            .then(
              ({ message, finish }) => JSON.stringify([messageText(message), callInputs(message), finish]),
              (error: unknown) => `${(error as ModelError).code}, retryable: ${(error as ModelError).retryable}`,
            ),
        );
      }
    }
    expect([...outcomes].toSorted()).toEqual([
      'MODEL_NETWORK, retryable: true',
      JSON.stringify(['one two', [{ at: 'the sky' }], 'tool-calls']),
    ]);
  });

  it.each([1, 3, 7])('reads what comes %i bytes at a time', async (bytes) => {
    server.say({ text: ['日本語 — ', '👋🏽 naïve'], reasoning: 'ß', fault: { kind: 'crumbs', bytes } });
    expect(messageText((await ask()).message)).toBe('日本語 — 👋🏽 naïve');
  });

  it('does not carry the key elsewhere', async () => {
    server.say({ status: 307, headers: { location: `${server.url}/elsewhere` } });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND', details: { status: 307 } });
    expect(server.requests).toHaveLength(1);
  });

  it('begins again after a cut stream, and says so to the subscriber', async () => {
    server.say({ text: ['one ', 'two ', 'three'], fault: { kind: 'cut', after: 3 } }, { text: ['four'] });
    const time = new ManualTime(0, { skipUpTo: 60_000 });
    const deltas: ModelDelta[] = [];
    const reply = await ask({ clock: time.clock, sleep: time.sleep, retry: { attempts: 2 } }, (delta) =>
      deltas.push(delta),
    );
    expect(messageText(reply.message)).toBe('four');
    expect(reply.usage.attempts).toBe(2);
    const restart = deltas.findIndex(({ type }) => type === 'restart');
    expect(deltas[restart]).toEqual({ type: 'restart', reason: 'MODEL_NETWORK' });
    expect(deltas.slice(restart + 1)).toEqual([{ type: 'text', text: 'four' }]);
  });

  it('refuses JSON that is none', async () => {
    server.say({ text: ['one ', 'two'], fault: { kind: 'invalid-json' } });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_INVALID_REPLY', retryable: true });
  });

  it('refuses more than it is ready to read', async () => {
    server.say({ text: ['one ', 'two'], fault: { kind: 'oversized', bytes: 200_000 } });
    await expect(ask({ limits: { replyBytes: 100_000 } })).rejects.toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' });
  });

  it('understands an error in the middle of a stream', async () => {
    server.say({ text: ['one '], streamError: true });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
  });

  it('makes an error of a refusal', async () => {
    server.say({ finish: 'refused' });
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_CONTENT_REFUSED', retryable: false });
  });

  it.skipIf(provider.title === 'anthropic')('takes no reply that the model itself calls broken', async () => {
    server.say({ text: ['one ', 'two'], finish: 'broken' });
    await expect(ask()).rejects.toMatchObject({ retryable: true });
  });

  it('tells that a reply was ended by its length', async () => {
    server.say({ text: ['one, two'], finish: 'length' });
    expect(await ask()).toMatchObject({ finish: 'length' });
  });

  it.each([undefined, 2])('gives up on a server that falls silent (after %s events)', async (after) => {
    const time = new ManualTime();
    server.onHang = () => time.advance(180_000);
    server.say({ text: ['one ', 'two'], fault: after === undefined ? { kind: 'hang' } : { kind: 'hang', after } });
    await expect(ask({ clock: time.clock, sleep: time.sleep })).rejects.toMatchObject({
      code: 'MODEL_TIMEOUT',
      retryable: true,
    });
  });

  it('ends when the caller ends it', async () => {
    const abort = new AbortController();
    server.onHang = () => abort.abort(new Error('no longer wanted'));
    server.say({ text: ['one ', 'two'], fault: { kind: 'hang', after: 2 } });
    const reply = modelsAt(server, provider).ask(request, { signal: abort.signal });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_ABORTED', cause: { message: 'no longer wanted' } });
  });

  it('never shows the key', async () => {
    server.say({ status: 401, body: JSON.stringify({ error: { message: 'Wrong key: sk-very-secret-key' } }) });
    const error = await ask().catch((caught: unknown) => caught);
    const { message, details, stack } = error as Error & { details: unknown };
    expect(`${message} ${JSON.stringify(details)} ${stack}`).not.toContain(
      provider.model.startsWith('ollama') ? 'undefined' : 'sk-very-secret-key',
    );
  });
});

const callInputs = (message: AssistantMessage): unknown => messageToolCalls(message).map(({ input }) => input);

it('tells that nobody listens', async () => {
  for (const provider of testedProviders) {
    const models = modelsAt({ url: 'http://127.0.0.1:9' } as ModelServer, provider);
    const reply = models.ask({ model: provider.model, messages: [{ role: 'user', content: 'Hello' }] });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_NETWORK', retryable: true });
  }
});
