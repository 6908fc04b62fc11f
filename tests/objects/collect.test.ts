// What is reachable stays, what is not goes with all its rows, after the time it is given.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { collectObjects, type CollectOptions, type CollectReport } from '../../src/objects/collecting/collect.ts';
import { condemnedRows } from '../../src/objects/collecting/condemned.ts';
import { idOf, newIndex, pin, remove, unpin } from '../../src/objects/graph.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { partRows } from '../../src/objects/rows.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { weak } from '../../src/objects/weak-reference.ts';
import { recordCollection } from '../../src/store/collection.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import { change, classes, countNodes, Hub, Item, rowsNaming } from './collect-support.ts';
import { openObjects, openTestStore, storeFolder } from './support/open.ts';

const open = async (place: string): Promise<Objects> =>
  openObjects(classes, await openTestStore(place === 'memory' ? 'memory:' : storeFolder()));

const now = (objects: Objects, options: CollectOptions = {}): Promise<CollectReport> =>
  collectObjects(objects, { graceMilliseconds: 0, ...options });

function make(fields: Record<string, unknown> = {}): Item {
  return Object.assign(new Item(), fields);
}

describe.each(['memory', 'sqlite'])('on %s', (place) => {
  test('what is named, pinned, tagged, indexed or told of stays with all it leads to', async () => {
    const objects = await open(place);
    const { kept, lost } = await change(objects, () => {
      const leaves = Array.from({ length: 7 }, () => make());
      const [byField, byList, byKey, byMember, byTag, byPin, byTold] = leaves as [
        Item,
        Item,
        Item,
        Item,
        Item,
        Item,
        Item,
      ];
      const hub = new Hub();
      hub['field'] = make({ deeper: { and: [byField] } });
      hub['list'] = [...Array.from({ length: 300 }, (_, index) => index), byList];
      hub['map'] = new Map([[byKey, 'value'] as const]);
      hub['set'] = new Set([byMember]);
      const tagged = make({ byTag });
      tags(tagged).add('tag');
      const pinned = pin(make({ byPin }));
      const told = make({ byTold });
      const entry = make();
      const index = newIndex(objects);
      index.add(3, entry);
      hub['index'] = index;
      const inLostIndex = make();
      const lostIndex = newIndex(objects);
      lostIndex.add(3, inLostIndex);
      const cycle = make();
      cycle['self'] = make({ cycle, big: Array.from({ length: 300 }, () => 'text'), map: new Map([['a', cycle]]) });
      const reached = [hub, ...leaves, tagged, pinned, told, entry, index];
      return { kept: reached.map(idOf), lost: [inLostIndex, lostIndex, cycle].map(idOf) };
    });
    const told = kept[10] as string;
    const before = await countNodes(objects.store);
    const report = await now(objects, { roots: [told] });
    expect(await change(objects, () => kept.filter((id) => objects.find(id) === undefined))).toEqual([]);
    for (const id of lost) expect(await rowsNaming(objects.store, id)).toEqual([]);
    expect(report).toMatchObject({ live: before - 6, removed: 6, condemned: 0, deferred: 0, pardoned: 0 });
    expect(report).toMatchObject({ removedIndexEntries: 1, problems: { count: 0 }, danglingReferences: { count: 0 } });
    expect(await countNodes(objects.store)).toBe(report.live);
    expect(await change(objects, () => (new Hub()['list'] as unknown[]).length)).toBe(301);

    await change(objects, () => {
      unpin(objects.find(kept[9] as string) as object);
      tags(objects.find(kept[8] as string) as object).remove('tag');
      delete new Hub()['index'];
    });
    expect(await now(objects)).toMatchObject({ removed: 8, removedIndexEntries: 1 });
  });

  test('an unreachable object is given time, counted from when it was last changed', async () => {
    const objects = await open(place);
    const clock = new ManualClock(1_000_000);
    const run = (): Promise<CollectReport> => collectObjects(objects, { clock, graceMilliseconds: 1000 });
    const [lost, back] = await change(objects, () => [make({ list: [1] }), make()].map(idOf) as [string, string]);
    expect(await run()).toMatchObject({ live: 0, condemned: 3, removed: 0 });
    clock.advance(999);
    expect(await run()).toMatchObject({ condemned: 3, removed: 0 });
    await change(objects, () => (new Hub()['back'] = objects.find(back)));
    await change(objects, () => ((objects.find(lost) as Item)['changed'] = true));
    clock.advance(1);
    // The list is due, but the object it is in is held by somebody, or was just now.
    expect(await run()).toMatchObject({ live: 2, pardoned: 1, condemned: 2, removed: 0 });
    await change(objects, () => delete new Hub()['back']);
    clock.advance(1000);
    expect(await run()).toMatchObject({ live: 1, removed: 2, condemned: 1 });
    clock.advance(-5000);
    expect(await run()).toMatchObject({ condemned: 1, removed: 0 });
    clock.advance(1000);
    expect(await run()).toMatchObject({ condemned: 0, removed: 1, live: 1 });
    expect((await objects.store.scan(condemnedRows, {})).entries).toEqual([]);
  });

  test('collections in many parts are read and removed whole', async () => {
    const objects = await open(place);
    await change(objects, () => {
      const hub = new Hub();
      hub['list'] = Array.from({ length: 17_000 }, (_, index) => (index % 4000 === 0 ? make() : index));
      hub['map'] = new Map(
        Array.from({ length: 3000 }, (_, index) => [`key ${index}`, index % 1000 === 0 ? make() : index]),
      );
      hub['object'] = Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [`key ${index}`, index === 99 ? make() : 0]),
      );
    });
    expect(await now(objects)).toMatchObject({ live: 13, removed: 0, problems: { count: 0 } });
    await change(objects, () => {
      delete new Hub()['list'];
      delete new Hub()['map'];
    });
    expect(await now(objects)).toMatchObject({ live: 3, removed: 10 });
    const left = new Set<unknown>();
    for await (const { key } of scanAll(objects.store, partRows, {})) left.add(key[1]);
    expect(left).toEqual(new Set([await change(objects, () => idOf(new Hub()['object'] as object))]));
  });

  // What follows is the same on every engine.
  if (place !== 'memory') return;

  test('what an object leads to that is given time is given time as well', async () => {
    const objects = await open(place);
    const clock = new ManualClock(1_000_000);
    const run = (): Promise<CollectReport> => collectObjects(objects, { clock, graceMilliseconds: 1000 });
    const old = await change(objects, () => idOf(make()));
    await run();
    clock.advance(1000);
    await change(objects, () => make({ old: objects.find(old) }));
    expect(await run()).toMatchObject({ condemned: 2, removed: 0 });
    clock.advance(1000);
    expect(await run()).toMatchObject({ condemned: 0, removed: 2 });
  });

  test('weak references, and those into another space, keep nothing', async () => {
    const objects = await open(place);
    objects.spaces.open('other', false);
    const ids = await change(objects, () => {
      const [weakly, across, indexed] = [make(), make(), make()] as const;
      const index = objects.spaces.use('other', () => {
        const hub = new Hub();
        hub['across'] = across;
        const made = newIndex(objects);
        made.add('key', indexed);
        made.add('key', hub);
        hub['index'] = made;
        return made;
      });
      new Hub()['weak'] = [weak(weakly)];
      return { index: idOf(index), lost: [weakly, across, indexed].map(idOf) };
    });
    const report = await now(objects);
    expect(report).toMatchObject({ removed: 3, removedIndexEntries: 1, danglingReferences: { count: 0 } });
    for (const id of ids.lost) expect(await rowsNaming(objects.store, id)).toEqual([]);
    expect(await change(objects, () => [...(objects.find(ids.index) as Iterable<object>)].map(idOf))).toHaveLength(1);
  });

  test('a space that was opened for reading only is left as it is', async () => {
    const objects = await open(place);
    objects.spaces.open('other', false);
    await change(objects, () => objects.spaces.use('other', () => make()));
    objects.spaces.open('other', true);
    expect(await now(objects)).toMatchObject({ live: 1, removed: 0, condemned: 0 });
  });

  test('texts that look like references are none, and references between them are found', async () => {
    const objects = await open(place);
    await change(objects, () => {
      const lost = make();
      const kept = make();
      const looks = (): unknown[] => ['ref', idOf(lost), 'Item'];
      const hub = new Hub();
      hub['short'] = looks();
      hub['long'] = [...looks(), ...Array.from({ length: 200 }, () => 'x')];
      hub['weak'] = ['weak', 'ref', kept, ...Array.from({ length: 200 }, () => 'x')];
      hub['map'] = new Map([['ref', idOf(lost)]]);
      hub['object'] = { ref: looks() };
    });
    expect(await now(objects)).toMatchObject({ removed: 1, problems: { count: 0 } });
  });

  test('references that lead nowhere are told of, with their place', async () => {
    const objects = await open(place);
    const ids = await change(objects, () => {
      const [gone, index] = [make(), newIndex(objects)];
      index.add(1, gone);
      const hub = new Hub();
      const big = [...Array.from({ length: 18_000 }, (_, at) => at), gone, 1];
      const chunked = new Map<unknown, unknown>([...big.slice(0, 300).map((at) => [at, 0] as const), ['name', gone]]);
      Object.assign(hub, { field: gone, list: [0, gone], big, map: new Map([['a', gone]]), chunked, index });
      Object.assign(hub, { keys: new Map([[gone, 1]]), set: new Set([gone]), object: { a: gone }, weak: weak(gone) });
      make({ gone });
      return { hub: idOf(hub), gone: idOf(gone) };
    });
    await change(objects, () => remove(objects.find(ids.gone) as object));
    const report = await now(objects);
    const { count, examples } = report.danglingReferences;
    expect(count).toBe(8);
    expect(report.removedIndexEntries).toBe(1);
    expect(await rowsNaming(objects.store, ids.gone)).toEqual([]);
    expect(new Set(examples.map(({ to }) => to))).toEqual(new Set([ids.gone]));
    expect(examples.map(({ type, path }) => `${type} ${path}`).toSorted()).toEqual([
      'Hub field',
      'array [18000]',
      'array [1]',
      'map (a key)',
      'map get("a")',
      'map get("name")',
      'object a',
      'set (a member)',
    ]);
    expect(examples.find(({ path }) => path === 'field')?.from).toBe(ids.hub);
  });
});

