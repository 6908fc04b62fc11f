// Keeps a conversation inside the model's window: old turns are folded into a summary of a line each, which the model can
// unfold again with a tool. The items themselves stay as they are.
import { messageText } from '../../models/door.ts';
import { currentItems } from '../chat/current.ts';
import type { ChatItem, Digest } from '../chat/item.ts';
import { faultText } from '../chat/console.ts';
import { dialects } from '../language.ts';
import type { Language } from '../prompts/metadata.ts';
import type { AgentRuntime } from './runtime.ts';
import type { LoopState } from './state.ts';

export interface FoldInput {
  readonly from: number;
  readonly upTo: number;
  /** The summary so far; 0 if there is none. */
  readonly foldItem: number;
  /** Characters the summary may take. */
  readonly most: number;
  readonly language: Language;
}

export interface FoldedTurns {
  readonly upTo: number;
  readonly text: string;
  readonly digest: Digest;
  /** Characters of what is left. */
  readonly size: number;
}

const charactersPerToken = 4;
/** Turns that are never folded. */
const keptTurns = 4;

/** The last item to be folded, if the conversation has become too long. */
export function foldAfter({
  used,
  added,
  contextTokens,
  starts,
}: Pick<LoopState, 'used' | 'added' | 'contextTokens' | 'starts'>): number | undefined {
  if (used + added / charactersPerToken < contextTokens * 0.8) return undefined;
  // Half of the turns go at once, so that folding is rare.
  const index = Math.min(starts.length - keptTurns, Math.ceil(starts.length / 2));
  const start = index < 1 ? undefined : starts[index];
  return start === undefined ? undefined : start - 1;
}

export function foldInput(state: LoopState, upTo: number): FoldInput {
  const { folded: before, foldItem, contextTokens, language } = state;
  return { from: before + 1, upTo, foldItem, most: Math.floor((contextTokens * charactersPerToken) / 8), language };
}

export async function folded(runtime: AgentRuntime, job: string, input: FoldInput): Promise<FoldedTurns> {
  const { from, upTo, foldItem, most } = input;
  const before = foldItem === 0 ? undefined : await runtime.item(job, foldItem);
  const old: Digest = before?.kind === 'fold' ? before.digest : { opening: '', lines: [], dropped: 0 };
  const items = currentItems(await runtime.items(job, from, upTo)).filter(({ kind }) => kind !== 'fold');
  const digest = shortened(
    {
      opening: old.opening === '' ? openingOf(items, most / 4) : old.opening,
      lines: [...old.lines, ...linesOf(items)],
      dropped: old.dropped,
    },
    most,
  );
  const rest = currentItems(await runtime.items(job, upTo + 1, Number.MAX_SAFE_INTEGER - 1));
  const text = textOf(digest, input.language);
  const size = rest.reduce((sum, item) => sum + (item.kind === 'fold' ? 0 : JSON.stringify(item).length), text.length);
  return { upTo, text, digest, size };
}

function openingOf(items: readonly ChatItem[], most: number): string {
  const first = items.find(({ kind }) => kind === 'message');
  return first?.kind === 'message' ? first.text.slice(0, most) : '';
}

/** A line for each turn and each thing that was said. */
function linesOf(items: readonly ChatItem[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    if (item.kind === 'reply') lines.push(`[${item.number}] you: ${short(messageText(item.message), 160)}`);
    else if (item.kind === 'step') {
      if (item.warmup?.hidden === true) continue;
      const text = [...item.console, item.value ?? '', item.error === undefined ? '' : faultText(item.error)].join(' ');
      lines.push(`[${item.number}] output: ${short(text, 120)}`);
    } else if (item.kind === 'message') lines.push(`[${item.number}] user: ${short(item.text, 200)}`);
    else if (item.kind === 'notice') lines.push(`[${item.number}] notice: ${short(item.text, 120)}`);
    else if (item.kind === 'result') lines.push(`[${item.number}] ${item.name}: ${short(item.output, 120)}`);
  }
  return lines;
}

function shortened({ opening, lines, dropped }: Digest, most: number): Digest {
  let length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  let gone = 0;
  while (length > most && gone < lines.length) length -= (lines[gone++] ?? '').length + 1;
  return { opening, lines: lines.slice(gone), dropped: dropped + gone };
}

function textOf({ opening, lines, dropped }: Digest, language: Language): string {
  const { waits } = dialects[language];
  return [
    `Earlier parts of this conversation are folded to save space. ${waits}unfold(number) shows an item again, ${waits}unfold(first, last) several.`,
    ...(opening === '' ? [] : [`It began with:\n${opening}`]),
    ...(dropped === 0 ? [] : [`(${dropped} earlier lines are left out.)`]),
    ...lines,
  ].join('\n');
}

function short(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}
