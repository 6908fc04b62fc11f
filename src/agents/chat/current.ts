// The conversation as it stands: without what was taken back when the job went back to an older commit.
import type { ChatItem } from './item.ts';

/** Of items in their order, those that count at the end of them. Where the job went back, it goes on from the item it went to. */
export function currentItems(items: readonly ChatItem[]): ChatItem[] {
  const current: ChatItem[] = [];
  let last = Number.POSITIVE_INFINITY;
  for (const item of items.toReversed()) {
    if (item.number > last) continue;
    current.push(item);
    if (item.kind === 'rollback') last = item.after;
  }
  return current.toReversed();
}
