// A2A 1.0 for other agents: the card of each agent, and JSON-RPC with server-sent events at `…/v1/a2a/clerk`.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Job } from '../../agents/door.ts';
import { packageVersion } from '../../base/package.ts';
import { QueueOverloadedError } from '../../jobs/door.ts';
import { NotFoundError } from '../../workspace/door.ts';
import { ForbiddenError } from '../access/rights.ts';
import { eventStream, type ServerEvent } from '../http/event-stream.ts';
import { problemOf, RequestError } from '../http/problem.ts';
import type { Rates } from '../http/rates.ts';
import { idText, route, type Route, type RouteCall } from '../http/route.ts';
import {
  idOf,
  isTerminal,
  resultArtifact,
  SpokenParts,
  statusOf,
  taskId,
  taskOf,
  taskPlace,
  type TaskJson,
} from './a2a.ts';
import type { ChatEvent } from './chat-event.ts';
import { OpenConversation } from './follow.ts';
import { conversation, decide, findConversation, say, type Verdict } from './talk.ts';
import { mediaOf } from './ui-message.ts';

const cardPath = '.well-known/agent-card.json';
const version = '1.0';

/** Errors of the protocol, with the codes that its clients know. */
class ProtocolError extends Error {
  readonly number: number;
  readonly reason: string;

  constructor(number: number, reason: string, message: string) {
    super(message);
    this.number = number;
    this.reason = reason;
  }
}

const invalidParams = (message: string): ProtocolError => new ProtocolError(-32_602, 'INVALID_PARAMS', message);
const unsupported = (message: string): ProtocolError => new ProtocolError(-32_004, 'UNSUPPORTED_OPERATION', message);
const noTask = (id: string): ProtocolError => new ProtocolError(-32_001, 'TASK_NOT_FOUND', `There is no task '${id}'.`);

const call = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(400), z.number(), z.null()]).optional(),
  method: z.string().max(100),
  params: z.record(z.string(), z.unknown()).default({}),
});

const part = z.looseObject({
  text: z.string().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  data: z.json().optional(),
  mediaType: z.string().max(200).optional(),
  filename: z.string().max(1000).optional(),
});
const sending = z.looseObject({
  message: z.looseObject({
    messageId: idText,
    contextId: z.string().max(400).default(''),
    taskId: z.string().max(2000).default(''),
    role: z.literal('ROLE_USER'),
    parts: z.array(part).min(1).max(1000),
  }),
  configuration: z
    .looseObject({ returnImmediately: z.boolean().default(false), historyLength: z.int().min(0).optional() })
    .optional(),
});
const aboutTask = z.looseObject({ id: z.string().max(2000), historyLength: z.int().min(0).optional() });

type Call = RouteCall<{ readonly role: string }, object, z.output<typeof call>>;

// eslint-disable-next-line typescript/explicit-module-boundary-types, typescript/explicit-function-return-type -- the types of the client are inferred from it
export function a2aRoutes(rates: Rates) {
  return [
    route('GET', `/a2a/${cardPath}`, {
      summary: 'The card of the first agent, with the others as skills; also at the well-known path beside /v1.',
      right: 'read',
      answer: z.looseObject({ name: z.string() }),
      async handle({ access, base }) {
        const agents = access.agents();
        const [first] = agents;
        if (first === undefined) throw new NotFoundError('There are no agents here.');
        return cardOf(first, agents, base);
      },
    }),
    route('GET', `/a2a/{role}/${cardPath}`, {
      summary: 'The card of an agent, for clients that speak A2A.',
      right: 'read',
      path: { role: idText },
      answer: z.looseObject({ name: z.string() }),
      async handle({ access, base, path: { role } }) {
        const agent = access.agents().find((one) => one.role === role);
        if (agent === undefined) throw new NotFoundError(`There is no agent '${role}'.`, { role });
        return cardOf(agent, [agent], base);
      },
    }),
    route('POST', '/a2a/{role}', {
      summary: 'JSON-RPC of A2A: SendMessage, SendStreamingMessage, GetTask, CancelTask, SubscribeToTask.',
      right: 'read',
      path: { role: idText },
      body: call,
      answer: 'text/event-stream',
      async handle(given) {
        const id = given.body.id ?? null;
        try {
          const spoken = given.header('a2a-version') ?? '0.3';
          if (spoken.split('.')[0] !== version.split('.')[0])
            throw new ProtocolError(-32_009, 'VERSION_NOT_SUPPORTED', `This is A2A ${version}, not ${spoken}.`);
          return await answer(given, rates);
        } catch (error) {
          // Who may do what is a matter of HTTP.
          if (
            error instanceof ForbiddenError ||
            error instanceof QueueOverloadedError ||
            (error instanceof RequestError && error.status === 429)
          )
            throw error;
          return Response.json({ jsonrpc: '2.0', id, error: rpcError(error) });
        }
      },
    }),
  ] satisfies readonly Route[];
}

