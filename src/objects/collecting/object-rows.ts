// The rows of some objects and of everything they lead to, for copies that are looked at elsewhere.
import { scanAll, type Collection, type Key, type Store } from '../../store/door.ts';
import type { Encoded } from '../instances/encoded.ts';
import { placeOf } from '../node.ts';
import { nodeRows, partRows } from '../rows.ts';
import { keptBy, visitPart, visitRecord } from './references.ts';

/** The rows of objects by their ids, and of what these keep, up to a number of objects. */
export async function* objectRows(
  store: Store,
  ids: Iterable<string>,
  maxObjects: number,
): AsyncGenerator<{ readonly collection: Collection; readonly key: Key; readonly value: unknown }, void, undefined> {
  const open = [...new Set(ids)];
  const seen = new Set(open);
  for (let next = 0; next < open.length && next < maxObjects; next++) {
    const { space, id } = placeOf(open[next] as string);
    const found = (value: Encoded): void => {
      const kept = keptBy(value, space);
      if (kept === undefined || seen.has(kept)) return;
      seen.add(kept);
      open.push(kept);
    };
    const [row] = await store.read(nodeRows, [[space, id]]);
    if (row === undefined) continue;
    yield { collection: nodeRows, key: row.key, value: row.value };
    visitRecord(row.value, found);
    for await (const { key, value } of scanAll(store, partRows, { prefix: [space, id] })) {
      yield { collection: partRows, key, value };
      visitPart(key, value, found);
    }
  }
}
