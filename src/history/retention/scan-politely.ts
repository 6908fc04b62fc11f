// Scans for background work. Some engines answer reads without yielding to the event loop, so a long scan must yield
// itself.
import { setImmediate } from 'node:timers/promises';
import { scanAll, type Collection, type Entry, type Range, type Store, type ValueOf } from '../../store/door.ts';

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
