// Removes entries of a range that nobody needs any more, page by page. One that is changed meanwhile stays.
import type { Collection, ValueOf } from './collection.ts';
import type { Range } from './range.ts';
import type { Entry, Store, Transaction } from './store.ts';

const pageSize = 500;

/** Removes the entries that `isMeant` names. Returns how many. */
export async function removeMatching<C extends Collection>(
  store: Store,
  collection: C,
  range: Range,
  isMeant: (entry: Entry<ValueOf<C>>) => boolean,
): Promise<number> {
  let removed = 0;
  let cursor: string | undefined;
  do {
    const page = await store.scan(collection, range, { limit: pageSize, cursor });
    ({ cursor } = page);
    const removals = page.entries.filter(isMeant).map(({ key, revision }): Transaction => ({
      checks: [{ kind: 'revision', collection, key, revision }],
      writes: [{ kind: 'remove', collection, key }],
    }));
    if (removals.length === 0) continue;
    removed += (await store.commit(removals)).filter(({ status }) => status === 'committed').length;
  } while (cursor !== undefined);
  return removed;
}
