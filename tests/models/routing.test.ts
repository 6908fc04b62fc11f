// Which model answers: names, fallbacks, waiting as asked, so many at once, models of the application's own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { messageText } from '../../src/models/message.ts';
import { Models, type ModelsOptions } from '../../src/models/models.ts';
import type { ModelDelta, ModelRequest } from '../../src/models/request.ts';
import { ManualTime } from '../../src/models/testing/manual-time.ts';
import { scriptedModel } from '../../src/models/testing/scripted.ts';
import { olderModel } from './older-model.ts';
import { modelsAt, testedProviders, type TestedProvider } from './providers.ts';
import { ModelServer } from './server/server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

const messages: ModelRequest['messages'] = [{ role: 'user', content: 'Hello' }];
const timeOf = (time: ManualTime): ModelsOptions => ({ clock: time.clock, sleep: time.sleep });

describe.each(testedProviders)('$title', (provider) => {
  it('is asked again when it says so: in seconds, at a date, in milliseconds', async () => {
    const start = Date.UTC(2026, 0, 1);
    const time = new ManualTime(start, { skipUpTo: 60_000 });
    server.say(
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': new Date(start + 7000 + 30_000).toUTCString() } },
      { status: 429, headers: { 'retry-after-ms': '1500' } },
      { status: 500 },
      { text: ['At last'] },
    );
    const models = modelsAt(server, provider, { ...timeOf(time), retry: { firstDelay: 0 } });
    const reply = await models.ask({ model: provider.model, messages });
    expect(messageText(reply.message)).toBe('At last');
    expect(reply.usage.attempts).toBe(5);
    expect(time.waits.filter((wait) => wait <= 60_000)).toEqual([7000, 30_000, 1500, 0]);
  });

  it.each([408, 409, 429, 500, 502, 503, 504])('is asked again after status %i', async (status) => {
    const time = new ManualTime(0, { skipUpTo: 60_000 });
    server.say({ status }, { text: ['At last'] });
    const reply = await modelsAt(server, provider, { ...timeOf(time), retry: {} }).ask({
      model: provider.model,
      messages,
    });
    expect([messageText(reply.message), reply.usage.attempts]).toEqual(['At last', 2]);
  });

  it('is not asked again when it would be of no use', async () => {
    server.say({ status: 400 });
    const models = modelsAt(server, provider, { retry: { attempts: 5 } });
    await expect(models.ask({ model: provider.model, messages })).rejects.toMatchObject({ details: { attempts: 1 } });
    expect(server.requests).toHaveLength(1);
  });

  it('says how long to wait if that is too long to wait here', async () => {
    server.say({ status: 429, headers: { 'retry-after': '3600' } });
    const models = modelsAt(server, provider, { retry: { attempts: 5 } });
    await expect(models.ask({ model: provider.model, messages })).rejects.toMatchObject({
      code: 'MODEL_RATE_LIMIT',
      details: { retryAfter: 3_600_000, attempts: 1 },
    });
  });
});

it('reads how long Google asks to wait from the body', async () => {
  const google = testedProviders.find(({ title }) => title === 'google') as TestedProvider;
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
  server.say({ status: 429, body: JSON.stringify({ error: { code: 429, message: 'quota', status: 'X', details } }) });
  const reply = modelsAt(server, google).ask({ model: google.model, messages });
  await expect(reply).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT', details: { retryAfter: 34_500 } });
});

describe('fallbacks', () => {
  const models = (): Models =>
    new Models({
      env: {},
      models: {
        broken: scriptedModel([{ text: 'half', fault: 'cut' }], { name: 'broken' }),
        locked: scriptedModel([{ fault: 'auth' }], { name: 'locked' }),
        prude: scriptedModel([{ fault: 'content-refused' }], { name: 'prude' }),
        good: scriptedModel(['fine'], { name: 'good' }),
      },
      retry: { attempts: 1 },
    });

  it('are asked in turn', async () => {
    const deltas: ModelDelta[] = [];
    const request = { model: 'broken', fallbacks: ['locked', 'good rl=10'], messages };
    const reply = await models().ask(request, { onDelta: (delta) => deltas.push(delta) });
    expect(reply.message.madeBy).toEqual({ provider: 'scripted', model: 'good' });
    expect(reply.usage.model).toEqual({ provider: 'scripted', model: 'good' });
    expect(deltas).toEqual([
      { type: 'text', text: 'half' },
      { type: 'restart', reason: 'MODEL_NETWORK' },
      { type: 'restart', reason: 'MODEL_AUTH' },
      { type: 'text', text: 'fine' },
    ]);
  });

  it('are not asked what was refused', async () => {
    const reply = models().ask({ model: 'prude', fallbacks: ['good'], messages });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_CONTENT_REFUSED' });
  });

  it('fail with the error of the last', async () => {
    const reply = models().ask({ model: 'broken', fallbacks: ['locked'], messages });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_AUTH', details: { model: 'locked' } });
  });

  it('must exist, even if they are not needed', async () => {
    const reply = models().ask({ model: 'good', fallbacks: ['nobody/knows'], messages });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_STRING' });
  });
});

