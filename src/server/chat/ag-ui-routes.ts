// Chat in AG-UI 1.x: `new HttpAgent({ url: '…/v1/agui/clerk', threadId })`.
import { z } from 'zod';
import type { Job } from '../../agents/door.ts';
import { eventStream, type ServerEvent } from '../http/event-stream.ts';
import { RequestError } from '../http/problem.ts';
import type { Rates } from '../http/rates.ts';
import { idText, route, type Route, type RouteCall } from '../http/route.ts';
import { AgUiState, AgUiWriter, type AgUiEvent } from './ag-ui.ts';
import { OpenConversation, type Start } from './follow.ts';
import { conversation, decide, findConversation, say, type Verdict } from './talk.ts';

const message = z.looseObject({ id: idText, role: z.string().max(50) });
const textParts = z.array(z.object({ type: z.literal('text'), text: z.string() }).loose());

const runInput = z.looseObject({
  threadId: idText.describe('the conversation: the job of that id'),
  runId: idText,
  messages: z.array(message).max(10_000).describe('messages of the client; only the last one is read'),
  tools: z
    .array(z.looseObject({ name: z.string() }))
    .max(1000)
    .default([]),
  context: z.array(z.unknown()).max(1000).default([]),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().max(1000),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.json().optional(),
      }),
    )
    .max(1000)
    .optional(),
});

type RunInput = z.output<typeof runInput>;

// eslint-disable-next-line typescript/explicit-module-boundary-types, typescript/explicit-function-return-type -- the types of the client are inferred from it
export function agUiRoutes(rates: Rates) {
  return [
    route('POST', '/agui/{role}', {
      summary:
        'A run of AG-UI: says something, or answers interrupts, and streams the answer; with neither, the thread as it is.',
      right: 'answer',
      path: { role: idText },
      body: runInput,
      answer: 'text/event-stream',
      async handle(call) {
        const { access, body, signal } = call;
        const begun = await begin(call, body);
        const closed = rates.stream(access.caller);
        return eventStream((stop) => run(call, body, begun, stop), { signal, closed });
      },
    }),
  ] satisfies readonly Route[];
}

interface Begun {
  /** Undefined: there is no such thread yet, and nothing was said. */
  readonly job: Job | undefined;
  /** Undefined: the client is given the thread as it is. */
  readonly start: Start | undefined;
}

type Call = RouteCall<{ readonly role: string }, object, RunInput>;

async function begin({ access, path: { role } }: Call, { threadId, messages, resume }: RunInput): Promise<Begun> {
  if (resume !== undefined && resume.length > 0) {
    const job = await conversation(access, role, threadId, 'answer');
    const waiting = job.status === 'DONE' ? [] : await job.waiting();
    const verdicts = resume.flatMap((entry): Verdict[] => {
      const wait = waiting.find(({ id }) => id === entry.interruptId);
      return wait === undefined ? [] : verdictOf(entry, wait.kind === 'ask');
    });
    const { position } = await OpenConversation.of(job);
    const calls = new Map(waiting.map(({ id }) => [id, 'open' as const]));
    await decide(access, job, verdicts);
    return { job, start: { kind: 'position', position, calls } };
  }
  const last = messages.at(-1);
  if (last?.role !== 'user') return { job: await findConversation(access, role, threadId, 'answer'), start: undefined };
  const { content } = last as { readonly content?: unknown };
  const parts = typeof content === 'string' ? undefined : textParts.safeParse(content);
  if (parts !== undefined && !parts.success)
    throw new RequestError(422, 'INVALID_REQUEST', 'A message can only have text here. Send files through /v1/chat.');
  const text = parts === undefined ? String(content) : parts.data.map((part) => part.text).join('\n\n');
  if (text.trim() === '') throw new RequestError(400, 'INVALID_REQUEST', 'The message has no text.');
  return say(access, role, threadId, { id: last.id, text, media: [] });
}

/** Only an explicit yes approves; what is neither yes nor no is refused, and nothing happens. */
function verdictOf(
  { interruptId: id, status, payload }: NonNullable<RunInput['resume']>[number],
  isQuestion: boolean,
): Verdict[] {
  // A question that was abandoned stays open.
  if (isQuestion) return status === 'cancelled' ? [] : [{ id, answer: payload ?? null }];
  const given = (typeof payload === 'object' && payload !== null ? payload : { approved: payload }) as {
    readonly approved?: unknown;
    readonly comment?: unknown;
  };
  const comment = typeof given.comment === 'string' ? given.comment : undefined;
  if (status === 'cancelled') return [{ id, approved: false, comment }];
  if (typeof given.approved === 'boolean') return [{ id, approved: given.approved, comment }];
  throw new RequestError(422, 'UNCLEAR', `'${id}' needs { "approved": true } or { "approved": false }.`);
}

async function* run(
  { access }: Call,
  { threadId, runId, messages, tools, context }: RunInput,
  { job, start }: Begun,
  stop: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const open = job === undefined ? undefined : await OpenConversation.of(job);
  // What is taken back is replaced by all messages, so those that the client has are needed too.
  const before = open === undefined || start !== undefined ? messages : await thread(open);
  const writer = new AgUiWriter(threadId, runId, before);
  const sent = (events: readonly AgUiEvent[]): ServerEvent[] => events.map((data) => ({ data }));
  yield { data: writer.start() };
  // An agent of ours runs its own tools: whoever offers others is told that they are not used.
  if (tools.length > 0 || context.length > 0)
    yield {
      data: {
        type: 'CUSTOM',
        name: 'statek-unused',
        value: { tools: tools.map(({ name }) => name), context: context.length },
      },
    };
  if (job === undefined || open === undefined) {
    yield { data: { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' } } };
    return;
  }
  const state = new AgUiState(job);
  if (start === undefined) yield { data: { type: 'MESSAGES_SNAPSHOT', messages: before } };
  yield { data: await state.snapshot() };
  for await (const event of open.follow(access, start ?? { kind: 'last' }, stop)) {
    if (event.type === 'begin') continue;
    // What is at rest was in the snapshot.
    const isShown = start !== undefined || !open.isAtRest || event.type === 'rest';
    if (event.type === 'step' || event.type === 'rest') yield* sent(await state.delta());
    const events = event.type === 'rest' ? await writer.finish(event, job) : writer.events(event);
    if (isShown) yield* sent(events);
  }
}

/** The messages of the thread; without those of an answer that is being given, which follows. */
async function thread(open: OpenConversation): Promise<readonly unknown[]> {
  const past = new AgUiWriter('', '');
  let before: readonly unknown[] = [];
  for await (const { boundary, events } of open.answers()) {
    if (boundary !== undefined) past.said(boundary);
    before = [...past.messages];
    for (const event of events) past.events(event);
  }
  return open.isAtRest ? [...past.messages] : before;
}
