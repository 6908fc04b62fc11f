// Scans entries of which some may be damaged: those are passed over, and named.
import type { Collection, ValueOf } from './collection.ts';
import { cursorAfter } from './engine/scan.ts';
import { StoreCorruptError } from './errors.ts';
import { encodeKey, type Key } from './key.ts';
import type { Range } from './range.ts';
import { scanAll } from './scan-all.ts';
import type { Entry, Page, ScanOptions, Store } from './store.ts';

/** Like `scanAll`, for collections whose keys all have the same number of parts. `damaged` is called for each entry passed over. */
export async function* scanUndamaged<C extends Collection>(
  store: Store,
  collection: C,
  range: Range,
  damaged: (error: StoreCorruptError) => void,
): AsyncGenerator<Entry<ValueOf<C>>, void, undefined> {
  let { from } = range;
  for (;;) {
    const rest = from === undefined ? range : { ...range, from };
    try {
      for await (const entry of scanAll(store, collection, rest)) {
        from = after(entry.key);
        yield entry;
      }
      return;
    } catch (error) {
      const key = damagedKey(error, collection);
      if (key === undefined) throw error;
      // A page ends at its first damaged entry, also the part of it that comes before.
      yield* scanUndamaged(
        store,
        collection,
        { ...(from === undefined ? range : { ...range, from }), to: key },
        damaged,
      );
      damaged(error as StoreCorruptError);
      from = after(key);
    }
  }
}

/** The same for one page of a scan; its cursor continues such a scan, and any other one of the range. */
export async function pageUndamaged<C extends Collection>(
  store: Store,
  collection: C,
  range: Range,
  options: ScanOptions & { readonly limit: number },
  damaged: (error: StoreCorruptError) => void,
): Promise<Page<ValueOf<C>>> {
  try {
    return await store.scan(collection, range, options);
  } catch (error) {
    const key = damagedKey(error, collection);
    if (key === undefined) throw error;
    damaged(error as StoreCorruptError);
    const [before, beyond] = [
      { ...range, to: key },
      { ...range, from: after(key) },
    ];
    const [first, second] = options.reverse === true ? [beyond, before] : [before, beyond];
    const page = await pageUndamaged(store, collection, first, options, damaged);
    if (page.cursor !== undefined) return page;
    const last = page.entries.at(-1);
    const limit = options.limit - page.entries.length;
    if (limit === 0 && last !== undefined) return { ...page, cursor: cursorAfter(encodeKey(last.key)) };
    const rest = await pageUndamaged(store, collection, second, { ...options, limit, cursor: undefined }, damaged);
    return { ...rest, entries: [...page.entries, ...rest.entries] };
  }
}

function damagedKey(error: unknown, { name }: Collection): Key | undefined {
  if (!(error instanceof StoreCorruptError)) return undefined;
  const { collection, key } = error.details as { readonly collection?: unknown; readonly key?: Key };
  return collection === name ? key : undefined;
}

/** No key with as many parts is between the two. */
function after(key: Key): Key {
  return [...key, ''];
}
