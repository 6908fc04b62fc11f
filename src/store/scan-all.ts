// Scans a whole range, page by page.
import type { Collection, ValueOf } from './collection.ts';
import type { Range } from './range.ts';
import type { Entry, ScanOptions, Store } from './store.ts';

/**
 * Every entry in a range, in key order, with one page in memory. If the collection keeps versions, all entries come from
 * one snapshot: the given revision, or that of the first page.
 */
export async function* scanAll<C extends Collection>(
  store: Store,
  collection: C,
  range: Range,
  options: Omit<ScanOptions, 'cursor'> = {},
): AsyncGenerator<Entry<ValueOf<C>>, void, undefined> {
  let cursor: string | undefined;
  let at = options.at;
  do {
    const page = await store.scan(collection, range, { ...options, at, cursor });
    if (collection.keeps === 'versions') at ??= page.revision;
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
