// The lines of a console, one by one and from any place on: those of the commits of one program after another, where it was forked
// or went back.
import type { ListStart, LookedAt } from '../base/list-page.ts';
import { scanAll, type Store } from '../store/door.ts';
import { consoleRows, type ConsoleSegment } from './rows.ts';

const rowsAtOnce = 100;

/** A place is [segment, commit, line]. */
export async function* consoleLines(
  store: Store,
  segments: readonly ConsoleSegment[],
  { isReverse, after }: ListStart,
): AsyncGenerator<LookedAt<string>, void, undefined> {
  const [first, sequence, line] = after ?? [];
  const order = isReverse ? [...segments.keys()].toReversed() : [...segments.keys()];
  for (const index of order) {
    const segment = segments[index];
    if (segment === undefined || (first !== undefined && (isReverse ? index > first : index < first))) continue;
    const isFirst = index === first;
    const from = isFirst && !isReverse ? Math.max(segment.from, sequence ?? 0) : segment.from;
    const to = isFirst && isReverse ? Math.min(segment.to, sequence ?? segment.to) : segment.to;
    const range = { from: [segment.workspace, from], to: [segment.workspace, to + 1] };
    for await (const { key, value } of scanAll(store, consoleRows, range, { reverse: isReverse, limit: rowsAtOnce })) {
      const commit = Number(key[1]);
      const lines = [...value.keys()];
      for (const number of isReverse ? lines.toReversed() : lines) {
        const isSeen =
          isFirst && commit === sequence && line !== undefined && (isReverse ? number >= line : number <= line);
        if (!isSeen) yield { item: value[number]?.text, after: [index, commit, number] };
      }
    }
  }
}
