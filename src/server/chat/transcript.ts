// Turns what is committed of a conversation, and the pieces of replies before they are, into events for chat clients.
import type { DeltaListener, JobActivity, ReplyItem, StepItem } from '../../agents/door.ts';
import type { ProgramFuture } from '../../jobs/door.ts';
import { jsonOf } from '../json/values.ts';
import type { ChatEvent, ChatFile, ChatUsage } from './chat-event.ts';
import type { Entry } from './committed.ts';
import { callName, ReplyPieces } from './reply-pieces.ts';

type Delta = Parameters<DeltaListener>[0];

/** What begins another answer: a message, or the answer to a question. */
export interface Boundary {
  readonly id: string;
  readonly text: string;
  readonly files: readonly ChatFile[];
  /** It answers a question; otherwise it is a message. */
  readonly isAnswer: boolean;
}

export class Transcript {
  #style: JobActivity['style'];
  #language: JobActivity['language'];
  /** The last turn whose reply is committed. */
  #turn = 0;
  #pieces: ReplyPieces | undefined;
  /** Calls of the last reply that have no result yet, by the name of the tool. */
  #formal: { readonly call: string; readonly name: string }[] = [];
  /** Which call a future is shown as. */
  readonly #shownAs = new Map<string, string>();
  #replies: string[] = [];
  #usage = noUsage;
  #hasReply = false;

  get usage(): ChatUsage {
    return this.#usage;
  }

  /** A model has replied; otherwise the result of the job is all there is to show. */
  get hasReply(): boolean {
    return this.#hasReply;
  }

  /** The turn whose pieces can be shown now. */
  get nextTurn(): number {
    return this.#turn + 1;
  }

  /** How the job talks, once it is known. */
  learn({ style, language }: JobActivity): void {
    this.#style = style;
    this.#language = language;
  }

  /** Another answer begins: what was used is counted anew. */
  restart(): void {
    this.#usage = noUsage;
    this.#hasReply = false;
  }

  *piece(delta: Delta): Generator<ChatEvent> {
    this.#pieces ??= new ReplyPieces(this.nextTurn, this.#fence());
    yield* this.#pieces.piece(delta);
  }

