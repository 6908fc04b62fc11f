// Chat in the AI SDK's UI message stream: `useChat({ transport: new DefaultChatTransport({ api: '…/v1/chat/clerk' }) })`.
import { z } from 'zod';
import type { Caller } from '../access/rights.ts';
import { eventStream, type ServerEvent } from '../http/event-stream.ts';
import { RequestError } from '../http/problem.ts';
import type { Rates } from '../http/rates.ts';
import { idText, route, type Route, type RouteCall } from '../http/route.ts';
import type { Job } from '../../agents/door.ts';
import { jobShape } from '../json/shapes.ts';
import { jobJson } from '../http/shapes.ts';
import { OpenConversation, type Start } from './follow.ts';
import { conversation, decide, findConversation, say, type Verdict } from './talk.ts';
import { answerId, ChunkWriter, mediaOf, uiMessages, uiStreamHeaders } from './ui-message.ts';

const part = z.looseObject({ type: z.string().max(200) });
const message = z.looseObject({
  id: idText,
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(part).max(10_000),
});
type Message = z.output<typeof message>;

const filePart = z.object({ type: z.literal('file'), url: z.string(), mediaType: z.string().max(200) }).loose();
const textPart = z.object({ type: z.literal('text'), text: z.string() }).loose();
const toolPart = z
  .object({
    toolCallId: z.string().max(1000),
    state: z.string(),
    output: z.json().optional(),
    approval: z
      .object({ id: z.string().max(1000), approved: z.boolean().optional(), reason: z.string().optional() })
      .loose()
      .optional(),
  })
  .loose();
const metadata = z
  .object({
    statek: z.object({ position: z.object({ item: z.int().min(0), future: z.int().min(-1) }) }).loose(),
  })
  .loose();

const chatBody = z.strictObject({
  id: idText.describe('the id of the chat: the conversation is the job of that id'),
  messages: z.array(message).min(1).max(10_000).describe('messages of the page; only the last one is read'),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: idText.optional(),
});

const path = { role: idText, id: idText };

// eslint-disable-next-line typescript/explicit-module-boundary-types, typescript/explicit-function-return-type -- the types of the client are inferred from it
export function chatRoutes(rates: Rates) {
  return [
    route('POST', '/chat/{role}', {
      summary: 'Says something to an agent, or decides what it asked, and streams its answer to useChat.',
      right: 'answer',
      path: { role: idText },
      body: chatBody,
      answer: 'text/event-stream',
      async handle(call) {
        const { access, body } = call;
        const last = body.messages.at(-1);
        if (last === undefined || last.role === 'system' || body.trigger === 'regenerate-message')
          throw new RequestError(
            422,
            'REGENERATE',
            'What was said stays said: send another message, or roll the job back or fork it (POST /v1/jobs/{id}/rollback).',
          );
        const { job, start, messageId } = last.role === 'user' ? await saidBy(call, last) : await decidedBy(call, last);
        return stream(call, rates, job, start, messageId, access.caller);
      },
    }),
    route('GET', '/chat/{role}/{id}', {
      summary: 'A conversation as messages of the AI SDK, for a page that was loaded again.',
      right: 'read',
      path,
      answer: z.object({ id: z.string(), isActive: z.boolean(), messages: z.array(z.looseObject({ id: z.string() })) }),
      async handle({ access, path: { role, id } }) {
        const job = await findConversation(access, role, id, 'read');
        if (job === undefined) return { id, isActive: false, messages: [] };
        const open = await OpenConversation.of(job);
        return { id, isActive: !open.isAtRest, messages: (await uiMessages(open)) as never };
      },
    }),
    route('GET', '/chat/{role}/{id}/stream', {
      summary: 'Continues the answer that is being given, from its beginning; 204 if there is none.',
      right: 'read',
      path,
      answer: 'text/event-stream',
      async handle(call) {
        const {
          access,
          path: { role, id },
        } = call;
        const job = await findConversation(access, role, id, 'read');
        const open = job === undefined ? undefined : await OpenConversation.of(job);
        if (open === undefined || open.isAtRest) return new Response(null, { status: 204 });
        return stream(call, rates, open.job, { kind: 'last' }, undefined, access.caller, open);
      },
    }),
    route('POST', '/chat/{role}/{id}/stop', {
      summary: 'Stops the agent. Closing a page does not; the next message starts it again.',
      right: 'control',
      path,
      body: z.strictObject({}).optional(),
      answer: jobJson,
      async handle({ access, path: { role, id } }) {
        const job = await conversation(access, role, id, 'control');
        await job.cancel('Stopped in the chat.');
        return jobShape(job) as never;
      },
    }),
  ] satisfies readonly Route[];
}

