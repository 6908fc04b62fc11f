// A job's conversation as others see it: its items, who said what, and what the turns have used.
import type { Difficulty, ModelTokens, ModelUsage } from '../models/door.ts';
import { scanAll, type Store } from '../store/door.ts';
import { answersIn } from './chat/answers.ts';
import { currentItems } from './chat/current.ts';
import { chatRows, type ChatItem, type ReplyItem } from './chat/item.ts';
import type { LoopState } from './loop/state.ts';

/** What a job has used: tokens, cost and time, turn by turn and in all. */
export interface JobUsage {
  /** Each turn of the model, counted from 1: the difficulty at which the model was chosen, and when its reply came. */
  readonly turns: readonly (ModelUsage & {
    readonly turn: number;
    readonly difficulty: Difficulty;
    readonly time: Date;
  })[];
  /** All tokens, by kind. */
  readonly tokens: ModelTokens;
  /** US dollars, of the turns whose cost is known. */
  readonly cost: number;
  /** Tokens written per second, over all turns. */
  readonly tokensPerSecond: number | undefined;
}

/** Something that was said to a job, and what it answered. */
export interface DialogPair {
  /** What was said to it. */
  readonly message: string | undefined;
  /** What it answered, in order. */
  readonly answers: readonly string[];
  /** Milliseconds from the message to the first answer. */
  readonly responseTime: number | undefined;
}

/** The items of a conversation; with `undone`, also those that a rollback took back. */
export async function chatOf(store: Store, job: string, undone = false): Promise<readonly ChatItem[]> {
  const items: ChatItem[] = [];
  for await (const { value } of scanAll(store, chatRows, { prefix: [job] })) items.push(value);
  return undone ? items : currentItems(items);
}

/** All replies of models: those that were taken back were asked and paid for all the same. */
export async function repliesOf(store: Store, job: string): Promise<readonly ReplyItem[]> {
  return (await chatOf(store, job, true)).filter((item): item is ReplyItem => item.kind === 'reply');
}

/** What the replies have used, turn by turn and in all; each turn is priced at its own model. */
export function usageOf(replies: readonly ReplyItem[]): JobUsage {
  const turns = replies.flatMap(({ usage, turn, difficulty, time }): JobUsage['turns'][number][] =>
    usage === undefined ? [] : [{ ...usage, turn, difficulty, time: new Date(time) }],
  );
  const sum = (of: (usage: JobUsage['turns'][number]) => number): number =>
    turns.reduce((total, usage) => total + of(usage), 0);
  const duration = sum((usage) => usage.duration);
  const output = sum(({ tokens }) => tokens.output);
  return {
    turns,
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output,
      cached: sum(({ tokens }) => tokens.cached),
      cacheWrite: sum(({ tokens }) => tokens.cacheWrite),
      reasoning: sum(({ tokens }) => tokens.reasoning),
    },
    cost: sum(({ cost }) => cost?.amount ?? 0),
    tokensPerSecond: duration === 0 ? undefined : (output * 1000) / duration,
  };
}

/** What was said to a job, and what it answered. Drafts and code are not answers. */
export function dialogOf(items: readonly ChatItem[], state: LoopState | null | undefined): readonly DialogPair[] {
  const pairs: {
    message: string | undefined;
    answers: string[];
    asked: number | undefined;
    first: number | undefined;
  }[] = [];
  const given = answersIn(items, state);
  for (const item of items) {
    if (item.kind === 'message') pairs.push({ message: item.text, answers: [], asked: item.time, first: undefined });
    const answer = given.get(item);
    if (answer === undefined) continue;
    if (pairs.length === 0) pairs.push({ message: undefined, answers: [], asked: undefined, first: undefined });
    const pair = pairs.at(-1);
    pair?.answers.push(answer);
    if (pair !== undefined) pair.first ??= item.time;
  }
  return pairs.map(({ message, answers, asked, first }) => ({
    message,
    answers,
    responseTime: asked === undefined || first === undefined ? undefined : first - asked,
  }));
}
