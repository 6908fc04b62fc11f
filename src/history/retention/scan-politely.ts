// Scans for background work. Some engines answer reads without yielding to the event loop, so a long scan must yield
// itself.
import { setImmediate } from 'node:timers/promises';
import type { Collection, ValueOf } from '../../store/collection.ts';
import type { Range } from '../../store/range.ts';
import { scanAll } from '../../store/scan-all.ts';
import type { Entry, Store } from '../../store/store.ts';

const entriesPerTurn = 200;

export async function* scanPolitely<C extends Collection>(
  store: Store,
  collection: C,
  range: Range,
): AsyncGenerator<Entry<ValueOf<C>>, void, undefined> {
  let count = 0;
  for await (const entry of scanAll(store, collection, range, { limit: entriesPerTurn })) {
    if (count++ % entriesPerTurn === 0) await setImmediate();
    yield entry;
  }
}
