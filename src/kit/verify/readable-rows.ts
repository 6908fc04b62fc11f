// Reads all rows of a collection that can be read. One that is damaged ends a scan, so it is approached from both sides.
import { StatekError } from '../../base/error.ts';
import type { Collection, Entry, Key, Store, ValueOf } from '../../store/door.ts';

const pageRows = 500;

/** Every row before the first damaged one and after the last. `damaged` is called with what is wrong with those two. */
export async function* readableRows<C extends Collection>(
  store: Store,
  collection: C,
  damaged: (what: string) => void,
): AsyncGenerator<Entry<ValueOf<C>>, void, undefined> {
  const first = { why: '' };
  let last: Key | undefined;
  for await (const entry of untilDamage(store, collection, false, undefined, first)) {
    last = entry.key;
    yield entry;
  }
  if (first.why === '') return;
  const end = { why: '' };
  yield* untilDamage(store, collection, true, last, end);
  for (const what of new Set([first.why, end.why])) if (what !== '') damaged(what);
}

/** Pages become smaller before the damage, so that every row before it is given. */
async function* untilDamage<C extends Collection>(
  store: Store,
  collection: C,
  reverse: boolean,
  stopAt: Key | undefined,
  found: { why: string },
): AsyncGenerator<Entry<ValueOf<C>>, void, undefined> {
  const isLast = (key: Key): boolean => stopAt !== undefined && JSON.stringify(key) === JSON.stringify(stopAt);
  let limit = pageRows;
  let cursor: string | undefined;
  for (;;) {
    let page;
    try {
      page = await store.scan(collection, {}, { limit, cursor, reverse });
    } catch (error) {
      if (!(error instanceof StatekError) || error.code !== 'STORE_CORRUPT') throw error;
      found.why = error.message;
      if (limit === 1) return;
      limit = Math.ceil(limit / 8);
      continue;
    }
    for (const entry of page.entries) {
      if (isLast(entry.key)) return;
      yield entry;
    }
    ({ cursor } = page);
    if (cursor === undefined) return;
  }
}
