// The durable objects with a tag, of all classes and in all spaces.
import { scanAll, type Key, type Store } from '../../store/door.ts';
import { idText } from '../node.ts';
import { tagRows } from '../rows.ts';

/** Their ids, as `idOf` returns them. */
export async function* taggedObjects(store: Store, tag: string): AsyncGenerator<string, void, undefined> {
  for (let from: Key = []; ;) {
    // One entry of each space, and then on to the next space.
    const { entries } = await store.scan(tagRows, { from }, { limit: 1 });
    const space = entries[0]?.key[0];
    if (typeof space !== 'string') return;
    for await (const { key } of scanAll(store, tagRows, { prefix: [space, tag] })) yield idText(space, String(key[2]));
    from = [`${space}\u0000`];
  }
}
