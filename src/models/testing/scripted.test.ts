// Scripted models go through the same retries, limits and streams as real ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messageText, messageToolCalls } from '../message.ts';
import { Models, type ModelsOptions } from '../models.ts';
import type { ModelDelta, ModelReply, ModelRequest } from '../request.ts';
import { ManualTime } from './manual-time.ts';
import { scriptedModel, type ScriptedModel } from './scripted.ts';

const request: ModelRequest = { model: 'test', messages: [{ role: 'user', content: 'Move weekly planning' }] };

function modelsWith(test: ScriptedModel, more: ModelsOptions = {}): Models {
  return new Models({ env: {}, models: { test }, random: () => 0, ...more });
}

it('says what it is told, one after the other, and knows what it was asked', async () => {
  const model = scriptedModel([
    'first',
    { text: 'second', reasoning: 'hm' },
    ({ messages }) => `you said ${messages.length}`,
  ]);
  const models = modelsWith(model);
  const replies: ModelReply[] = [];
  for (let turn = 0; turn < 3; turn++) replies.push(await models.ask({ ...request, temperature: turn }));
  expect(replies.map(({ message }) => messageText(message))).toEqual(['first', 'second', 'you said 1']);
  expect(replies[1]?.message.content).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'second' },
  ]);
  expect(model.requests.map(({ temperature }) => temperature)).toEqual([0, 1, 2]);
  expect(model.left).toBe(0);
  expect(JSON.parse(JSON.stringify(replies))).toStrictEqual(replies);
});

it('keeps as many requests as it is told to', async () => {
  const model = scriptedModel(['a', 'b', 'c'], { keepRequests: 2 });
  const models = modelsWith(model);
  for (let turn = 0; turn < 3; turn++) await models.ask({ ...request, temperature: turn });
  expect(model.requests.map(({ temperature }) => temperature)).toEqual([1, 2]);
  expect(() => scriptedModel([], { keepRequests: -1 })).toThrow(/keepRequests/);
});

it('calls tools, wrongly too', async () => {
  const model = scriptedModel([
    {
      toolCalls: [
        { name: 'find', input: { title: 'x' } },
        { name: 'find', input: '{"title":' },
      ],
    },
    { toolCalls: [{ name: 'find', input: '[]', id: 'mine' }] },
  ]);
  const models = modelsWith(model);
  const { message, finish } = await models.ask(request);
  expect(finish).toBe('tool-calls');
  expect(messageToolCalls(message)).toEqual([
    { type: 'tool-call', id: 'call-1', name: 'find', input: { title: 'x' } },
    {
      type: 'tool-call',
      id: 'call-2',
      name: 'find',
      input: '{"title":',
      invalid: expect.stringContaining('not JSON') as string,
    },
  ]);
  const second = await models.ask(request);
  expect(messageToolCalls(second.message)).toMatchObject([{ id: 'mine', invalid: 'not a JSON object' }]);
});

it('streams in pieces, with delays that nobody waits for', async () => {
  const time = new ManualTime(0, { skipUpTo: 1000 });
  const models = modelsWith(scriptedModel([{ text: ['a', 'b', 'c'], delay: 250 }]), {
    clock: time.clock,
    sleep: time.sleep,
  });
  const deltas: ModelDelta[] = [];
  const { usage } = await models.ask(request, { onDelta: (delta) => deltas.push(delta) });
  expect(deltas.map((delta) => 'text' in delta && delta.text)).toEqual(['a', 'b', 'c']);
  expect(usage).toMatchObject({ timeToFirstToken: 250, duration: 750 });
});

it('fails as it is told, and is asked again', async () => {
  const time = new ManualTime(0, { skipUpTo: 60_000 });
  const model = scriptedModel([
    { fault: 'rate-limit', retryAfter: 3000 },
    { text: ['half a', 'reply'], fault: 'cut' },
    'whole',
  ]);
  const deltas: ModelDelta[] = [];
  const models = modelsWith(model, { clock: time.clock, sleep: time.sleep });
  const reply = await models.ask(request, { onDelta: (delta) => deltas.push(delta) });
  expect(messageText(reply.message)).toBe('whole');
  expect(reply.usage.attempts).toBe(3);
  expect(deltas).toEqual([
    { type: 'restart', reason: 'MODEL_RATE_LIMIT' },
    { type: 'text', text: 'half a' },
    { type: 'text', text: 'reply' },
    { type: 'restart', reason: 'MODEL_NETWORK' },
    { type: 'text', text: 'whole' },
  ]);
});

