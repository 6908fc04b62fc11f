// The same on a store that cannot read at once, with another process' writes in between.
import { expect, test } from 'vitest';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { idOf, newIndex } from '../../src/objects/graph.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { postgresForTests } from '../support/postgres.ts';
import { beforeRemovals, change, classes, Hub, Item, rowsNaming } from './collect-support.ts';
import { openObjects } from './support/open.ts';

const server = await postgresForTests();

test.skipIf(server === undefined)('objects are collected on PostgreSQL', async () => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  const [store, other] = await Promise.all([1, 2].map(() => openPostgres(server.url, { schema })));
  if (store === undefined || other === undefined) throw new Error('unreachable');
  try {
    const writer = await openObjects(classes, other);
    const [back, lost] = await change(writer, () => {
      const hub = new Hub();
      hub['list'] = Array.from({ length: 300 }, () => new Item());
      const index = newIndex(writer);
      index.add(1, Object.assign(new Item(), { map: new Map(Array.from({ length: 300 }, (_, key) => [key, key])) }));
      hub['index'] = index;
      return [idOf(new Item()), idOf(Object.assign(new Item(), { big: Array.from({ length: 300 }, (_, at) => at) }))];
    });
    let times = 0;
    const attach = (): Promise<unknown> =>
      times++ > 0 ? Promise.resolve() : change(writer, () => (new Hub()['back'] = writer.find(back)));
    const collector = await openObjects(classes, beforeRemovals(store, attach));
    expect(await collectObjects(collector, { graceMilliseconds: 0 })).toMatchObject({
      live: 306,
      removed: 2,
      deferred: 0,
    });
    expect(times).toBe(2);
    expect(await rowsNaming(store, lost)).toEqual([]);
    await change(writer, () => {
      delete new Hub()['index'];
      delete new Hub()['list'];
    });
    const report = await collectObjects(collector, { graceMilliseconds: 0 });
    expect(report).toMatchObject({ live: 2, removed: 304, removedIndexEntries: 1, problems: { count: 0 } });
  } finally {
    await Promise.all([store.close(), other.close()]);
    await drop();
  }
});
