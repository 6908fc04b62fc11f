// What an agent's loop cannot do by itself: ask a model, send a message, fold a conversation. Each is recorded before it is
// done, and its outcome is committed together with the decision that follows from it.
import type { Driver } from '../../jobs/driver.ts';
import { callOptionsOf, toolOver, type CallContext } from '../../workspace/call-options.ts';
import { messageText, type AssistantMessage } from '../../models/message.ts';
import type { ModelReply } from '../../models/request.ts';
import type { JsonValue } from '../../models/json.ts';
import type { Agent } from '../agent.ts';
import { actionsOf } from '../chat/actions.ts';
import type { ReplyItem } from '../chat/item.ts';
import { hashOf, type JobDefinition } from '../definition.ts';
import { dialects } from '../language.ts';
import { builtInPostProcessors, type PostProcessor } from '../post-processors.ts';
import { AgentSettingsError } from '../errors.ts';
import { checkStep } from '../types/check-step.ts';
import { factsText } from '../tools/memory-tools.ts';
import { folded, type FoldInput } from './folding.ts';
import { requestOf, type Asking } from './request.ts';
import type { AgentRuntime, ErrorHandlers } from './runtime.ts';

/** A reply, and what post-processors made of it. */
export interface AskedReply {
  readonly reply: ModelReply;
  readonly asked: ReplyItem['asked'];
  readonly suppressed?: string;
  readonly original?: string;
}

export function agentCalls(agent: Agent, runtime: AgentRuntime): NonNullable<Driver['calls']> {
  // Asking again costs money and does no harm: a request whose process died is made again.
  const again = { effect: true, idempotent: true };
  const over = (name: string, options: object, execute: (input: never, call: CallContext) => unknown) =>
    toolOver(name, options, ([input], call) => execute(input as never, call));
  return {
    model: over('model', again, (input: Asking, call) => ask(agent, runtime, input, call)),
    memories: over('memories', again, async (_input: unknown, { workspace }) =>
      factsText((await (await runtime.memoryOf(workspace))?.recall()) ?? []),
    ),
    load: over('load', again, ({ definition }: { definition: string }) => runtime.definition(definition)),
    check: over('check', again, ({ definition, source }: CheckInput, { workspace }) =>
      checkStep(runtime, workspace, definition, source),
    ),
    fold: over('fold', again, (input: FoldInput, { workspace }) => folded(runtime, workspace, input)),
    send: over('send', { ...callOptionsOf(agent.sender ?? agent), effect: true }, (input: SendInput, call) =>
      agent.send(input.text, { ...call, idempotencyKey: `${call.workspace}/chat/${input.reply}/${input.part}` }),
    ),
    jobError: over('jobError', { effect: true }, async (failure: FailureInput, call) => {
      const { handlers, name, message } = failure;
      const others = handlers.flatMap((role) => runtime.agents.get(role) ?? []);
      for (const told of new Set<ErrorHandlers>([agent, ...others]))
        await told.jobFailed({ job: call.workspace, name, message }, call);
    }),
  };
}

interface CheckInput {
  readonly definition: string;
  readonly source: string;
}

interface FailureInput {
  readonly name: string;
  readonly message: string;
  /** Roles of the agents that started the job. */
  readonly handlers: readonly string[];
}

interface SendInput {
  readonly text: string;
  /** The item of the reply it is part of, and which part. */
  readonly reply: number;
  readonly part: number;
}

async function ask(
  agent: Agent,
  runtime: AgentRuntime,
  asking: Asking,
  { workspace: job, abortSignal }: CallContext,
): Promise<AskedReply> {
  const definition = await runtime.definition(asking.definition);
  const request = await requestOf(runtime, job, asking);
  const reply = await runtime.models.ask(request, {
    signal: abortSignal,
    onDelta: (delta) => runtime.tell(job, delta),
  });
  const { definition: hash, from, foldItem, upTo } = asking;
  const asked = { definition: hash, from, foldItem, upTo, request: hashOf(request as unknown as JsonValue) };
  return { ...(await processed(agent, definition, reply, asking, job)), asked };
}

/** What the post-processors make of a reply; the first one that holds it back has the last word. */
async function processed(
  agent: Agent,
  definition: JobDefinition,
  reply: ModelReply,
  { turn, heldBack }: Asking,
  job: string,
): Promise<Omit<AskedReply, 'asked'>> {
  const { style, language, tools } = definition;
  const original = messageText(reply.message);
  let current = reply;
  for (const processor of [...agent.postProcessors, ...definition.postProcessors.map(builtIn)]) {
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

function builtIn({ name, options }: JobDefinition['postProcessors'][number]): PostProcessor {
  const make = Object.hasOwn(builtInPostProcessors, name) ? builtInPostProcessors[name] : undefined;
  if (make === undefined)
    throw new AgentSettingsError(
      `There is no post-processor '${name}'; there are: ${Object.keys(builtInPostProcessors).join(', ')}.`,
      { name },
    );
  return make(options as never);
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
