// Tasks with the real client of A2A, which finds the agent by its card.
import {
  Role,
  TaskState,
  type Message,
  type Part,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { TaskNotFoundError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Models, program, Statek, tool } from '../../src/index.ts';
import type { ModelBackend } from '../../src/models.ts';
import { server, type ServerOptions } from '../../src/server.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';

const token = 'token-for-the-tests';
const book = tool({
  name: 'book',
  input: z.object({ room: z.string() }),
  approval: 'always',
  execute: async ({ room }) => `booked ${room}`,
});

interface Served {
  readonly kit: Statek;
  readonly url: string;
  client(role?: string, headers?: Record<string, string>): Promise<Client>;
}

async function serve(script: readonly ScriptStep[] | ModelBackend, options: ServerOptions = {}): Promise<Served> {
  const clerk = new Agent({
    role: 'clerk',
    chatStyle: 'MD_DIALOG',
    tools: [book],
    metadata: { MODEL: 'script', DESCRIPTION: 'Books rooms.' },
  });
  const sums = program<string>({
    role: 'sums',
    source: "const n = Number(await ask('How many?')); ({ twice: 2 * n })",
  });
  const backend = Array.isArray(script) ? scriptedModel(script as readonly ScriptStep[]) : (script as ModelBackend);
  const models = new Models({ models: { script: backend } });
  const kit = await Statek.open({ store: 'memory:', agents: [clerk], drivers: [sums], models });
  const worker = kit.start();
  const listening = await server(kit, { token, ...options }).listen();
  onTestFinished(async () => {
    await listening.close();
    await worker.stop();
    await kit.close();
  });
  return { kit, url: listening.url, client: (role, headers) => clientOf(listening.url, role, headers) };
}

async function clientOf(
  url: string,
  role: string | undefined,
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
): Promise<Client> {
  const fetchImpl: typeof fetch = (place, init) =>
    fetch(place, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(role === undefined ? url : `${url}v1/a2a/${role}/`);
}

const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});
const data = (value: unknown): Part => ({ ...text(''), content: { $case: 'data', value } });

