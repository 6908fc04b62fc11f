// A conversation item by item, from any place on: as it stands, without what was taken back when the job went back to an older commit.
import type { ListStart, LookedAt } from '../../base/list-page.ts';
import { scanAll, type Store } from '../../store/door.ts';
import { chatRows, type ChatItem } from './item.ts';

/** Whose conversation, and which part of it. */
export interface ChatSpan {
  readonly job: string;
  /** Only items with lower numbers; default: all. */
  readonly before?: number | undefined;
  /** Also what was taken back. */
  readonly undone?: boolean | undefined;
}

const rowsAtOnce = 200;

/** A place is the number at which it goes on: the next one, or in reverse the one before which it goes on. */
export async function* chatList(
  store: Store,
  { job, before = Number.MAX_SAFE_INTEGER, undone = false }: ChatSpan,
  { isReverse, after }: ListStart,
): AsyncGenerator<LookedAt<ChatItem>, void, undefined> {
  if (isReverse) {
    yield* backwards(store, job, after?.[0] ?? before, undone);
    return;
  }
  const left = undone ? [] : await takenBack(store, job, before);
  const range = { from: [job, after?.[0] ?? 0], to: [job, before] };
  for await (const { value } of scanAll(store, chatRows, range, { limit: rowsAtOnce })) {
    const { number } = value;
    const isLeft = left.some(([first, last]) => number > first && number < last);
    yield { item: isLeft ? undefined : value, after: [number + 1] };
  }
}

/** Where the job went back, it goes on from the item it went to. */
async function* backwards(
  store: Store,
  job: string,
  end: number,
  undone: boolean,
): AsyncGenerator<LookedAt<ChatItem>, void, undefined> {
  for (let before = end; ;) {
    let back: number | undefined;
    const range = { from: [job, 0], to: [job, before] };
    for await (const { value } of scanAll(store, chatRows, range, { reverse: true, limit: rowsAtOnce })) {
      if (value.kind === 'rollback' && !undone) back = value.after + 1;
      yield { item: value, after: [back ?? value.number] };
      if (back !== undefined) break;
    }
    if (back === undefined) return;
    before = back;
  }
}

/** What lies between these two numbers does not count. */
async function takenBack(
  store: Store,
  job: string,
  before: number,
): Promise<readonly (readonly [first: number, last: number])[]> {
  const found: (readonly [number, number])[] = [];
  for await (const { item } of backwards(store, job, before, false))
    if (item?.kind === 'rollback') found.push([item.after, item.number]);
  return found;
}
