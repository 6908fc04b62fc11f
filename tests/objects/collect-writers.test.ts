// Others write while objects are collected. Whatever they make reachable before it is removed stays.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { idOf, newIndex, pin } from '../../src/objects/graph.ts';
import type { ObjectIndex } from '../../src/objects/queries/object-index.ts';
import { nodeRows } from '../../src/objects/rows.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { Random } from '../crash/random.ts';
import { beforeRemovals, change, classes, Hub, Item } from './collect-support.ts';
import { openObjects, openTestStore, storeFolder } from './support/open.ts';

const many = (): unknown[] => Array.from({ length: 300 }, (_, index) => index);

const ways: Record<string, (hub: Hub, item: Item) => unknown> = {
  'in a field': (hub, item) => (hub['field'] = item),
  'in a field of an object that is reachable': (hub, item) => ((hub['other'] as Item)['field'] = item),
  'in a list': (hub, item) => (hub['short'] as unknown[]).push(item),
  'in a part of a long list': (hub, item) => ((hub['long'] as unknown[])[150] = item),
  'as a value in a chunk of a map': (hub, item) => (hub['map'] as Map<unknown, unknown>).set(150, item),
  'as a key in a chunk of a map': (hub, item) => (hub['map'] as Map<unknown, unknown>).set(item, 1),
  'in an index': (hub, item) => (hub['index'] as ObjectIndex).add(1, item),
  'by a tag': (_hub, item) => tags(item).add('tag'),
  'by a pin': (_hub, item) => pin(item),
  'in a new object': (hub, item) => (hub['new'] = Object.assign(new Item(), { item })),
  'in a new object that is reached later': (_hub, item) => Object.assign(new Item(), { item }),
};

describe('an object attached just before it would be removed stays', () => {
  test.each(Object.keys(ways))('%s', async (way) => {
    const store = await openTestStore();
    const writer = await openObjects(classes, store);
    const [item, leaf] = await change(writer, () => {
      const hub = new Hub();
      Object.assign(hub, { other: new Item(), short: [], long: many(), map: new Map(many().map((key) => [key, key])) });
      hub['index'] = newIndex(writer);
      const below = new Item();
      return [idOf(Object.assign(new Item(), { list: [below] })), idOf(below)] as const;
    });
    let times = 0;
    const watched = beforeRemovals(store, async () => {
      if (times++ > 0) return;
      // The reference alone is written: the transaction knows nothing of the collection.
      await change(writer, () => ways[way]?.(new Hub(), writer.handleFor('default', item, 'Item') as Item));
    });
    const collector = await openObjects(classes, watched);
    expect(await collectObjects(collector, { graceMilliseconds: 0 })).toMatchObject({ removed: 0, deferred: 0 });
    expect(times).toBe(1);
    const [itemRow, leafRow] = await store.read(nodeRows, [
      ['default', item],
      ['default', leaf],
    ]);
    expect([itemRow, leafRow]).not.toContain(undefined);
  });

  test('and another space does not get in the way', async () => {
    const store = await openTestStore();
    const writer = await openObjects(classes, store);
    writer.spaces.open('other', false);
    await change(writer, () => new Item());
    let times = 0;
    const watched = beforeRemovals(store, () => {
      times++;
      return change(writer, () => writer.spaces.use('other', () => new Hub()));
    });
    const collector = await openObjects(classes, watched);
    expect(await collectObjects(collector, { graceMilliseconds: 0 })).toMatchObject({ removed: 1 });
    expect(times).toBe(1);
  });
});

/** How the objects of a large unreachable graph refer to each other: the numbers of those that an object refers to. */
const shapes: Record<string, (index: number, count: number, random: Random) => readonly number[]> = {
  'a chain that leads to older objects': (index) => (index === 0 ? [] : [index - 1]),
  'a chain that leads to newer objects': (index, count) => (index === count - 1 ? [] : [index + 1]),
  'a circle': (index, count) => [(index + 1) % count],
  'circles that lead to older ones': (index) =>
    index % 100 === 0 ? [index + 99, Math.max(0, index - 100)] : [index - 1],
  'random references': (_index, count, random) => [random.between(0, count - 1), random.between(0, count - 1)],
};

