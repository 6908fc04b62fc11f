// What is committed of a conversation, in order: the items of the chat, and between them what the program asked others for.
import { currentItems, type ChatItem, type Job, type JobActivity } from '../../agents/door.ts';
import type { ProgramFuture } from '../../jobs/door.ts';
import type { ChatPosition } from './chat-event.ts';

export type Entry =
  | { readonly kind: 'item'; readonly item: ChatItem }
  /** A future is there, was decided about, is over. */
  | { readonly kind: 'asked' | 'decided' | 'settled'; readonly future: ProgramFuture };

export interface Look {
  readonly activity: JobActivity;
  readonly entries: readonly Entry[];
  /** A person can answer or decide something. */
  readonly isForPeople: boolean;
}

export class Committed {
  readonly job: Job;
  #item = 0;
  #nextFuture = 0;
  readonly #open = new Map<number, ProgramFuture>();
  /** Before the first look nothing was told, so what was taken back is left out. */
  #isFirst = true;

  constructor(job: Job) {
    this.job = job;
  }

  /** How far it was read. */
  get position(): ChatPosition {
    return { item: this.#item, future: this.#nextFuture - 1 };
  }

  /** What has come since the last look. */
  async look(): Promise<Look> {
    const first = Math.min(this.#nextFuture, ...this.#open.keys());
    const activity = await this.job.activity({ item: this.#item, future: first });
    const items = this.#isFirst ? currentItems(activity.items) : activity.items;
    this.#isFirst = false;
    this.#item = activity.items.at(-1)?.number ?? this.#item;
    const news = activity.futures.flatMap((future) => this.#newsOf(future));
    const entries: Entry[] = [];
    for (const item of items) {
      // What a step asked for comes before its end.
      if (item.kind === 'step')
        while ((news[0]?.future.step ?? Infinity) <= item.step) entries.push(...news.splice(0, 1));
      entries.push({ kind: 'item', item });
    }
    const isForPeople = [...this.#open.values()].some(({ kind, undecided }) => kind === 'ask' || undecided);
    return { activity, entries: [...entries, ...news], isForPeople };
  }

  #newsOf(future: ProgramFuture): Extract<Entry, { readonly future: ProgramFuture }>[] {
    const { number, state, decision, undecided } = future;
    const known = this.#open.get(number);
    if (known === undefined && number < this.#nextFuture) return [];
    this.#nextFuture = Math.max(this.#nextFuture, number + 1);
    const isOver = state === 'done' || state === 'failed' || state === 'cancelled';
    if (isOver) this.#open.delete(number);
    else this.#open.set(number, future);
    const kinds: ('asked' | 'decided' | 'settled')[] = [];
    // A call whose outcome is in doubt is asked about when it was made.
    if (known === undefined || (undecided && !known.undecided)) kinds.push('asked');
    if (decision !== undefined && known?.decision === undefined) kinds.push('decided');
    if (isOver) kinds.push('settled');
    return kinds.map((kind) => ({ kind, future }));
  }
}
