// What a reply asks for, by the chat style: code to run, calls to make, prose to send; and what has to be said about it.
import { isSameName } from '../../workspace/door.ts';
import {
  messageText,
  messageToolCalls,
  type AssistantMessage,
  type FinishReason,
  type JsonObject,
  type JsonValue,
} from '../../models/door.ts';
import type { Dialect } from '../language.ts';
import { piecesOf, type Piece } from './fences.ts';
import { commented } from './prose.ts';
import type { ChatStyle } from '../settings/chat-style.ts';

export type Action =
  | {
      readonly kind: 'code';
      readonly source: string;
      /** Lines of comments before the model's own first line. */
      readonly lead?: number;
      readonly call?: { readonly id: string; readonly name: string };
    }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; readonly input: JsonObject }
  /** A call that cannot be made, and what is told about it. */
  | { readonly kind: 'refused'; readonly id: string; readonly name: string; readonly output: string }
  | { readonly kind: 'send'; readonly text: string };

export interface ReplyActions {
  readonly actions: readonly Action[];
  /** What is told of what was not run. */
  readonly notes: readonly string[];
  /** Nothing of it does anything: in a dialog that is an answer. */
  readonly isFinal: boolean;
}

interface Reading {
  readonly style: ChatStyle;
  readonly dialect: Dialect;
  /** The names of the tools that were offered. */
  readonly tools: readonly string[];
  /** Prose goes to somebody. */
  readonly sends: boolean;
}

export function actionsOf(message: AssistantMessage, finish: FinishReason, reading: Reading): ReplyActions {
  const text = messageText(message);
  const calls = messageToolCalls(message).map((call) => callOf(call, reading));
  const notes: string[] = [];
  const actions: Action[] = [];
  const isCut = finish === 'length';
  if (reading.style === 'CONSOLE') {
    const source = consoleSource(text, reading.dialect);
    if (source.trim() !== '') {
      if (isCut) notes.push(cutNote);
      else actions.push({ kind: 'code', source });
    }
  } else if (reading.style === 'DIRECT') {
    if (reading.sends && text.trim() !== '') actions.push({ kind: 'send', text: tidy([text]) });
  } else actions.push(...fenceActions(piecesOf(text), isCut, reading, notes));
  actions.push(...calls);
  const isFinal = !actions.some(({ kind }) => kind !== 'send') && !(isCut && notes.length > 0);
  return { actions, notes, isFinal };
}

const cutNote =
  'Your reply was cut because it became too long. Its last block of code was not run; write it in smaller parts.';

function fenceActions(pieces: readonly Piece[], isCut: boolean, reading: Reading, notes: string[]): Action[] {
  const { dialect, style, sends } = reading;
  const actions: Action[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    const text = tidy(prose);
    if (sends && text !== '') actions.push({ kind: 'send', text });
    prose = [];
  };
  for (const piece of pieces) {
    if (piece.kind === 'fence' && dialect.fences.includes(piece.label.toLowerCase())) {
      if (style === 'MD_DIALOG') endProse();
      if (!piece.closed && isCut) notes.push(cutNote);
      else if (piece.code.trim() !== '')
        actions.push(withProse(piece.code, style === 'MARKDOWN' ? prose : [], dialect));
      if (style === 'MARKDOWN') prose = [];
      continue;
    }
    prose.push(piece.text);
    if (piece.kind === 'fence' && style === 'MARKDOWN')
      notes.push(
        `The block ${piece.label === '' ? 'without a language' : `in '${piece.label}'`} at line ${piece.line - 1} of your reply was not run. Code to run goes into a fence labelled ${dialect.fences[0]}.`,
      );
  }
  if (style === 'MD_DIALOG') endProse();
  const last = actions.at(-1);
  const after = style === 'MARKDOWN' ? tidy(prose) : '';
  if (last?.kind === 'code' && after !== '')
    actions[actions.length - 1] = { ...last, source: `${last.source}\n${commented(after, dialect.comment)}` };
  return actions;
}

/** Without empty lines around it. */
function tidy(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** A block of code below what was said before it. */
function withProse(code: string, prose: readonly string[], { comment }: Dialect): Action {
  const text = tidy(prose);
  if (text === '') return { kind: 'code', source: code };
  return { kind: 'code', source: `${commented(text, comment)}\n${code}`, lead: text.split('\n').length };
}

/**
 * In a console the whole reply is code. Models like to put it into fences all the same, and to talk around them: then
 * what is said becomes comments, on the lines it stands on.
 */
function consoleSource(text: string, { fences, comment }: Dialect): string {
  const pieces = piecesOf(text);
  const [only] = pieces;
  const isRun = (piece: Piece): boolean => piece.kind === 'fence' && fences.includes(piece.label.toLowerCase());
  if (pieces.length === 1 && only?.kind === 'fence' && (only.label === '' || isRun(only))) return only.code;
  if (!pieces.some(isRun)) return text;
  const lines = text.split('\n').map((line) => (line.trim() === '' ? '' : `${comment} ${line.trimEnd()}`));
  for (const piece of pieces) {
    if (piece.kind !== 'fence' || !isRun(piece) || piece.code.trim() === '') continue;
    const code = piece.code.split('\n');
    lines.splice(piece.line - 2, 1, '');
    lines.splice(piece.line - 1, code.length, ...code);
    if (piece.closed) lines.splice(piece.line - 1 + code.length, 1, '');
  }
  return lines.join('\n').trim() === '' ? '' : lines.join('\n').trimEnd();
}

function callOf(
  { id, name, input, invalid }: { id: string; name: string; input: JsonValue; invalid?: string },
  { tools, dialect }: Reading,
): Action {
  const refused = (output: string): Action => ({ kind: 'refused', id, name, output });
  // A model may write a name as its training has it: `showExample` for `show_example`.
  const known = tools.includes(name) ? name : tools.find((one) => isSameName(one, name));
  if (known === undefined)
    return refused(
      `There is no tool '${name}'. ${tools.length === 0 ? 'There are none.' : `There are: ${tools.join(', ')}.`}`,
    );
  if (invalid !== undefined || typeof input !== 'object' || input === null || Array.isArray(input))
    return refused(
      `The arguments of '${name}' are not a JSON object (${invalid ?? 'another value'}). Call it again with correct ones.`,
    );
  if (known !== dialect.codeTool) return { kind: 'tool', id, name: known, input };
  const { code } = input as { code?: unknown };
  return typeof code === 'string'
    ? { kind: 'code', source: code, call: { id, name } }
    : refused(`'${name}' takes { "code": "…" }, the code as a text.`);
}