describe('what is left of a graph that is removed in several transactions can be attached', () => {
  test.each(Object.keys(shapes))('%s', async (shape) => {
    const random = new Random(11);
    const count = 700;
    // Each time, something is attached before a later removal, until the graph is removed before that.
    for (let attachAt = 1; ; attachAt++) {
      const store = await openTestStore();
      const writer = await openObjects(classes, store);
      const ids = await change(writer, () => {
        const items = Array.from({ length: count }, () => new Item());
        for (const [index, item] of items.entries())
          for (const [position, target] of (shapes[shape]?.(index, count, random) ?? []).entries())
            item[`reference${position}`] = items[target];
        return items.map((item) => idOf(item));
      });
      let removals = 0;
      const watched = beforeRemovals(store, async () => {
        if (++removals !== attachAt) return;
        await change(writer, () => {
          const left = ids.map((id) => writer.find(id)).filter((item) => item !== undefined);
          new Hub()['field'] = random.pick(left);
        });
      });
      const collector = await openObjects(classes, watched);
      const { removed } = await collectObjects(collector, { graceMilliseconds: 0 });
      const after = await collectObjects(collector, { graceMilliseconds: 0 });
      expect(after).toMatchObject({ removed: 0, danglingReferences: { count: 0 }, problems: { count: 0 } });
      expect(after.live + removed).toBe(removals < attachAt ? count : count + 1);
      if (removals < attachAt) break;
    }
  });
});

test.each([7, 107, 140])('a writer that attaches and detaches never loses what it can reach, seed %d', async (seed) => {
  const folder = storeFolder();
  const [writer, collector, second] = await Promise.all(
    [1, 2, 3].map(async () => openObjects(classes, await openTestStore(folder))),
  );
  if (writer === undefined || collector === undefined || second === undefined) throw new Error('unreachable');
  const random = new Random(seed);
  const known: string[] = [];
  let found = 0;
  const done = new AbortController();
  const write = async (): Promise<void> => {
    for (let round = 0; round < 250; round++) {
      await change(writer, () => {
        const hub = new Hub();
        for (let count = 0; count < 3; count++) {
          const name = `slot${random.between(0, 9)}`;
          // Found among all that was ever made, detached or not.
          const old = known.length > 0 ? writer.find(random.pick(known.slice(-60))) : undefined;
          if (old !== undefined) found++;
          if (old !== undefined && random.chance(0.7)) hub[name] = random.chance(0.5) ? old : { list: [old] };
          else hub[name] = Object.assign(new Item(), { before: hub[name], big: random.chance(0.2) ? many() : [] });
          if (random.chance(0.3)) delete hub[`slot${random.between(0, 9)}`];
          const now = hub[name];
          if (now instanceof Item) known.push(idOf(now));
        }
      });
      await setImmediate();
    }
    done.abort();
  };
  let removed = 0;
  const collect = async (objects: typeof collector): Promise<void> => {
    while (!done.signal.aborted) {
      const report = await collectObjects(objects, { graceMilliseconds: 0 });
      removed += report.removed;
      expect(report).toMatchObject({ danglingReferences: { count: 0 }, problems: { count: 0 } });
    }
  };
  await Promise.all([write(), collect(collector), collect(second)]);
  const last = await collectObjects(collector, { graceMilliseconds: 0 });
  expect(last).toMatchObject({ deferred: 0, danglingReferences: { count: 0 }, problems: { count: 0 } });
  expect(removed + last.removed).toBeGreaterThan(0);
  expect(found).toBeGreaterThan(0);
  expect(await collectObjects(collector, { graceMilliseconds: 0 })).toMatchObject({ live: last.live, removed: 0 });
});