let number = 0;
function said(
  parts: readonly Part[],
  place: { readonly contextId?: string; readonly taskId?: string } = {},
): SendMessageRequest {
  const message: Message = {
    messageId: `m-${++number}`,
    contextId: place.contextId ?? '',
    taskId: place.taskId ?? '',
    role: Role.ROLE_USER,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

const about = (id: string): { tenant: string; id: string; metadata: undefined } => ({
  tenant: '',
  id,
  metadata: undefined,
});
const textsOf = (parts: readonly Part[] = []): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('|');
const answerOf = (task: Task): string =>
  textsOf(task.artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts);

/** What a client has of the artifact after these events. */
function heard(events: readonly StreamResponse[]): string {
  let parts: Part[] = [];
  for (const { payload } of events) {
    if (payload?.$case === 'task')
      parts = payload.value.artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts ?? [];
    if (payload?.$case !== 'artifactUpdate' || payload.value.artifact?.artifactId !== 'answer') continue;
    parts = payload.value.append ? [...parts, ...payload.value.artifact.parts] : payload.value.artifact.parts;
  }
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

const stateOf = ({ payload }: StreamResponse): TaskState | undefined =>
  payload?.$case === 'statusUpdate' || payload?.$case === 'task' ? payload.value.status?.state : undefined;

it('is found by its card, answers message after message, and keeps each as a task', async () => {
  const { client } = await serve(['```ts\nprint(3)\n```', 'There are three.', 'Four now.', 'Hello.']);
  const agent = await client();
  expect(await agent.getAgentCard()).toMatchObject({ name: 'clerk', description: 'Books rooms.' });
  const first = (await agent.sendMessage(said([text('How many?')]))) as Task;
  expect(first.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(answerOf(first)).toContain('There are three.');
  expect(textsOf(first.history[0]?.parts)).toBe('How many?');
  const second = (await agent.sendMessage(said([text('And now?')], { contextId: first.contextId }))) as Task;
  expect(second.contextId).toBe(first.contextId);
  expect(second.id).not.toBe(first.id);
  expect(answerOf(second)).toBe('Four now.');
  expect(await agent.getTask({ ...about(first.id), historyLength: undefined })).toEqual(
    expect.objectContaining({ id: first.id, artifacts: first.artifacts }),
  );
  // Sent again, it is the same task.
  const again = said([text('Hello?')]);
  const [one, two] = (await Promise.all([agent.sendMessage(again), agent.sendMessage(again)])) as Task[];
  expect(one?.id).toBe(two?.id);
  expect([answerOf(one as Task), answerOf(two as Task)]).toEqual(['Hello.', 'Hello.']);
});

/** A model that says its second piece when it is allowed to. */
function pausing(first: string, second: string): { backend: ModelBackend; allow(): void } {
  let allow = (): void => undefined;
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  const backend: ModelBackend = {
    provider: 'test',
    model: 'pausing',
    async answer(_request, { emit, signal }) {
      emit({ type: 'text', text: first });
      await Promise.race([allowed, new Promise((_resolve, reject) => signal.addEventListener('abort', reject))]);
      emit({ type: 'text', text: second });
      return {
        content: [{ type: 'text', text: first + second }],
        finish: 'stop',
        tokens: { input: 1, output: 1, cached: 0, cacheWrite: 0, reasoning: 0 },
      };
    },
  };
  return { backend, allow };
}

it('streams, and goes on with a task that is being worked on', async () => {
  const { backend, allow } = pausing('One, ', 'two.');
  const { client } = await serve(backend);
  const agent = await client('clerk');
  const events: StreamResponse[] = [];
  const stream = agent.sendMessageStream(said([text('Count.')]));
  for await (const event of stream) {
    events.push(event);
    if (heard(events) === 'One, ') break;
  }
  const [begun] = events;
  const id = begun?.payload?.$case === 'task' ? begun.payload.value.id : '';
  const returned = await agent.getTask({ ...about(id), historyLength: undefined });
  expect(returned.status?.state).toBe(TaskState.TASK_STATE_WORKING);
  const resumed: StreamResponse[] = [];
  for await (const event of agent.resubscribeTask({ tenant: '', id })) {
    resumed.push(event);
    if (heard(resumed) === 'One, ') allow();
  }
  expect(heard(resumed)).toBe('One, two.');
  expect(stateOf(resumed.at(-1) as StreamResponse)).toBe(TaskState.TASK_STATE_COMPLETED);
  // What is over is not subscribed to.
  await expect(agent.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(UnsupportedOperationError);
});

it('takes back what was not committed', async () => {
  const { client } = await serve([{ text: ['Half of a wrong '], fault: 'cut' }, { text: ['The right ', 'answer.'] }]);
  const events: StreamResponse[] = [];
  for await (const event of (await client('clerk')).sendMessageStream(said([text('Well?')]))) events.push(event);
  expect(heard(events.slice(0, 2))).toBe('Half of a wrong ');
  expect(heard(events)).toBe('The right answer.');
});

it.each([
  [{ approved: true }, 'booked blue'],
  [{ approved: false, comment: 'too dear' }, 'DeniedError'],
])('needs an explicit decision: %o', async (decision, outcome) => {
  const { client, kit } = await serve([
    '```ts\nlet outcome; try { outcome = await book("blue") } catch (error) { outcome = error.name }\nprint(outcome)\n```',
    'That was it.',
  ]);
  const agent = await client('clerk');
  const task = (await agent.sendMessage(said([text('Book it.')]))) as Task;
  expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(textsOf(task.status?.message?.parts)).toBe("Approve? clerk.book({ room: 'blue' })");
  const to = { contextId: task.contextId, taskId: task.id };
  await expect(agent.sendMessage(said([text('yes, sure')], to))).rejects.toThrow('"approved": true');
  expect(await (await kit.job(task.contextId)).waiting()).toHaveLength(1);
  const events: StreamResponse[] = [];
  for await (const event of agent.sendMessageStream(said([data(decision)], to))) events.push(event);
  expect(heard(events)).toContain('That was it.');
  expect(stateOf(events.at(-1) as StreamResponse)).toBe(TaskState.TASK_STATE_COMPLETED);
  const steps = events.flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate' ? [JSON.stringify(payload.value.metadata)] : [],
  );
  expect(steps.join()).toContain(outcome);
});

it('asks, is answered in the same task, and has a result as data', async () => {
  const { client } = await serve([]);
  // A program of the application has no card; its endpoint is like that of an agent.
  const [card, factory] = [await (await client()).getAgentCard(), new ClientFactory()];
  const url = card.supportedInterfaces[0]?.url.replace('clerk', 'sums') ?? '';
  const fetchImpl: typeof fetch = (place, init) =>
    fetch(place, { ...init, headers: { ...(init?.headers as object), authorization: `Bearer ${token}` } });
  const agent = await new ClientFactory({
    ...factory.options,
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  }).createFromAgentCard({
    ...card,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
  });
  const asked = (await agent.sendMessage(said([text('Go.')]))) as Task;
  expect(textsOf(asked.status?.message?.parts)).toBe('How many?');
  const done = (await agent.sendMessage(said([text('21')], { taskId: asked.id }))) as Task;
  expect(done.id).toBe(asked.id);
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(done.artifacts.find(({ artifactId }) => artifactId === 'result')?.parts[0]?.content).toEqual({
    $case: 'data',
    value: { twice: 42 },
  });
  // Without the task, a message to the context answers too.
  const other = (await agent.sendMessage(said([text('Go.')]))) as Task;
  const answered = (await agent.sendMessage(said([text('4')], { contextId: other.contextId }))) as Task;
  expect(answered.id).toBe(other.id);
  expect(answered.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});

it('is cancelled, once, and the task stays cancelled when the conversation goes on', async () => {
  const { backend, allow } = pausing('Never ', 'ending.');
  const { client } = await serve(backend);
  const agent = await client('clerk');
  let id = '';
  for await (const { payload } of agent.sendMessageStream(said([text('Go.')]))) {
    if (payload?.$case === 'task') ({ id } = payload.value);
    if (payload?.$case === 'artifactUpdate') break;
  }
  const cancelled = await agent.cancelTask(about(id));
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(agent.cancelTask(about(id))).rejects.toThrow(TaskNotCancelableError);
  await expect(agent.getTask({ ...about('nobody/nothing'), historyLength: undefined })).rejects.toThrow(
    TaskNotFoundError,
  );
  allow();
  const next = (await agent.sendMessage(said([text('Again.')], { contextId: cancelled.contextId }))) as Task;
  expect(next.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const before = await agent.getTask({ ...about(id), historyLength: undefined });
  expect(before.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
});

it('asks for the same rights as everything else, and shows no jobs of others', async () => {
  const { client, kit, url } = await serve(['Hello.'], {
    authorize: (request) => {
      const name = request.headers.get('x-caller');
      if (name === 'looker') return { name, rights: ['read'] };
      return name === 'limited' ? { name, rights: ['read', 'answer', 'control'], labels: ['mine'] } : undefined;
    },
  });
  await expect(client(undefined, {})).rejects.toThrow('401');
  const looker = await client('clerk', { 'x-caller': 'looker' });
  await expect(looker.sendMessage(said([text('Hi.')]))).rejects.toThrow('403');
  const limited = await client('clerk', { 'x-caller': 'limited' });
  const mine = (await limited.sendMessage(said([text('Hi.')]))) as Task;
  expect((await kit.job(mine.contextId)).labels).toEqual(['mine']);
  const theirs = await kit.submit('clerk', { message: { text: 'Hello', id: 'x' } });
  await expect(limited.getTask({ ...about(`${theirs.id}/x`), historyLength: undefined })).rejects.toThrow(
    TaskNotFoundError,
  );
  await expect(looker.cancelTask(about(mine.id))).rejects.toThrow('403');
  // Clients of another version are told.
  const old = await fetch(`${url}v1/a2a/clerk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: {} }),
  });
  expect(await old.json()).toMatchObject({ id: 1, error: { code: -32_009 } });
});

it('says where it is when it is mounted', async () => {
  const { kit } = await serve(['Hello.']);
  const app = express();
  app.use('/statek', server(kit, { token }).node);
  const listening = app.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => {
    listening.close();
    listening.closeAllConnections();
  });
  const { port } = listening.address() as AddressInfo;
  const agent = await clientOf(`http://127.0.0.1:${port}/statek/`, undefined);
  expect(answerOf((await agent.sendMessage(said([text('Hi.')]))) as Task)).toBe('Hello.');
});