  async *entry(entry: Entry): AsyncGenerator<ChatEvent> {
    if (entry.kind !== 'item') {
      yield* this.#future(entry.kind, entry.future);
      return;
    }
    const { item } = entry;
    switch (item.kind) {
      case 'reply':
        yield* this.#reply(item);
        break;
      case 'step':
        yield* this.#step(item);
        break;
      case 'result':
        yield { type: 'failed', call: this.#answered(item.id, item.name), error: item.output };
        break;
      case 'sent':
        // Prose of a reply was shown with it.
        if (!this.#replies.some((text) => text.includes(item.text))) yield* said(`sent-${item.number}`, item.text);
        break;
      case 'notice':
        yield { type: 'notice', number: item.number, from: item.from, text: item.text };
        break;
      default:
    }
  }

  *#reply(item: ReplyItem): Generator<ChatEvent> {
    const pieces = this.#pieces ?? new ReplyPieces(item.turn, this.#fence());
    this.#pieces = undefined;
    this.#turn = item.turn;
    this.#hasReply = true;
    const { content } = item.message;
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    this.#replies = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    this.#formal = parts.flatMap((part) =>
      part.type === 'tool-call' ? [{ call: callName(item.turn, part.id), name: part.name }] : [],
    );
    const { tokens, cost } = item.usage ?? {};
    this.#usage = {
      turns: this.#usage.turns + 1,
      input: this.#usage.input + (tokens?.input ?? 0),
      output: this.#usage.output + (tokens?.output ?? 0),
      reasoning: this.#usage.reasoning + (tokens?.reasoning ?? 0),
      cost: this.#usage.cost + (cost?.amount ?? 0),
    };
    yield* pieces.commit(item);
  }

  *#step(item: StepItem): Generator<ChatEvent> {
    // What the application set up was not said by anybody.
    if (item.warmup !== undefined) return;
    const { step, status, console, value, error, commit, call, exit } = item;
    if (call !== undefined) {
      const name = this.#answered(call.id, call.name);
      if (error !== undefined) yield { type: 'failed', call: name, error: `${error.name}: ${error.message}` };
      else yield { type: 'output', call: name, output: value ?? console.join('\n') };
    }
    yield {
      type: 'step',
      number: item.number,
      step: {
        step,
        status,
        console,
        ...(value === undefined ? {} : { value }),
        ...(error === undefined ? {} : { error }),
        ...(commit === undefined ? {} : { commit }),
      },
    };
    if (exit !== undefined) yield* said(`exit-${item.number}`, exit);
  }

  async *#future(kind: 'asked' | 'decided' | 'settled', future: ProgramFuture): AsyncGenerator<ChatEvent> {
    const { id, state, decision } = future;
    if (kind === 'asked') {
      yield* this.#asked(future);
      return;
    }
    const call = this.#shownAs.get(id) ?? id;
    if (kind === 'decided') {
      if (decision !== undefined && future.kind !== 'ask')
        yield { type: 'decided', call, id, approved: decision.approved, comment: decision.comment };
      return;
    }
    // The step of a formal call tells its result.
    if (call !== id) return;
    if (state === 'done') yield { type: 'output', call, output: jsonOf(await future.output()) ?? null };
    else if (decision?.approved === false) yield { type: 'denied', call };
    else
      yield {
        type: 'failed',
        call,
        error: state === 'cancelled' ? 'It was cancelled.' : textOf(await future.output()),
      };
  }

  *#asked(future: ProgramFuture): Generator<ChatEvent> {
    const { id, kind, name, text, undecided, decision } = future;
    const formal = kind === 'call' ? this.#formal[0] : undefined;
    const isFormal = formal !== undefined && (formal.name === name || isSame(formal.name, name));
    const call = this.#shownAs.get(id) ?? (isFormal ? formal.call : id);
    const isKnown = this.#shownAs.has(id);
    this.#shownAs.set(id, call);
    if (!isFormal && !isKnown) {
      if (kind === 'ask') yield* said(`question-${future.number}`, name);
      yield {
        type: 'call',
        call,
        name: kind === 'call' ? name : kind,
        input: kind === 'call' ? inputOf(future) : { question: name, ...detailsOf(future) },
        by: kind === 'ask' ? 'person' : 'server',
      };
    }
    if (undecided || (decision !== undefined && kind !== 'ask')) yield { type: 'approval', call, id, text };
  }

  #answered(id: string, name: string): string {
    const index = this.#formal.findIndex(({ call }) => call === callName(this.#turn, id));
    const [found] = index < 0 ? [] : this.#formal.splice(index, 1);
    return found?.call ?? callName(this.#turn, id === '' ? name : id);
  }

  /** In a console the whole reply is code. */
  #fence(): string | undefined {
    return this.#style === 'CONSOLE' ? (this.#language === 'python' ? 'python' : 'ts') : undefined;
  }
}

const noUsage: ChatUsage = { turns: 0, input: 0, output: 0, reasoning: 0, cost: 0 };

/** Where another answer begins, if it does. */
export function boundaryOf(entry: Entry): Boundary | undefined {
  if (entry.kind === 'item' && entry.item.kind === 'message') {
    const { id, number, text, media = [] } = entry.item;
    const files = media.map((part) => ({
      url: part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}`,
      mediaType: part.mediaType,
      filename: part.filename,
    }));
    return { id: id ?? `message-${number}`, text, files, isAnswer: false };
  }
  if (entry.kind !== 'settled' || entry.future.kind !== 'ask' || entry.future.state !== 'done') return undefined;
  return { id: answerName(entry.future.number), text: '', files: [], isAnswer: true };
}

/** The name of the answer to a question. */
export function answerName(number: number): string {
  return `answer-${number}`;
}

function* said(part: string, text: string): Generator<ChatEvent> {
  if (text === '') return;
  yield { type: 'text', part, text, isFirst: true };
  yield { type: 'text-end', part };
}

function inputOf({ arguments: given, text }: ProgramFuture): unknown {
  if (given === undefined) return { text };
  const [only] = given;
  const isObject = given.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only);
  return jsonOf(isObject ? only : { arguments: given });
}

function detailsOf({ details }: ProgramFuture): { readonly details?: unknown } {
  return details === undefined ? {} : { details: jsonOf(details) };
}

/** `show_example` and `showExample` are the same name. */
function isSame(a: string, b: string): boolean {
  const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
  return plain(a) === plain(b);
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(jsonOf(error));
}