it('can fall silent', async () => {
  const time = new ManualTime();
  const models = modelsWith(scriptedModel([{ text: 'well', fault: 'silence' }]), {
    clock: time.clock,
    sleep: time.sleep,
    retry: { attempts: 1 },
  });
  const reply = models.ask(request, { onDelta: () => queueMicrotask(() => time.advance(180_000)) });
  await expect(reply).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
});

it.each([
  ['auth', 'MODEL_AUTH'],
  ['quota', 'MODEL_QUOTA'],
  ['not-found', 'MODEL_NOT_FOUND'],
  ['bad-request', 'MODEL_BAD_REQUEST'],
  ['context-too-long', 'MODEL_CONTEXT_TOO_LONG'],
  ['content-refused', 'MODEL_CONTENT_REFUSED'],
] as const)('can fail with %s', async (fault, code) => {
  await expect(modelsWith(scriptedModel([{ fault }])).ask(request)).rejects.toMatchObject({ code });
});

it('finds its place by the turn, in a new process too', async () => {
  const script = ['one', 'two', 'three'];
  const first = await modelsWith(scriptedModel(script, { by: 'turn' })).ask(request);
  const next: ModelRequest = {
    ...request,
    messages: [...request.messages, first.message, { role: 'user', content: '?' }],
  };
  for (let process = 0; process < 2; process++) {
    const reply = await modelsWith(scriptedModel(script, { by: 'turn' })).ask(next);
    expect(messageText(reply.message)).toBe('two');
  }
});

describe('what does not fit', () => {
  it('is an error that shows what was asked', async () => {
    const models = modelsWith(scriptedModel([{ text: 'ok', expect: 'Cancel' }]));
    await expect(models.ask(request)).rejects.toThrow(
      /it expects "Cancel"\. The last message was "Move weekly planning" \(role user\)/,
    );
    const patterns = modelsWith(scriptedModel([{ text: 'ok', expect: /^Move/ }]));
    expect(messageText((await patterns.ask(request)).message)).toBe('ok');
  });

  it('is an error when nothing is left', async () => {
    await expect(modelsWith(scriptedModel([])).ask(request)).rejects.toMatchObject({
      code: 'MODEL_SCRIPT',
      message: expect.stringContaining('it has no reply number 1') as string,
    });
  });

  it('is whatever a function throws', async () => {
    const error = new Error('assertion failed');
    const failing = scriptedModel([
      () => {
        throw error;
      },
    ]);
    await expect(modelsWith(failing).ask(request)).rejects.toBe(error);
  });

  it('is a member that does not exist', () => {
    expect(() => scriptedModel([{ txt: 'a' } as never])).toThrow(/no option 'txt'/);
  });
});

describe('from a file', () => {
  const fileWith = (name: string, text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-script-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('reads JSON', async () => {
    const file = fileWith('script.json', JSON.stringify(['hello', { toolCalls: [{ name: 'find', input: {} }] }]));
    const models = modelsWith(scriptedModel(file));
    expect(messageText((await models.ask(request)).message)).toBe('hello');
    expect(await models.ask(request)).toMatchObject({ finish: 'tool-calls' });
  });

  it('reads text, with dashes between replies', async () => {
    const file = fileWith('script.md', 'First\n\n```ts\nx\n```\n----------\nSecond\n');
    const models = modelsWith(scriptedModel(file));
    expect(messageText((await models.ask(request)).message)).toBe('First\n\n```ts\nx\n```');
    expect(messageText((await models.ask(request)).message)).toBe('Second');
  });

  it.each([
    ['{', /is not JSON/],
    ['{}', /is not a JSON array of replies/],
    ['[5]', /reply 1 must be a string or an object/],
    ['["a",{"txt":"a"}]', /reply 2: unknown member 'txt'\. A reply has text, reasoning/],
    ['[{"fault":"fire"}]', /reply 1: unknown fault "fire"\. Use one of auth/],
  ])('refuses %s', (text, message) => {
    expect(() => scriptedModel(fileWith('script.json', text))).toThrow(message);
  });

  it('refuses a file that is not there', () => {
    expect(() => scriptedModel('/nowhere/script.json')).toThrow(/Cannot read the script '\/nowhere\/script.json'/);
  });
});