interface AgentSummary {
  readonly role: string;
  readonly description?: string | undefined;
}

function cardOf(agent: AgentSummary, skills: readonly AgentSummary[], base: string): { name: string } {
  const described = ({ role, description }: AgentSummary): string => description ?? `The agent '${role}'.`;
  return {
    name: agent.role,
    description: described(agent),
    version: packageVersion(),
    supportedInterfaces: [
      { url: `${base}v1/a2a/${encodeURIComponent(agent.role)}`, protocolBinding: 'JSONRPC', protocolVersion: version },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/markdown', 'application/json'],
    skills: skills.map((skill) => ({
      id: skill.role,
      name: skill.role,
      description: described(skill),
      tags: ['statek'],
    })),
  } as { name: string };
}

async function answer(given: Call, rates: Rates): Promise<Response> {
  const { method, params } = given.body;
  switch (method) {
    case 'SendMessage':
      return result(given, { task: await send(given, params) });
    case 'SendStreamingMessage': {
      const { job, message } = await begin(given, sending.parse(params));
      return stream(given, rates, job, message);
    }
    case 'GetTask': {
      const { id, historyLength } = aboutTask.parse(params);
      return result(given, shortened((await find(given, id, 'read')).task, historyLength));
    }
    case 'CancelTask':
      return result(given, await cancel(given, aboutTask.parse(params).id));
    case 'SubscribeToTask': {
      const { job, task, message } = await find(given, aboutTask.parse(params).id, 'read');
      if (isTerminal(task.status.state)) throw unsupported(`The task '${task.id}' is over. Get it with GetTask.`);
      return stream(given, rates, job, message);
    }
    case 'CreateTaskPushNotificationConfig':
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      throw new ProtocolError(-32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'There are no push notifications here.');
    case 'ListTasks':
      throw unsupported('Tasks are not listed here. Jobs are, at GET /v1/jobs.');
    case 'GetExtendedAgentCard':
      throw new ProtocolError(-32_007, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'The card has everything there is.');
    default:
      throw new ProtocolError(-32_601, 'METHOD_NOT_FOUND', `There is no method '${method}'.`);
  }
}

function result({ body }: Call, value: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id: body.id ?? null, result: value });
}

function rpcError(error: unknown): unknown {
  const [code, reason, message] =
    error instanceof ProtocolError
      ? [error.number, error.reason, error.message]
      : ((): [number, string, string] => {
          const { status, code: name, detail } = problemOf(error);
          return [status === 404 ? -32_001 : status < 500 ? -32_602 : -32_603, name, detail];
        })();
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
  return { code, message, data: [info] };
}

interface Found {
  readonly job: Job;
  readonly task: TaskJson;
  readonly message: string;
}

async function find(
  { access, path: { role } }: Call,
  id: string,
  right: 'read' | 'answer' | 'control',
): Promise<Found> {
  const place = taskPlace(id);
  const job = place === undefined ? undefined : await findConversation(access, role, place.job, right);
  const task =
    job === undefined || place === undefined ? undefined : await taskOf(await OpenConversation.of(job), place.message);
  if (place === undefined || job === undefined || task === undefined) throw noTask(id);
  return { job, task, message: place.message };
}

