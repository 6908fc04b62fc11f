// Scans entries of which some may be damaged: those are passed over, and named.
import type { Collection, ValueOf } from './collection.ts';
import { StoreCorruptError } from './errors.ts';
import type { Key } from './key.ts';
import type { Range } from './range.ts';
import { scanAll } from './scan-all.ts';
import type { Entry, Store } from './store.ts';

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

function damagedKey(error: unknown, { name }: Collection): Key | undefined {
  if (!(error instanceof StoreCorruptError)) return undefined;
  const { collection, key } = error.details as { readonly collection?: unknown; readonly key?: Key };
  return collection === name ? key : undefined;
}

/** No key with as many parts is between the two. */
function after(key: Key): Key {
  return [...key, ''];
}
