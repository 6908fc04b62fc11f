// Reads many entries of which some may be damaged. One read of all of them ends at the first, so then each is read by itself.
import type { Collection, ValueOf } from './collection.ts';
import { StoreCorruptError } from './errors.ts';
import type { Key } from './key.ts';
import type { Entry, Store } from './store.ts';

/** The entries; undefined for those that are not there or cannot be read. `damaged` is called for the latter. */
export async function readUndamaged<C extends Collection>(
  store: Store,
  collection: C,
  keys: readonly Key[],
  damaged: (key: Key, error: StoreCorruptError) => void,
): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
  if (keys.length === 0) return [];
  try {
    return await store.read(collection, keys);
  } catch (error) {
    if (!(error instanceof StoreCorruptError)) throw error;
    const [key] = keys;
    if (keys.length === 1 && key !== undefined) {
      damaged(key, error);
      return [undefined];
    }
  }
  // By halves: a single damaged entry among a thousand costs some twenty reads.
  const half = Math.ceil(keys.length / 2);
  return [
    ...(await readUndamaged(store, collection, keys.slice(0, half), damaged)),
    ...(await readUndamaged(store, collection, keys.slice(half), damaged)),
  ];
}