it('asks a provider only so often at once', async () => {
  let running = 0;
  let most = 0;
  const slow = async (): Promise<string> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return 'done';
  };
  const models = new Models({ env: {}, concurrency: 3, models: { test: scriptedModel(Array(20).fill(slow)) } });
  await Promise.all(Array.from({ length: 20 }, () => models.ask({ model: 'test', messages })));
  expect(most).toBe(3);
});

it('can be ended while it waits to be asked again, and while it waits in line', async () => {
  const time = new ManualTime();
  const model = scriptedModel([{ fault: 'overloaded' }, { fault: 'silence' }]);
  const models = new Models({ env: {}, ...timeOf(time), concurrency: 1, models: { test: model } });
  const first = new AbortController();
  const waiting = models.ask({ model: 'test', messages }, { signal: first.signal });
  await expect.poll(() => time.waits.some((wait) => wait < 1000)).toBe(true);
  first.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'MODEL_ABORTED' });
  const second = new AbortController();
  const silent = models.ask({ model: 'test', messages }, { signal: second.signal });
  const third = new AbortController();
  const inLine = models.ask({ model: 'test', messages }, { signal: third.signal });
  third.abort();
  await expect(inLine).rejects.toMatchObject({ code: 'MODEL_ABORTED' });
  second.abort();
  await expect(silent).rejects.toMatchObject({ code: 'MODEL_ABORTED' });
  await expect(models.ask({ model: 'test', messages }, { signal: third.signal })).rejects.toMatchObject({
    code: 'MODEL_ABORTED',
  });
  expect(model.requests).toHaveLength(2);
});

it('does not let a subscriber spoil a reply', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const models = new Models({ env: {}, models: { test: scriptedModel([{ text: ['a', 'b'] }]) } });
  let told = 0;
  const reply = await models.ask(
    { model: 'test', messages },
    {
      onDelta: () => {
        told++;
        throw new Error('the page is gone');
      },
    },
  );
  expect(messageText(reply.message)).toBe('ab');
  expect(told).toBe(1);
  expect((await warned).message).toContain('the page is gone');
});

describe("models of the application's own", () => {
  it('are found by their name, with their provider in place', async () => {
    const anthropic = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'key' });
    const models = new Models({
      env: {},
      models: { mine: anthropic('claude-sonnet-4-5') },
      providers: { ours: anthropic },
    });
    server.say({ text: ['one'], reasoning: 'hm' }, { text: ['two'] }, { text: ['three'] });
    const first = await models.ask({ model: 'mine rl=60', messages });
    expect(first.message.madeBy).toEqual({ provider: 'mine', model: 'claude-sonnet-4-5' });
    await models.ask({ model: 'mine', messages: [...messages, first.message, { role: 'user', content: 'And?' }] });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"thinking"');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('signed by the maker');
    const third = await models.ask({ model: 'ours/claude-haiku-4-5', messages });
    expect(third.message.madeBy).toEqual({ provider: 'ours', model: 'claude-haiku-4-5' });
    expect(server.requests[2]?.body['model']).toBe('claude-haiku-4-5');
  });

  it.each(['v2', 'v3'] as const)('may have the older interface %s', async (version) => {
    const models = new Models({ env: {}, models: { old: olderModel(version, 'from of old') } });
    const reply = await models.ask({ model: 'old', messages });
    expect(messageText(reply.message)).toBe('from of old');
    expect(reply.usage.tokens).toMatchObject({ input: 3, output: 4 });
  });

  it('may not exist', async () => {
    const languageModel = (id: string): never => {
      throw new Error(`No such model: ${id}`);
    };
    const reply = new Models({ env: {}, providers: { ours: { languageModel } } }).ask({ model: 'ours/x', messages });
    await expect(reply).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: "ours has no model 'x': No such model: x",
    });
  });

  it('are refused if nobody knows their interface', () => {
    const model = { ...olderModel('v2', ''), specificationVersion: 'v9' };
    expect(() => new Models({ env: {}, models: { model } })).toThrow(/interface 'v9'; supported are v2, v3, v4/);
    expect(() => new Models({ env: {}, models: { 'a b': scriptedModel([]) } })).toThrow(/is invalid/);
  });
});

