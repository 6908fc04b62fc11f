// What an agent's loop cannot do by itself: ask a model, send a message, fold a conversation. Each is recorded before it is
// done, and its outcome is committed together with the decision that follows from it.
import type { Driver, FailedJob } from '../../jobs/door.ts';
import { callOptionsOf, toolOver, type CallContext } from '../../workspace/door.ts';
import { messageText, type AssistantMessage, type ModelReply } from '../../models/door.ts';
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import type { CompiledAgent } from '../compiled-agent.ts';
import { actionsOf } from '../chat/actions.ts';
import type { ReplyItem } from '../chat/item.ts';
import { hashOf, type JobDefinition } from '../definition.ts';
import { dialects } from '../language.ts';
import { builtInPostProcessor } from '../post-processors.ts';
import { checkStep } from '../types/check-step.ts';
import { factsText } from '../tools/memory-tools.ts';
import type { SharedFact } from '../memory/shared-names.ts';
import type { Reminder } from '../reminder.ts';
import { folded, type FoldInput } from './folding.ts';
import { requestOf, type Asking } from './request.ts';
import type { AgentRuntime, RuntimeAgent } from './runtime.ts';
import type { LoopState } from './state.ts';

/** A reply, and what post-processors made of it. */
export interface AskedReply {
  readonly reply: ModelReply;
  readonly asked: NonNullable<ReplyItem['asked']>;
  readonly suppressed?: string;
  readonly original?: string;
  /** What the model is to be reminded of before an answer is given. */
  readonly reminder?: Reminder;
}

/** What a job is told of earlier ones. */
export interface Remembered {
  readonly text: string;
  readonly facts: readonly SharedFact[];
}

export function agentCalls(compiled: CompiledAgent, runtime: AgentRuntime): NonNullable<Driver['calls']> {
  const { agent } = compiled;
  // Asking again costs money and does no harm: a request whose process died is made again.
  const again = { effect: true, idempotent: true };
  const over = (name: string, options: object, execute: (input: never, call: CallContext) => unknown) =>
    toolOver(name, options, ([input], call) => execute(input as never, call));
  return {
    model: over('model', again, (input: Asking, call) => ask(agent, runtime, input, call)),
    memories: over('memories', again, async (_input: unknown, { workspace }): Promise<Remembered> => {
      const facts = (await (await runtime.memoryOf(workspace))?.recall()) ?? [];
      return { text: factsText(facts, compiled.language), facts: facts.map(({ name, value }) => ({ name, value })) };
    }),
    load: over('load', again, ({ definition }: { definition: string }) => runtime.definition(definition)),
    check: over('check', again, ({ definition, source }: CheckInput, { workspace }) =>
      checkStep(runtime, workspace, definition, source),
    ),
    fold: over('fold', again, (input: FoldInput, { workspace }) => folded(runtime, workspace, input)),
    send: over('send', { ...callOptionsOf(agent.sender ?? agent), effect: true }, (input: SendInput, call) =>
      agent.send(input.text, { ...call, idempotencyKey: `${call.workspace}/chat/${input.reply}/${input.part}` }),
    ),
  };
}

interface CheckInput {
  readonly definition: string;
  readonly source: string;
}

/** Tells the tools of the agent, and of those that started the job, that it has failed. */
export async function tellHandlers(
  agent: AgentDefinition,
  runtime: AgentRuntime,
  { id, outcome, error, state, again }: FailedJob<LoopState>,
  call: CallContext,
): Promise<void> {
  runtime.log.log('warn', 'a job ended without a result', { job: id, role: agent.role, outcome, error: error.message });
  const handlers = state?.handlers ?? [];
  const others = handlers.flatMap((role) => runtime.agents.get(role)?.agent ?? []);
  for (const told of new Set<RuntimeAgent['agent']>([agent, ...others]))
    await told.jobFailed({ job: id, name: error.name, message: error.message, outcome }, call, again);
}

interface SendInput {
  readonly text: string;
  /** The item of the reply it is part of, and which part. */
  readonly reply: number;
  readonly part: number;
}

async function ask(
  agent: AgentDefinition,
  runtime: AgentRuntime,
  asking: Asking,
  { workspace: job, abortSignal }: CallContext,
): Promise<AskedReply> {
  const definition = await runtime.definition(asking.definition);
  const request = await requestOf(runtime, job, asking);
  const { log } = runtime;
  const about = { job, role: agent.role, turn: asking.turn };
  log.log('debug', 'asks a model', { ...about, model: request.model, messages: request.messages.length });
  log.log('trace', 'the request', { ...about, request });
  const pieces = runtime.deltas.begin(job, asking.turn);
  const reply = await runtime.models
    .ask(request, { signal: abortSignal, onDelta: pieces.tell })
    .catch((error: unknown) => {
      log.log('error', 'a model could not be asked', { ...about, error: String(error) });
      log.trace({ time: new Date(runtime.clock.now()).toISOString(), ...about, request, error: String(error) });
      throw error;
    })
    .finally(pieces.end);
  const { tokens, duration, cost } = reply.usage;
  log.log('info', 'a model replied', { ...about, model: request.model, tokens, duration, ...(cost && { cost }) });
  for (const warning of reply.warnings) log.log('warn', warning, about);
  if (log.traces) log.trace({ time: new Date(runtime.clock.now()).toISOString(), ...about, request, reply });
  const { definition: hash, from, foldItem, upTo } = asking;
  const asked = { definition: hash, from, foldItem, upTo, request: hashOf(request) };
  const reminder = agent.sends ? await runtime.reminder(agent.role) : undefined;
  const processedReply = await processed(agent, definition, reply, asking, job);
  return { ...processedReply, asked, ...(reminder === undefined ? {} : { reminder }) };
}

/** What the post-processors make of a reply; the first one that holds it back has the last word. */
async function processed(
  agent: AgentDefinition,
  definition: JobDefinition,
  reply: ModelReply,
  { turn, heldBack }: Asking,
  job: string,
): Promise<Omit<AskedReply, 'asked'>> {
  const { style, language, tools } = definition;
  const original = messageText(reply.message);
  let current = reply;
  for (const processor of [...agent.postProcessors, ...definition.postProcessors.map(builtInPostProcessor)]) {
    const { actions, isFinal } = actionsOf(current.message, current.finish, {
      style,
      dialect: dialects[language],
      tools: tools.map(({ name }) => name),
      sends: false,
    });
    const text = messageText(current.message);
    const verdict = await processor.process({ text, isFinal, actions: actions.length, job, turn, heldBack });
    if (verdict === undefined) continue;
    if ('suppress' in verdict) return { reply: current, suppressed: verdict.suppress };
    current = replaced(current, verdict.replace);
  }
  return current === reply ? { reply } : { reply: current, original };
}

function replaced(reply: ModelReply, text: string): ModelReply {
  return { ...reply, message: withText(reply.message, text) };
}

/** The message with another text; what else is in it stays. */
function withText(message: AssistantMessage, text: string): AssistantMessage {
  if (typeof message.content === 'string') return { ...message, content: text };
  const first = message.content.findIndex(({ type }) => type === 'text');
  const others = message.content.filter(({ type }, index) => type !== 'text' || index === first);
  if (first < 0) return { ...message, content: [{ type: 'text', text }, ...others] };
  return { ...message, content: others.map((part) => (part.type === 'text' ? { type: 'text', text } : part)) };
}
