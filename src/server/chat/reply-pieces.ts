// A reply as it streams and as it is committed. Pieces are shown as they come; what is committed continues them if they are its
// beginning, and replaces them if not: nothing is missing and nothing is there twice.
import type { DeltaListener, ReplyItem } from '../../agents/door.ts';
import type { ChatEvent } from './chat-event.ts';

type Delta = Parameters<DeltaListener>[0];

type Part =
  | { readonly type: 'text' | 'reasoning'; text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; text: string; readonly input?: unknown }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string; readonly filename?: string | undefined };

export class ReplyPieces {
  readonly #turn: number;
  /** Whether the text is code, and shown as such. */
  readonly #fence: string | undefined;
  #parts: Part[] = [];
  #isBegun = false;

  constructor(turn: number, fence: string | undefined) {
    this.#turn = turn;
    this.#fence = fence;
  }

  *piece(delta: Delta): Generator<ChatEvent> {
    if (delta.type === 'restart') {
      if (this.#isBegun) yield { type: 'reset' };
      this.#parts = [];
      return;
    }
    yield* this.#begin();
    if (delta.type === 'tool-call') {
      const index = this.#parts.findIndex((part) => part.type === 'call' && part.id === delta.id);
      const found = this.#parts[index];
      if (found?.type === 'call') found.text += delta.text;
      else this.#parts.push({ type: 'call', id: delta.id, name: delta.name, text: delta.text });
      yield {
        type: 'call-text',
        call: callName(this.#turn, delta.id),
        name: delta.name,
        text: delta.text,
        isFirst: found === undefined,
      };
      return;
    }
    yield* this.#append(delta.type, delta.text);
  }

  /** The reply is committed. One that was held back is not shown. */
  *commit(item: ReplyItem): Generator<ChatEvent> {
    const parts = item.suppressed === undefined ? this.#partsOf(item) : [];
    if (parts.length === 0) {
      if (this.#isBegun) yield { type: 'reset' };
      return;
    }
    yield* this.#begin();
    if (!isBeginning(this.#parts, parts)) {
      yield { type: 'reset' };
      this.#parts = [];
    }
    for (const [index, part] of parts.entries()) {
      const shown = this.#parts[index];
      switch (part.type) {
        case 'text':
        case 'reasoning': {
          const length = shown?.type === part.type ? shown.text.length : 0;
          if (length < part.text.length || shown === undefined)
            yield this.#textEvent(part.type, index, part.text.slice(length), shown === undefined);
          yield { type: `${part.type}-end`, part: this.#nameOf(part.type, index) };
          break;
        }
        case 'call':
          yield {
            type: 'call',
            call: callName(this.#turn, part.id),
            name: part.name,
            input: part.input,
            by: 'server',
          };
          break;
        case 'file':
          yield { type: 'file', file: part };
      }
    }
  }

  *#begin(): Generator<ChatEvent> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    yield { type: 'turn', turn: this.#turn };
  }

  *#append(type: 'text' | 'reasoning', text: string): Generator<ChatEvent> {
    const last = this.#parts.at(-1);
    if (last?.type === type) {
      last.text += text;
      yield this.#textEvent(type, this.#parts.length - 1, text, false);
      return;
    }
    // Blank pieces before a text say nothing about what it will be.
    if (text.trim() === '') return;
    const begun = text.replace(/^\s+/, '');
    const shown = type === 'text' ? this.#opening(begun) + begun : begun;
    this.#parts.push({ type, text: shown });
    yield this.#textEvent(type, this.#parts.length - 1, shown, true);
  }

  #textEvent(type: 'text' | 'reasoning', index: number, text: string, isFirst: boolean): ChatEvent {
    return { type, part: this.#nameOf(type, index), text, isFirst };
  }

  #nameOf(type: string, index: number): string {
    return `${type}-${this.#turn}-${index}`;
  }

  #partsOf({ message }: ReplyItem): Part[] {
    const content =
      typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content;
    const parts: Part[] = [];
    for (const part of content) {
      const last = parts.at(-1);
      switch (part.type) {
        case 'text':
        case 'reasoning':
          if (last?.type === part.type) last.text += part.text;
          else if (part.text.trim() !== '') parts.push({ type: part.type, text: part.text });
          break;
        case 'tool-call':
          parts.push({ type: 'call', id: part.id, name: part.name, text: '', input: part.input });
          break;
        case 'media':
          parts.push({
            type: 'file',
            url: part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}`,
            mediaType: part.mediaType,
            filename: part.filename,
          });
      }
    }
    for (const part of parts) {
      if (part.type !== 'text' && part.type !== 'reasoning') continue;
      // As pieces are shown: from the first that is not blank on.
      part.text = part.text.replace(/^\s+/, '');
      const opening = part.type === 'text' ? this.#opening(part.text) : '';
      if (opening !== '') part.text = `${opening}${part.text}\n\`\`\``;
    }
    return parts;
  }

  /** Code alone is shown in a fence, unless the model wrote one. */
  #opening(text: string): string {
    return this.#fence === undefined || text.trimStart().startsWith('`') ? '' : `\`\`\`${this.#fence}\n`;
  }
}

/** The name of a call that a model asked for; ids are only unique within a reply. */
export function callName(turn: number, id: string): string {
  return `turn-${turn}-${id}`;
}

function isBeginning(shown: readonly Part[], all: readonly Part[]): boolean {
  return shown.every((part, index) => {
    const other = all[index];
    if (other === undefined || part.type !== other.type) return false;
    if (part.type === 'call') return other.type === 'call' && part.id === other.id && part.name === other.name;
    if (part.type === 'file' || other.type === 'file' || other.type === 'call') return false;
    // Only the last text that was shown may go on.
    return index === shown.length - 1 ? other.text.startsWith(part.text) : other.text === part.text;
  });
}