describe('the environment', () => {
  it('makes a provider of an address', async () => {
    const models = new Models({ env: { MY_SERVER_API_URL: server.url, MY_SERVER_API_KEY: 'k' } });
    server.say({ text: ['Hello'] });
    await models.ask({ model: 'my-server/some/model:7b', messages });
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: 'Bearer k' } });
    expect(server.requests[0]?.body['model']).toBe('some/model:7b');
  });

  it.each(['', '/v1', '/v1/chat/completions'])('moves a provider to another address (%s)', async (path) => {
    const models = new Models({ env: { OPENAI_API_URL: server.url + path, STATEK_DEFAULT_PROVIDER: 'openai' } });
    server.say({ text: ['Hello'] });
    await models.ask({ model: 'qwen3', messages });
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('and headers keep their secrets', async () => {
    const headers = { 'x-auth-token': 'tell-nobody', 'x-team': 'blue' };
    const models = new Models({ env: {}, providers: { ours: { url: server.url, headers } } });
    server.say({ status: 400, body: JSON.stringify({ error: { message: 'tell-nobody is of team blue' } }) });
    await expect(models.ask({ model: 'ours/x', messages })).rejects.toThrow('[secret] is of team blue');
    expect(server.requests[0]?.headers).toMatchObject(headers);
  });

  it('gives way to options', async () => {
    const env = { OPENAI_API_URL: 'http://127.0.0.1:9', OPENAI_API_KEY: 'no' };
    const models = new Models({ env, providers: { openai: { url: `${server.url}/v1/responses`, key: 'yes' } } });
    server.say({ text: ['Hello'] });
    await models.ask({ model: 'openai/gpt-5', messages });
    expect(server.requests[0]).toMatchObject({ path: '/v1/responses', headers: { authorization: 'Bearer yes' } });
  });

  it.each(['openai', 'anthropic', 'google', 'openrouter'])('must have a key for %s', async (provider) => {
    const reply = new Models({ env: {}, fetch: noFetch }).ask({ model: `${provider}/m`, messages });
    await expect(reply).rejects.toMatchObject({
      code: 'MODEL_AUTH',
      message: expect.stringContaining(`set ${provider.toUpperCase()}_API_KEY`) as string,
    });
  });

  it.each([
    [{ env: { OPENAI_API_URL: 'nowhere' } }, /OPENAI_API_URL is 'nowhere'/],
    [
      { env: { STATEK_DEFAULT_PROVIDER: 'opena' } },
      /STATEK_DEFAULT_PROVIDER: unknown provider 'opena'\. Registered providers: openai/,
    ],
    [{ env: { STATEK_PRICES: '/nowhere.csv' } }, /Cannot read the prices from '\/nowhere.csv'/],
    [{ providers: { X: {} } }, /'X' is not a valid name of a provider/],
    [{ providers: { x: {} } }, /Provider 'x' has no url\. Add one, or set X_API_URL/],
    [
      { providers: { x: { url: 'http://h', api: 'soap' as never } } },
      /api 'soap'; it must be one of openai, anthropic/,
    ],
    [{ providers: { x: { uri: 'http://h' } as never } }, /no option 'uri'; it takes api, url, key/],
    [{ concurrency: 0 }, /'concurrency' must be a whole number/],
    [{ limits: { silence: 0 } }, /'silence' must be a whole number/],
    [{ retries: 3 } as ModelsOptions, /no option 'retries'/],
  ])('and options are checked: %o', (options, message) => {
    expect(() => new Models({ env: {}, ...options })).toThrow(message);
  });

  it('may name a file of prices', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-prices-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'prices.csv');
    writeFileSync(file, 'model,input,output\nscripted/scripted,1000000,0\n');
    const script = scriptedModel([{ text: 'Hello', tokens: { input: 2 } }]);
    const models = new Models({ env: { STATEK_PRICES: file }, models: { test: script } });
    const { usage } = await models.ask({ model: 'test', messages });
    expect(usage.cost).toEqual({ amount: 2, source: 'table' });
  });

  it('may name a folder of files of prices', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-prices-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'a.csv'), 'model,input,output\nscripted/scripted,1000000,0\n');
    writeFileSync(join(folder, 'b.csv'), 'output,input,model\n0,3000000,scripted/scripted\n');
    writeFileSync(join(folder, 'notes.txt'), 'no prices');
    const script = scriptedModel([{ text: 'Hello', tokens: { input: 2 } }]);
    const models = new Models({ env: {}, prices: folder, models: { test: script } });
    const { usage } = await models.ask({ model: 'test', messages });
    expect(usage.cost).toEqual({ amount: 6, source: 'table' });
    writeFileSync(join(folder, 'c.csv'), 'model\n');
    expect(() => new Models({ env: {}, prices: folder })).toThrow(/c\.csv: the first line must list the columns/);
    expect(() => new Models({ env: {}, prices: join(folder, 'none') })).toThrow(/Cannot read the prices from/);
  });
});

it('resolves names without asking anybody', () => {
  const models = new Models({ env: {}, defaultProvider: 'ollama', models: { test: scriptedModel([]) } });
  expect(models.resolve('openai/gpt-5 rl=60')).toEqual({ provider: 'openai', model: 'gpt-5', parameters: { rl: 60 } });
  expect(models.resolve('llama3:8b')).toMatchObject({ provider: 'ollama', model: 'llama3:8b' });
  expect(models.resolve('test')).toMatchObject({ provider: 'scripted', model: 'scripted' });
  expect(models.resolve('test', 'openai')).toMatchObject({ provider: 'openai', model: 'test' });
  expect(models.providers).toContain('openrouter');
});

const noFetch = (): never => {
  throw new Error('Nobody may be asked.');
};