type ChatCall = RouteCall<{ readonly role: string }, object, z.output<typeof chatBody>>;

interface Begun {
  readonly job: Job;
  readonly start: Start;
  /** The message of the page that goes on. */
  readonly messageId?: string;
}

async function saidBy({ access, path: { role }, body }: ChatCall, last: Message): Promise<Begun> {
  const text = last.parts.flatMap((given) => (given.type === 'text' ? [textPart.parse(given).text] : [])).join('\n\n');
  const media = last.parts.flatMap((given) => (given.type === 'file' ? [mediaOf(fileOf(filePart.parse(given)))] : []));
  if (text.trim() === '' && media.length === 0)
    throw new RequestError(400, 'INVALID_REQUEST', 'The message has neither text nor files.');
  const { job, start } = await say(access, role, body.id, { id: last.id, text, media });
  return { job, start };
}

function fileOf({ url, mediaType, ...rest }: z.output<typeof filePart>): {
  url: string;
  mediaType: string;
  filename?: string;
} {
  const { filename } = rest as { filename?: unknown };
  return { url, mediaType, ...(typeof filename === 'string' ? { filename } : {}) };
}

async function decidedBy({ access, path: { role }, body }: ChatCall, last: Message): Promise<Begun> {
  const job = await conversation(access, role, body.id, 'answer');
  const verdicts: Verdict[] = [];
  const calls = new Map<string, 'open' | 'decided' | 'over'>();
  for (const given of last.parts) {
    if (given.type !== 'dynamic-tool' && !given.type.startsWith('tool-')) continue;
    const { toolCallId, state, output, approval } = toolPart.parse(given);
    const isDecided = state === 'approval-responded' && typeof approval?.approved === 'boolean';
    const isOver = state === 'output-available' || state === 'output-error' || state === 'output-denied';
    const known = isOver ? 'over' : isDecided ? 'decided' : 'open';
    calls.set(toolCallId, known);
    // What a formal call waits for has an id of its own.
    if (approval !== undefined) calls.set(approval.id, known);
    if (isDecided) verdicts.push({ id: approval.id, approved: approval.approved === true, comment: approval.reason });
    else if (state === 'output-available' && output !== undefined) verdicts.push({ id: toolCallId, answer: output });
  }
  const known = metadata.safeParse(last['metadata']);
  // A page that does not send it back has seen everything up to now.
  const position = known.success ? known.data.statek.position : (await OpenConversation.of(job)).position;
  await decide(access, job, verdicts);
  return { job, start: { kind: 'position', position, calls }, messageId: last.id };
}

async function stream(
  { access, signal }: Pick<RouteCall<never, never, never>, 'access' | 'signal'>,
  rates: Rates,
  job: Job,
  start: Start,
  messageId: string | undefined,
  caller: Caller,
  opened?: OpenConversation,
): Promise<Response> {
  const open = opened ?? (await OpenConversation.of(job));
  const closed = rates.stream(caller);
  async function* events(stop: AbortSignal): AsyncGenerator<ServerEvent> {
    const writer = new ChunkWriter(job.id);
    for await (const event of open.follow(access, start, stop)) {
      const chunks =
        event.type === 'begin' ? writer.start(messageId ?? answerId(event.boundary)) : writer.chunks(event);
      for (const data of chunks) yield { data };
    }
    yield { text: '[DONE]' };
  }
  return eventStream(events, { signal, closed, headers: uiStreamHeaders });
}
