// Recorded once, played back for ever; a request that differs is an error that shows where.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Models } from '../models.ts';
import type { ModelDelta, ModelReply, ModelRequest } from '../request.ts';
import { recordedModel, type RecordedModelOptions } from './recorded.ts';
import { scriptedModel } from './scripted.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-recording-'));
  file = join(folder, 'deep', 'recording.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = { OPENAI_API_KEY: 'sk-very-secret', HOME: '/home/me' };
const request: ModelRequest = {
  model: 'test rl=60',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [{ name: 'find', input: { type: 'object', properties: { title: { type: 'string' } } } }],
};

const modelsWith = (options: RecordedModelOptions = {}): Models =>
  new Models({ env: {}, models: { test: recordedModel(file, { env, ...options }) } });

const record = async (...requests: ModelRequest[]): Promise<ModelReply[]> => {
  const source = scriptedModel([
    { text: ['Hi ', 'there'], reasoning: 'polite', toolCalls: [{ name: 'find', input: { title: 'x' } }], cost: 0.5 },
    'the key is sk-very-secret, the word is hush-hush',
  ]);
  const models = modelsWith({ record: source, secrets: ['hush-hush'] });
  const replies: ModelReply[] = [];
  for (const one of requests) replies.push(await models.ask(one));
  return replies;
};

const untimed = ({ usage, ...reply }: ModelReply): unknown => ({
  ...reply,
  usage: { ...usage, timeToFirstToken: 0, duration: 0 },
});

it('plays back what was recorded', async () => {
  const [recorded] = await record(request);
  const deltas: ModelDelta[] = [];
  const played = await modelsWith().ask(request, { onDelta: (delta) => deltas.push(delta) });
  expect(untimed(played)).toEqual(untimed(recorded as ModelReply));
  expect(deltas.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call']);
});

it('shows where a request differs', async () => {
  await record(request);
  const other: ModelRequest = { ...request, messages: [{ role: 'user', content: 'Good bye' }] };
  await expect(modelsWith().ask(other)).rejects.toMatchObject({
    code: 'MODEL_RECORDING',
    message: expect.stringMatching(
      /It differs from request 1 there at request\.messages\[0\]\.content\n {2}recorded: "Hello"\n {2}asked: {4}"Good bye"/,
    ) as string,
  });
  await expect(modelsWith().ask({ ...request, model: 'test rl=70' })).rejects.toThrow(/at request.reasoningLevel/);
  await expect(modelsWith().ask({ ...request, temperature: 1 })).rejects.toThrow(
    /at request\.temperature\n {2}recorded: nothing\n {2}asked: {4}1/,
  );
});

it('has no more replies than were recorded', async () => {
  await record(request);
  const models = modelsWith();
  await models.ask(request);
  await expect(models.ask(request)).rejects.toThrow(/has 1 replies, and all were used/);
});

it('does not move on after a request that differs', async () => {
  await record(request);
  const models = modelsWith();
  await expect(models.ask({ ...request, temperature: 1 })).rejects.toThrow(/differs/);
  expect(await models.ask(request)).toMatchObject({ finish: 'tool-calls' });
});

it('plays back in any order, each reply once', async () => {
  const other: ModelRequest = { ...request, messages: [{ role: 'user', content: 'Good bye' }] };
  await record(request, other);
  const models = modelsWith();
  const [second, first] = await Promise.all([models.ask(other), models.ask(request)]);
  expect([first.finish, second.finish]).toEqual(['tool-calls', 'stop']);
  await expect(models.ask(request)).rejects.toThrow(/has 2 replies, and all were used/);
});

it('never records secrets, and plays back requests that contain them', async () => {
  const secret: ModelRequest = { ...request, messages: [{ role: 'user', content: 'I am sk-very-secret hush-hush' }] };
  await record(secret, secret);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/sk-very-secret|hush-hush/);
  expect(text).toContain('I am [secret] [secret]');
  expect(await modelsWith({ secrets: ['hush-hush'] }).ask(secret)).toMatchObject({ finish: 'tool-calls' });
});

it('refuses what is not a recording', () => {
  expect(() => recordedModel(file)).toThrow(/Cannot read the recording.*Create it with recordedModel/);
  file = join(folder, 'other.json');
  writeFileSync(file, '{"statek model recording":99,"exchanges":[]}');
  expect(() => recordedModel(file)).toThrow(/not a model recording of version 1/);
});
