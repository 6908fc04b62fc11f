// Rows that belong to nothing are told of. While something is damaged nothing is removed: what it referred to is unknown.
import { expect, test } from 'vitest';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { condemnedRows } from '../../src/objects/collecting/condemned.ts';
import { idOf } from '../../src/objects/graph.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { extentRows, indexRows, nodeRows, partRows, rootRows, tagRows } from '../../src/objects/rows.ts';
import type { Write } from '../../src/store/store.ts';
import { beforeRemovals, change, classes, Hub, Item } from './collect-support.ts';
import { openObjects, openTestStore } from './support/open.ts';

const now = (objects: Objects) => collectObjects(objects, { graceMilliseconds: 0 });

test('rows that belong to no object are told of', async () => {
  const objects = await openObjects(classes);
  await objects.store.declare(condemnedRows);
  await change(objects, () => new Hub());
  const put = (collection: Write['collection'], key: string[], value: unknown): Write => ({
    kind: 'put',
    collection,
    key,
    value,
  });
  await objects.store.commit([
    {
      writes: [
        put(partRows, ['default', 'x1', 'c'], { entries: [] }),
        put(extentRows, ['default', 'Item', 'x2'], { class: 'Item' }),
        put(tagRows, ['default', 'tag', 'x3'], { class: 'Item' }),
        put(indexRows, ['default', 'x4', 'key', 'x5'], ['ref', 'x5', 'Item']),
        put(condemnedRows, ['default', 'x6'], { since: 0, revision: 0 }),
      ],
    },
  ]);
  const report = await now(objects);
  expect(report.problems).toEqual({
    count: 3,
    examples: [
      'The part ["c"] of x1 belongs to no object.',
      "The tag 'tag' names x3, which does not exist.",
      "The class 'Item' names x2, which does not exist.",
    ],
  });
  expect(report).toMatchObject({ live: 1, removed: 0, removedIndexEntries: 1, pardoned: 0 });
  expect((await objects.store.scan(condemnedRows, {})).entries).toEqual([]);
});

test('a name whose object is gone is told of, and free again', async () => {
  const objects = await openObjects(classes);
  const id = await change(objects, () => idOf(new Hub()));
  await objects.store.commit([
    {
      writes: [
        { kind: 'remove', collection: nodeRows, key: ['default', id] },
        { kind: 'remove', collection: extentRows, key: ['default', 'Hub', id] },
      ],
    },
  ]);
  expect((await now(objects)).danglingReferences).toEqual({
    count: 1,
    examples: [{ from: 'singleton Hub', type: 'root', path: '', to: id }],
  });
  expect((await objects.store.read(rootRows, [['default', 'singleton', 'Hub']]))[0]).toBeUndefined();
  expect(await change(objects, () => idOf(new Hub()))).not.toBe(id);
});

test.each(['list', 'map'])('nothing is removed while a part of a %s is missing', async (name) => {
  const objects = await openObjects(classes);
  await change(objects, () => {
    const many = Array.from({ length: 300 }, (_, index) => index);
    new Hub()['list'] = name === 'list' ? many : new Map(many.map((index) => [index, new Item()]));
    return new Item();
  });
  const { entries } = await objects.store.scan(partRows, {}, { limit: 1 });
  await objects.store.commit([{ writes: entries.map(({ key }) => ({ kind: 'remove', collection: partRows, key })) }]);
  const report = await now(objects);
  expect(report).toMatchObject({ removed: 0, problems: { count: 1 } });
  expect(report.deferred).toBeGreaterThan(0);
  expect(report.problems.examples[0]).toContain('do not have as many elements');
});

test('a record of no known form stops the removal as well', async () => {
  const objects = await openObjects(classes);
  await change(objects, () => new Item());
  await objects.store.commit([
    { writes: [{ kind: 'put', collection: nodeRows, key: ['default', 'odd'], value: { strange: true } }] },
  ]);
  expect(await now(objects)).toMatchObject({ removed: 0, deferred: 2, problems: { count: 1 } });
});

test('what others do not let it remove is left for the next time', async () => {
  const store = await openTestStore();
  const writer = await openObjects(classes, store);
  await change(writer, () => [new Hub(), new Item()]);
  let tries = 0;
  const busy = beforeRemovals(store, () => change(writer, () => (new Hub()['tries'] = ++tries)));
  const collector = await openObjects(classes, busy);
  expect(await now(collector)).toMatchObject({ live: 1, removed: 0, deferred: 1 });
  expect(tries).toBeGreaterThan(5);
  expect(await now(writer)).toMatchObject({ live: 1, removed: 1, deferred: 0 });
});
