// What a job of an agent keeps between turns, beside its conversation: where it stands, and what is left to do of the last
// reply. It is small, because it is written again with every turn.
import type { Json } from '../../history/door.ts';
import type { Write } from '../../store/door.ts';
import type { NextAction, Turn } from '../../jobs/door.ts';
import type { Difficulty } from '../../models/door.ts';
import type { Action } from '../chat/actions.ts';
import type { ChatItem as ExampleItem } from '../examples/example.ts';
import { chatRows, type ChatItem, type NewItem } from '../chat/item.ts';
import { noCounts, type Counts, type StoredLimits } from '../limits.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { StoredBinding } from '../memory/granted.ts';
import type { WarmupBlock } from '../warmup.ts';

export type Todo =
  | Action
  | { readonly kind: 'warmup'; readonly block: WarmupBlock }
  /** Code of a task that prepares a call; neither warmup nor a reply. */
  | { readonly kind: 'setup'; readonly source: string }
  /** Part of an example that the job goes through again. */
  | { readonly kind: 'example'; readonly item: ExampleItem };

/** What the job is in the middle of. */
export type ReplyState = {
  /** The number of the reply's item. */
  readonly item: number;
  readonly isFinal: boolean;
  /** Its text, if it is final. */
  readonly text: string;
  /** How much went wrong with it. */
  readonly errors: number;
  /** The model is reminded again after it, if it does something. */
  readonly remindsAgain?: true;
};

export type LoopState = {
  readonly definition: string;
  readonly style: ChatStyle;
  readonly language: Language;
  readonly limits: StoredLimits;
  /** Names of the tools the provider is offered. */
  readonly tools: readonly string[];
  readonly contextTokens: number;
  readonly task: string | null;
  readonly locale?: string;
  /** Code is checked before it runs. */
  readonly typeCheck?: true;
  /** Roles of agents that are told when the job fails, besides its own. */
  readonly handlers: readonly string[];
  /** The number of the next item, and of the first one. */
  readonly next: number;
  readonly first: number;
  /** Replies so far. */
  readonly turn: number;
  readonly difficulty: Difficulty;
  readonly counts: Counts;
  readonly todo: readonly Todo[];
  readonly doing: Todo | null;
  readonly reply: ReplyState | null;
  /** Items up to this one are shown as a summary, which is the item `foldItem`. */
  readonly folded: number;
  readonly foldItem: number;
  /** Where the turns begin that are not folded. */
  readonly starts: readonly number[];
  /** Tokens the conversation took when it was last sent, and characters that came since. */
  readonly used: number;
  readonly added: number;
  /** Since somebody last said something: replies that were held back, whether the reminder was given, messages in all. */
  readonly heldBack: number;
  readonly reminded: boolean;
  readonly messages: number;
  /** The last reply was prose where code was expected, and the model was reminded: if it says so again, it is the answer. */
  readonly talked?: boolean;
  /** What it is bound to, of what is remembered across jobs. */
  readonly memory?: StoredBinding;
  /** Names of the agent's private context that its warmup uses. */
  readonly context?: readonly string[];
  /** Nothing is sent; what would have been is the result. */
  readonly spoken?: readonly string[];
};

/** What a job of an agent does next. */
export type LoopAction = NextAction<LoopState>;

/** The most items of one try of a job: a second try counts on from there. */
const itemsPerTry = 10_000_000;

export function firstState(
  turn: Turn<LoopState>,
  given: Pick<
    LoopState,
    | 'definition'
    | 'style'
    | 'language'
    | 'limits'
    | 'tools'
    | 'contextTokens'
    | 'task'
    | 'locale'
    | 'typeCheck'
    | 'handlers'
    | 'difficulty'
    | 'todo'
    | 'context'
    | 'spoken'
    | 'memory'
  >,
): LoopState {
  const first = (turn.job.attempt - 1) * itemsPerTry + 1;
  return {
    ...given,
    next: first,
    first,
    turn: 0,
    counts: noCounts(turn.now.getTime()),
    doing: null,
    reply: null,
    // What an earlier try left is not part of this one.
    folded: first - 1,
    foldItem: 0,
    starts: [],
    used: 0,
    added: 0,
    heldBack: 0,
    reminded: false,
    messages: 0,
  };
}

/** One turn of the driver: the state as it becomes, and the items that are written with it. */
export class LoopTurn {
  readonly turn: Turn<LoopState>;
  readonly #writes: Write[] = [];
  #state: LoopState;
  /** Messages were taken from the inbox. */
  #taken = false;

  constructor(turn: Turn<LoopState>, state: LoopState) {
    this.turn = turn;
    this.#state = state;
  }

  get state(): LoopState {
    return this.#state;
  }

  get taken(): boolean {
    return this.#taken;
  }

  get now(): number {
    return this.turn.now.getTime();
  }

  set(change: Partial<LoopState>): void {
    this.#state = { ...this.#state, ...change };
  }

  count(change: Partial<Counts>): void {
    this.set({ counts: { ...this.#state.counts, ...change } });
  }

  /** Adds an item to the conversation. */
  add(item: NewItem): number {
    const number = this.#state.next;
    const value = { ...item, number, time: this.now } as ChatItem;
    this.write({ kind: 'put', collection: chatRows, key: [this.turn.job.id, number], value });
    this.set({ next: number + 1, added: this.#state.added + sizeOf(value) });
    return number;
  }

  write(write: Write): void {
    this.#writes.push(write);
  }

  /** The messages that came are in the conversation now. Until then they stay in the inbox. */
  take(): void {
    this.#taken = true;
  }

  /** When its time is over; the warmup takes none of it. */
  #timeLimit(): { readonly limit?: Date } {
    const { limits, counts, doing, todo } = this.#state;
    if (limits.seconds === undefined || [doing, ...todo].some((one) => one?.kind === 'warmup')) return {};
    return { limit: new Date(counts.since + limits.seconds * 1000) };
  }

  act(action: LoopAction): LoopAction {
    return {
      ...action,
      ...this.#timeLimit(),
      state: this.#state,
      writes: this.#writes,
      ...(this.#taken ? {} : { keepMessages: true }),
    };
  }
}

function sizeOf(item: ChatItem): number {
  switch (item.kind) {
    case 'message':
    case 'note':
    case 'notice':
    case 'fold':
      return item.text.length + 20;
    case 'step':
      return item.console.reduce((sum, line) => sum + line.length + 1, 0) + (item.value?.length ?? 0) + 40;
    case 'result':
      return item.output.length + 40;
    default:
      return 0;
  }
}

/** What the job of an agent keeps; null before its first turn. */
export function loopStateOf({ state }: { readonly state: Json }): LoopState | null {
  return state as LoopState | null;
}