/** Says something, or answers what a task waits for. Returns the message whose task goes on. */
async function begin(given: Call, { message, configuration }: z.output<typeof sending>): Promise<Omit<Found, 'task'>> {
  const { access, path } = given;
  if (configuration?.['taskPushNotificationConfig'] !== undefined)
    throw new ProtocolError(-32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'There are no push notifications here.');
  const { messageId, contextId, parts } = message;
  if (message.taskId !== '') return continued(given, message);
  const data = parts.flatMap((one) => (one.data === undefined ? [] : [JSON.stringify(one.data)]));
  const text = [...parts.flatMap((one) => (one.text === undefined ? [] : [one.text])), ...data].join('\n\n');
  const media = parts.flatMap(({ raw, url, mediaType = 'application/octet-stream', filename }) => {
    const place = raw === undefined ? url : `data:${mediaType};base64,${raw}`;
    return place === undefined ? [] : [mediaOf({ url: place, mediaType, filename })];
  });
  if (text.trim() === '' && media.length === 0) throw invalidParams('The message has neither text nor files.');
  // A message that is sent again, because its answer was lost, finds the conversation it has begun.
  const hash = createHash('sha256').update(JSON.stringify([access.caller.name, path.role, messageId]));
  const context = contextId === '' ? `a2a-${hash.digest('hex').slice(0, 32)}` : contextId;
  const { job, start } = await say(access, path.role, context, { id: messageId, text, media });
  return { job, message: start.kind === 'answer' ? await lastMessage(job) : messageId };
}

/** The message whose task has asked what was just answered. */
async function lastMessage(job: Job): Promise<string> {
  let last: string | undefined;
  for await (const { boundary } of (await OpenConversation.of(job)).answers())
    if (boundary?.isAnswer === false) last = boundary.id;
  const ids = (await job.messages()).map(({ body }) => idOf(body));
  last ??= ids.findLast((id) => typeof id === 'string');
  if (last === undefined)
    throw unsupported('The question was answered. It belongs to no task, because nobody sent a message.');
  return last;
}

/** A message to a task is what it waits for: an answer, or a decision, which must be explicit. */
async function continued(given: Call, message: z.output<typeof sending>['message']): Promise<Omit<Found, 'task'>> {
  const { access, path } = given;
  const { job, task, message: first } = await find(given, message.taskId, 'answer');
  if (message.contextId !== '' && message.contextId !== job.id)
    throw invalidParams(`The task '${task.id}' is not in the context '${message.contextId}'.`);
  if (isTerminal(task.status.state))
    throw unsupported(`The task '${task.id}' is over. Send the message without a task, to the same context.`);
  if (task.status.state !== 'TASK_STATE_INPUT_REQUIRED')
    throw unsupported(`The task '${task.id}' does not wait for anything. Send the message without a task.`);
  const waits = (await (await conversation(access, path.role, job.id, 'answer')).waiting()).filter(
    ({ kind, undecided }) => kind === 'ask' || undecided,
  );
  await decide(access, job, [verdictOf(waits, message.parts)]);
  return { job, message: first };
}

interface Waiting {
  readonly id: string;
  readonly kind: string;
}

const decision = z.looseObject({
  id: z.string().optional(),
  approved: z.boolean().optional(),
  comment: z.string().max(4000).optional(),
  answer: z.json().optional(),
});

function verdictOf(waits: readonly Waiting[], parts: readonly z.output<typeof part>[]): Verdict {
  const data = parts.find((one) => one.data !== undefined)?.data;
  const given = decision.safeParse(data);
  const named = given.success ? given.data : {};
  const wait = named.id === undefined ? waits[0] : waits.find(({ id }) => id === named.id);
  if (wait === undefined || (named.id === undefined && waits.length > 1))
    throw invalidParams(`Say what is meant, as data: { "id": … }, one of ${waits.map(({ id }) => id).join(', ')}.`);
  if (wait.kind === 'ask') {
    const text = parts.flatMap((one) => (one.text === undefined ? [] : [one.text])).join('\n\n');
    return { id: wait.id, answer: named.answer ?? (text === '' ? (data ?? null) : text) };
  }
  if (named.approved === undefined)
    throw invalidParams(`'${wait.id}' needs data: { "approved": true } or { "approved": false }.`);
  return { id: wait.id, approved: named.approved, comment: named.comment };
}

async function send(given: Call, params: unknown): Promise<TaskJson> {
  const wanted = sending.parse(params);
  const { job, message } = await begin(given, wanted);
  if (wanted.configuration?.returnImmediately !== true) await untilRest(given, job, message);
  return shortened(await reread(given, job, message), wanted.configuration?.historyLength);
}

