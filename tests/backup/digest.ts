// Everything in a store as one line: entries, versions, changes and revisions, by the names of collections.
import { createHash } from 'node:crypto';
import { snapshotOf } from '../../src/store/backup/engine-of.ts';
import { allItems } from '../../src/store/backup/snapshot-items.ts';
import type { SnapshotItem } from '../../src/store/engine/snapshot.ts';
import type { Store } from '../../src/store.ts';

export async function digestOf(store: Store): Promise<string> {
  const snapshot = await snapshotOf(store, false);
  try {
    const names = new Map(snapshot.collections.map(({ id, definition }) => [id, definition.name]));
    const name = (id: number): string => names.get(id) ?? '';
    // Collections have other numbers in other stores, so each has a sum of its own.
    const sums = new Map<string, ReturnType<typeof createHash>>();
    const sum = (of: string): ReturnType<typeof createHash> => {
      const known = sums.get(of) ?? createHash('sha256');
      sums.set(of, known);
      return known;
    };
    let count = 0;
    for await (const items of allItems(snapshot))
      for (const item of items) {
        count++;
        sum(item.kind === 'logged' ? '' : name(item.collection)).update(textOf(item, name));
      }
    const { revision, horizon } = snapshot.state;
    const all = [...sums].map(([of, one]) => `${of} ${one.digest('hex')}`).toSorted((a, b) => (a < b ? -1 : 1));
    return `revision ${revision}, horizon ${horizon}, ${count} items, ${createHash('sha256').update(all.join('\n')).digest('hex')}`;
  } finally {
    await snapshot.close();
  }
}

function textOf(item: SnapshotItem, name: (id: number) => string): string {
  if (item.kind === 'logged')
    return JSON.stringify([
      item.row.revision,
      item.row.changes.map(({ kind, collection, key }) => [kind, name(collection), key]),
    ]);
  if (item.kind === 'removed') return JSON.stringify(['removed', item.key]);
  const { key, revision, value } = item.kind === 'entry' ? item.entry : item.version;
  const until = item.kind === 'version' ? item.version.until : 0;
  return JSON.stringify([key, revision, until, typeof value === 'string' ? value : Buffer.from(value).toString('hex')]);
}
