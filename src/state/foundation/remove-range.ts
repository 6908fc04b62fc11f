// Removes many rows, page by page: what is large must not become one transaction.
import { mustCommit, type Collection, type Range, type Store } from '../../store/door.ts';

const pageSize = 500;

/** Removes every entry in a range. Returns how many there were. */
export async function removeRange(store: Store, collection: Collection, range: Range): Promise<number> {
  let removed = 0;
  for (;;) {
    const { entries } = await store.scan(collection, range, { limit: pageSize });
    if (entries.length === 0) return removed;
    await mustCommit(store, { writes: entries.map(({ key }) => ({ kind: 'remove', collection, key })) });
    removed += entries.length;
  }
}
