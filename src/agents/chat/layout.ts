// Lays a conversation out for a model. A pure function of what is in the store, so that the request of any turn can be
// made again, exactly as it was.
import {
  messageToolCalls,
  type AssistantPart,
  type Difficulty,
  type ModelMessage,
  type ModelRequest,
  type ToolResultPart,
  type UserMessage,
} from '../../models/door.ts';
import type { JobDefinition } from '../definition.ts';
import { dialects } from '../language.ts';
import { consoleText, faultText } from './console.ts';
import type { ChatItem, ReplyItem, StepItem } from './item.ts';

/** The request that asks for the next reply, from the items that were there. */
export function requestFrom(
  definition: JobDefinition,
  items: readonly ChatItem[],
  difficulty: Difficulty,
): ModelRequest {
  const { models, provider, fallbacks, temperature, tools, settings, role } = definition;
  return {
    model: models[difficulty],
    ...(provider === undefined ? {} : { provider }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    messages: messagesFrom(definition, items, difficulty),
    ...(tools.length === 0 ? {} : { tools }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings === undefined ? {} : { settings }),
    cacheKey: `statek/${role}`,
  };
}

export function messagesFrom(
  definition: JobDefinition,
  items: readonly ChatItem[],
  difficulty: Difficulty,
): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'system', content: definition.prompt[difficulty] }];
  const shown = items.filter((item) => item.kind !== 'sent');
  for (let index = 0; index < shown.length; index++) {
    const item = shown[index] as ChatItem;
    if (item.kind !== 'reply') {
      messages.push(...messagesOf(definition, item));
      continue;
    }
    // What a reply asked for comes right after it; what was said meanwhile follows.
    const own: Exclude<ChatItem, ReplyItem>[] = [];
    for (let next = shown[index + 1]; next !== undefined && next.kind !== 'reply'; next = shown[++index + 1])
      own.push(next);
    messages.push(...turnMessages(definition, item, own.filter(isOutcome)));
    for (const other of own) if (!isOutcome(other)) messages.push(...messagesOf(definition, other));
  }
  // Providers expect the other side to begin; notes of the system do not count.
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (messages[first]?.role !== 'user') messages.splice(first < 0 ? messages.length : first, 0, user('Begin.'));
  // A job that was resumed after an answer has nothing new to say.
  if (messages.at(-1)?.role === 'assistant') messages.push(user('Go on.'));
  return joined(messages);
}

function isOutcome(item: ChatItem): boolean {
  return item.kind === 'result' || (item.kind === 'step' && item.warmup === undefined);
}

function turnMessages(definition: JobDefinition, reply: ReplyItem, own: readonly ChatItem[]): ModelMessage[] {
  const calls = messageToolCalls(reply.message);
  const results = calls.map(({ id, name }): ToolResultPart => {
    const found = own.find(
      (item) => (item.kind === 'result' ? item.id : item.kind === 'step' ? item.call?.id : '') === id,
    );
    if (found?.kind === 'result') return { type: 'tool-result', id, name, output: found.output, failed: true };
    if (found?.kind === 'step')
      return {
        type: 'tool-result',
        id,
        name,
        output: outcomeText(definition, found),
        ...(found.error === undefined ? {} : { failed: true }),
      };
    return { type: 'tool-result', id, name, output: 'This call was not made.', failed: true };
  });
  const consoles = own.filter((item): item is StepItem => item.kind === 'step' && item.call === undefined);
  return [
    withText(reply),
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(consoles.length === 0
      ? []
      : [user(boxed(definition, consoles.map((item) => outcomeText(definition, item)).join('\n')))]),
  ];
}

/** A reply without any text or call cannot be said again. */
function withText({ message }: ReplyItem): ModelMessage {
  const isEmpty =
    typeof message.content === 'string'
      ? message.content === ''
      : !message.content.some((part) => part.type !== 'text' || part.text !== '');
  return isEmpty ? { role: 'assistant', content: '(nothing)' } : message;
}

function messagesOf(definition: JobDefinition, item: Exclude<ChatItem, ReplyItem>): ModelMessage[] {
  switch (item.kind) {
    case 'message': {
      const text = definition.hint === undefined ? item.text : `${item.text}\n\n(${definition.hint})`;
      return [
        item.media === undefined
          ? user(text)
          : {
              role: 'user',
              content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...item.media],
            },
      ];
    }
    case 'notice':
    case 'note':
      return [{ role: 'system', content: item.text }];
    case 'rollback':
      return item.text === '' ? [] : [{ role: 'system', content: item.text }];
    case 'fold':
      return [user(item.text)];
    case 'step':
      return item.warmup === undefined || item.warmup.hidden === true ? [] : warmupMessages(definition, item);
    default:
      return [];
  }
}

/** Code of the warmup looks as if the model had written it. */
function warmupMessages(definition: JobDefinition, item: StepItem): ModelMessage[] {
  const { style, language, tools } = definition;
  const { source = '', tool } = item.warmup ?? {};
  const { fences, codeTool } = dialects[language];
  const id = `warmup-${item.number}`;
  const isOffered = tool !== undefined && tools.some(({ name }) => name === tool.name);
  const call: AssistantPart | undefined = isOffered
    ? { type: 'tool-call', id, name: tool.name, input: tool.input }
    : style === 'DIRECT' && tools.some(({ name }) => name === codeTool)
      ? { type: 'tool-call', id, name: codeTool, input: { code: source } }
      : undefined;
  const outcome = outcomeText(definition, item);
  if (call !== undefined)
    return [
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [{ type: 'tool-result', id, name: (call as { name: string }).name, output: outcome }] },
    ];
  const text = style === 'CONSOLE' ? source : `\`\`\`${fences[0] ?? ''}\n${source}\n\`\`\``;
  return [{ role: 'assistant', content: text }, user(boxed(definition, outcome))];
}

/** What code printed, its value and its error. */
function outcomeText(definition: JobDefinition, item: StepItem): string {
  const lines = [
    ...item.console,
    ...(item.value === undefined ? [] : [item.value]),
    ...(item.error === undefined ? [] : [faultText(item.error)]),
  ];
  const text = lines.length === 0 ? '(no output)' : lines.join('\n');
  return consoleText(text, definition.consoleCharacters, item.number, definition.language);
}

function boxed({ style, boxes }: JobDefinition, text: string): string {
  const tag = boxes?.console ?? (style === 'MD_DIALOG' ? 'CONSOLE' : undefined);
  const lines =
    style === 'CONSOLE'
      ? text
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\n')
      : text;
  return tag === undefined ? lines : `<${tag}>\n${lines}\n</${tag}>`;
}

function user(content: string): UserMessage {
  return { role: 'user', content };
}

/** Texts of the same side that follow each other are one message: not every provider takes two. */
function joined(messages: readonly ModelMessage[]): ModelMessage[] {
  const all: ModelMessage[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (
      last?.role === 'user' &&
      message.role === 'user' &&
      typeof last.content === 'string' &&
      typeof message.content === 'string'
    )
      all[all.length - 1] = user(`${last.content}\n\n${message.content}`);
    else all.push(message);
  }
  return all;
}