test('roots that are asked for are asked for again when they may have changed', async () => {
  const objects = await open('memory');
  const programs = recordCollection<string>('programs');
  await objects.store.declare(programs);
  const id = await change(objects, () => idOf(make()));
  let asked = 0;
  async function* roots(): AsyncGenerator<string> {
    const held: string[] = [];
    for await (const { value } of scanAll(objects.store, programs, {})) held.push(value);
    // A program takes hold of the object right after it was asked.
    if (asked++ === 0)
      await objects.store.commit([{ writes: [{ kind: 'put', collection: programs, key: ['a'], value: id }] }]);
    yield* held;
  }
  expect(await now(objects, { roots, rootsIn: [programs] })).toMatchObject({ live: 1, removed: 0 });
  expect(asked).toBe(2);
  await objects.store.commit([{ writes: [{ kind: 'remove', collection: programs, key: ['a'] }] }]);
  expect(await now(objects, { roots: () => [], rootsIn: [programs] })).toMatchObject({ removed: 1 });
});

test('a run can be watched and stopped', async () => {
  const objects = await open('memory');
  await change(objects, () => Array.from({ length: 500 }, () => make()));
  const stop = new AbortController();
  const phases = new Set<string>();
  const onProgress = ({ phase, done }: { phase: string; done: number }): void => {
    phases.add(phase);
    if (phase === 'remove' && done >= 200) stop.abort(new Error('enough'));
  };
  await expect(now(objects, { onProgress, signal: stop.signal })).rejects.toThrow('enough');
  expect(await countNodes(objects.store)).toBe(300);
  expect([...phases]).toEqual(['read', 'mark', 'remove']);
  expect(await now(objects)).toMatchObject({ removed: 300 });
});

test('options that do not exist or make no sense are refused', async () => {
  const objects = await open('memory');
  await expect(collectObjects(objects, { grace: 1 } as never)).rejects.toThrow("no option 'grace'");
  await expect(collectObjects(objects, { graceMilliseconds: -1 })).rejects.toThrow('graceMilliseconds');
  await expect(collectObjects(objects, { roots: 'id' as never })).rejects.toThrow('array of ids');
});
