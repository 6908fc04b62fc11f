// The conversation of a job as the items of an example: what was said, the code that ran, and what it printed.
import { messageText, messageToolCalls } from '../../models/door.ts';
import { piecesOf } from '../chat/fences.ts';
import type { ChatItem, ReplyItem, StepItem } from '../chat/item.ts';
import { faultText } from '../chat/console.ts';
import { dialects, type Dialect } from '../language.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { ChatItem as ExampleItem } from './example.ts';

interface OpenItem {
  readonly role: 'user' | 'assistant' | 'system';
  text?: string;
  code?: string;
  console?: string;
}

export function exampleItems(chat: readonly ChatItem[], style: ChatStyle, language: Language): ExampleItem[] {
  const items: OpenItem[] = [];
  // Code whose step has not been seen yet, in the order in which it ran.
  let pending: OpenItem[] = [];
  for (const item of chat) {
    if (item.kind === 'message') items.push({ role: 'user', text: item.text });
    else if (item.kind === 'notice') items.push({ role: 'system', text: item.text });
    else if (item.kind === 'reply' && item.suppressed === undefined) {
      const own = replyItems(item, style, dialects[language]);
      items.push(...own);
      pending = own.filter(({ code }) => code !== undefined);
    } else if (item.kind === 'step' && item.warmup?.hidden !== true) {
      const shown = consoleOf(item);
      if (item.warmup !== undefined) items.push({ role: 'assistant', code: item.warmup.source, ...shown });
      else Object.assign(pending.shift() ?? {}, shown);
    }
  }
  return items.filter(({ text, code }) => code !== undefined || (text ?? '').trim() !== '');
}

function replyItems({ message }: ReplyItem, style: ChatStyle, { fences, codeTool }: Dialect): OpenItem[] {
  const text = messageText(message);
  const calls = messageToolCalls(message).flatMap(({ name, input }): OpenItem[] => {
    const { code } = (input ?? {}) as { code?: unknown };
    return name === codeTool && typeof code === 'string' ? [{ role: 'assistant', code }] : [];
  });
  if (style === 'CONSOLE') return [{ role: 'assistant', code: text }, ...calls];
  const items: OpenItem[] = [];
  let prose: string[] = [];
  const said = (): { text?: string } => {
    const joined = prose
      .join('\n')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
    prose = [];
    return joined === '' ? {} : { text: joined };
  };
  for (const piece of piecesOf(text)) {
    const isRun = style !== 'DIRECT' && piece.kind === 'fence' && fences.includes(piece.label.toLowerCase());
    if (isRun && piece.code.trim() !== '') items.push({ role: 'assistant', ...said(), code: piece.code });
    else prose.push(piece.text);
  }
  items.push({ role: 'assistant', ...said() }, ...calls);
  return items;
}

/** What a model saw of a step. */
function consoleOf({ console, value, error }: StepItem): { console?: string } {
  const lines = [
    ...console,
    ...(value === undefined ? [] : [value]),
    ...(error === undefined ? [] : [faultText(error)]),
  ];
  return lines.length === 0 ? {} : { console: lines.join('\n') };
}