async function cancel(given: Call, id: string): Promise<TaskJson> {
  const { job, task, message } = await find(given, id, 'control');
  if (isTerminal(task.status.state))
    throw new ProtocolError(-32_002, 'TASK_NOT_CANCELABLE', `The task '${id}' is over.`);
  await job.cancel('Cancelled over A2A.');
  // Its finally blocks run first.
  await untilRest(given, job, message);
  return reread(given, job, message);
}

/** The task as it is now. */
async function reread({ access, path: { role } }: Call, job: Job, message: string): Promise<TaskJson> {
  const open = await OpenConversation.of(await conversation(access, role, job.id, 'read'));
  const task = await taskOf(open, message);
  if (task === undefined) throw noTask(taskId(job.id, message));
  return task;
}

/** Resolves when nothing more comes for now, or the time of a request is up. */
async function untilRest({ access, signal, maxWait }: Call, job: Job, id: string): Promise<void> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(maxWait)]);
  const open = await OpenConversation.of(job);
  for await (const event of open.follow(access, { kind: 'message', id }, end)) if (event.type === 'rest') return;
}

function shortened(task: TaskJson, historyLength: number | undefined): TaskJson {
  const { history } = task as { readonly history?: readonly unknown[] };
  return historyLength === undefined ? task : { ...task, history: history?.slice(-historyLength || history.length) };
}

async function stream(given: Call, rates: Rates, job: Job, message: string): Promise<Response> {
  const { access, signal, body } = given;
  const open = await OpenConversation.of(job);
  const task = (await taskOf(open, message)) ?? (await reread(given, job, message));
  const closed = rates.stream(access.caller);
  async function* events(stop: AbortSignal): AsyncGenerator<ServerEvent> {
    const sent = (value: unknown): ServerEvent => ({ data: { jsonrpc: '2.0', id: body.id ?? null, result: value } });
    yield sent({ task });
    const writer = new UpdateWriter(task);
    for await (const event of open.follow(access, { kind: 'message', id: message }, stop)) {
      if (event.type === 'begin') continue;
      for (const update of writer.updates(event)) yield sent(update);
      if (event.type !== 'rest') continue;
      for (const update of writer.end(await resultArtifact(job))) yield sent(update);
      yield sent({ statusUpdate: { ...writer.place, status: await statusOf(job, event.rest) } });
    }
  }
  return eventStream(events, { signal, closed });
}

/** Writes the updates of a task. */
class UpdateWriter {
  readonly place: { readonly taskId: string; readonly contextId: string };
  readonly #spoken = new SpokenParts();
  #isBegun = false;

  constructor({ id, contextId }: TaskJson) {
    this.place = { taskId: id, contextId };
  }

  updates(event: ChatEvent): unknown[] {
    if (this.#spoken.hear(event)) {
      // The first one replaces what the task had; later ones are appended, until something is taken back.
      const isAppended = event.type === 'text' && this.#isBegun;
      this.#isBegun = true;
      if (!isAppended) return this.#whole(false);
      const artifact = { artifactId: 'answer', parts: [{ text: event.text, mediaType: 'text/markdown' }] };
      return [{ artifactUpdate: { ...this.place, artifact, append: true } }];
    }
    const shown = workOf(event);
    if (shown === undefined) return [];
    const status = { state: 'TASK_STATE_WORKING' };
    return [{ statusUpdate: { ...this.place, status, metadata: { statek: shown } } }];
  }

  /** What was said, in whole texts instead of pieces, and the result. */
  end(made: unknown): unknown[] {
    const updates = this.#isBegun ? this.#whole(true) : [];
    return made === undefined
      ? updates
      : [...updates, { artifactUpdate: { ...this.place, artifact: made, append: false, lastChunk: true } }];
  }

  #whole(lastChunk: boolean): unknown[] {
    const artifact = this.#spoken.artifact() ?? { artifactId: 'answer', name: 'answer', parts: [{ text: '' }] };
    return [{ artifactUpdate: { ...this.place, artifact, append: false, lastChunk } }];
  }
}

/** What the agent does, for those who want to show it. */
function workOf(event: ChatEvent): unknown {
  switch (event.type) {
    case 'step':
      return { step: event.step };
    case 'call':
      return { call: event.call, name: event.name, input: event.input };
    case 'output':
      return { call: event.call, output: event.output };
    case 'failed':
      return { call: event.call, error: event.error };
    case 'denied':
      return { call: event.call, denied: true };
    case 'notice':
      return { notice: event.text, from: event.from };
    default:
      return undefined;
  }
}
