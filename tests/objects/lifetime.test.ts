// Who is who: ids, removal, weak references, pins, spaces, and the graph as it was.
import { describe, expect, test } from 'vitest';
import { InvalidOptionError } from '../../src/base/options.ts';
import { StatekError } from '../../src/base/error.ts';
import { Durable } from '../../src/objects/durable.ts';
import { ObjectGoneError, ObjectReadOnlyError } from '../../src/objects/errors.ts';
import { at, exists, find, idOf, index, pin, remove, Space, transaction, unpin } from '../../src/objects/graph.ts';
import { rootRows, partRows } from '../../src/objects/rows.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { weak, type WeakReference } from '../../src/objects/weak-reference.ts';
import { openObjects, reopen } from './support/open.ts';

class Thing extends Durable {
  name = '';
  list: unknown[] = [];
  other: unknown = null;
}

describe('identity', () => {
  test('one object for one id, in every transaction', async () => {
    const objects = await openObjects([Thing]);
    const thing = new Thing();
    thing.other = thing;
    const id = idOf(thing);
    expect(objects.find(id)).toBe(thing);
    expect(thing.other).toBe(thing);
    expect(thing.list).toBe(thing.list);
    expect(objects.find(idOf(thing.list))).toBe(thing.list);
    await transaction(() => expect(objects.find(id)).toBe(thing));
    expect(await transaction(() => find(Thing).first())).toBe(thing);
    const again = await reopen(objects, [Thing]);
    const found = again.find(id) as Thing;
    expect([idOf(found), found.other === found]).toEqual([id, true]);
    expect(new Set(Array.from({ length: 2000 }, () => idOf(new Thing()))).size).toBe(2000);
  });

  test('ids that are none lead nowhere', async () => {
    const objects = await openObjects([Thing]);
    for (const text of ['', '/', 'a/b/c', 'x'.repeat(5000), '~', 'a~0', '__proto__'])
      expect([objects.find(text), exists(text)]).toEqual([undefined, false]);
    expect(() => idOf({})).toThrow(InvalidOptionError);
    expect(() => remove([])).toThrow(InvalidOptionError);
    expect(() => exists({})).toThrow(InvalidOptionError);
  });
});

describe('remove', () => {
  test('takes the object at once; what refers to it is told when it looks', async () => {
    const objects = await openObjects([Thing]);
    const [thing, other] = [new Thing(), new Thing()];
    thing.other = other;
    thing.list.push(other);
    tags(other).add('x');
    remove(other);
    expect([exists(other), exists(thing), find(Thing).count(), find(Thing, 'x').count()]).toEqual([false, true, 1, 0]);
    const again = (await reopen(objects, [Thing])).find(idOf(thing)) as Thing;
    const dangling = again.other as Thing;
    expect(dangling).toBeInstanceOf(Thing);
    expect(exists(dangling)).toBe(false);
    for (const use of [
      () => dangling.name,
      () => (dangling.name = 'x'),
      () => Object.keys(dangling),
      () => remove(dangling),
      () => pin(dangling),
      () => tags(dangling).add('y'),
      () => JSON.stringify(again),
    ])
      expect(use).toThrow(ObjectGoneError);
    expect(() => dangling.name).toThrow(/The Thing .* is gone.*exists\(object\)/);
    again.other = null;
    again.list.length = 0;
    expect(JSON.stringify(again)).toBe('{"name":"","list":[],"other":null}');
  });

  test('takes all parts of a collection', async () => {
    const objects = await openObjects([Thing]);
    const thing = new Thing();
    thing.list.push(...Array.from({ length: 1000 }, (_, count) => count));
    pin(thing.list);
    const { list } = thing;
    await objects.plainWrites.flush();
    remove(list);
    await objects.plainWrites.flush();
    expect((await objects.store.scan(partRows, {})).entries).toEqual([]);
    expect((await objects.store.scan(rootRows, {})).entries).toEqual([]);
    expect(() => list.length).toThrow(ObjectGoneError);
    expect(() => list.push(1)).toThrow(ObjectGoneError);
  });

  test('is undone with its transaction', async () => {
    await openObjects([Thing]);
    const thing = new Thing();
    thing.list.push(...Array.from({ length: 300 }, (_, count) => count));
    tags(thing).add('x');
    const failing = transaction(() => {
      remove(thing.list);
      remove(thing);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([thing.list.length, find(Thing, 'x').count()]).toEqual([300, 1]);
  });
});

test('weak references are empty when their object is gone', async () => {
  const objects = await openObjects([Thing]);
  const [thing, other] = [new Thing(), new Thing()];
  thing.other = weak(other);
  thing.list.push(weak(other.list));
  const again = (await reopen(objects, [Thing])).find(idOf(thing)) as Thing & { other: WeakReference<Thing> };
  expect(idOf(again.other.get() as Thing)).toBe(idOf(other));
  expect((again.list[0] as WeakReference<unknown[]>).get()).toBe((again.other.get() as Thing).list);
  again.list.push(again.other);
  remove(again.other.get() as Thing);
  expect([again.other.get(), (again.list[1] as WeakReference).get()]).toEqual([undefined, undefined]);
  expect(() => weak({})).toThrow(InvalidOptionError);
});

test('pins are rows that come and go', async () => {
  const objects = await openObjects([Thing]);
  const thing = pin(new Thing());
  pin(thing);
  pin(thing.list);
  await objects.plainWrites.flush();
  const pins = async (): Promise<number> => (await objects.store.scan(rootRows, {})).entries.length;
  expect(await pins()).toBe(2);
  unpin(thing);
  unpin(thing);
  await objects.plainWrites.flush();
  expect(await pins()).toBe(1);
});

describe('spaces', () => {
  test('are apart, and refer to each other by reference', async () => {
    const objects = await openObjects([Thing]);
    const archive = new Space(objects, 'archive', {});
    const [here, there] = [new Thing(), archive.use(() => new Thing())];
    expect(idOf(there)).toMatch(/^archive\//);
    expect([find(Thing).count(), archive.find(Thing).count(), archive.use(() => find(Thing).count())]).toEqual([
      1, 1, 1,
    ]);
    here.other = there;
    there.list.push(here, { from: 'there' });
    const again = await reopen(objects, [Thing]);
    const found = again.find(idOf(here)) as Thing;
    const back = (found.other as Thing).list;
    expect(back[0]).toBe(found);
    expect(idOf(back[1] as object)).toMatch(/^archive\//);
    expect(again.find(idOf(there))).toBe(found.other);
    // A collection lies where the object is that holds it.
    const moved = new Thing();
    moved.other = back[1];
    expect(moved.other).toBe(back[1]);
  });

  test('may be opened for reading only', async () => {
    const objects = await openObjects([Thing]);
    const archive = new Space(objects, 'archive', {});
    const [thing, large, sorted] = archive.use(() => [new Thing(), new Thing(), index<Thing>()] as const);
    large.list = Array.from({ length: 500 }, (_, count) => count);
    large.other = new Map(large.list.map((count) => [count, count]));
    await objects.plainWrites.flush();
    const revision = await objects.store.revision();
    const readonly = new Space(objects, 'archive', { readonly: true });
    const map = large.other as Map<unknown, unknown>;
    for (const change of [
      () => (thing.name = 'x'),
      () => (thing.other = [1]),
      () => thing.list.push(1),
      () => (large.list[3] = 'x'),
      () => large.list.pop(),
      () => (large.list.length = 0),
      () => map.set(3, 'x'),
      () => map.delete(3),
      () => map.clear(),
      () => sorted.add(1, thing),
      () => Reflect.deleteProperty(thing, 'name'),
      () => tags(thing).add('x'),
      () => remove(thing),
      () => pin(thing),
      () => readonly.use(() => new Thing()),
      () => readonly.use(() => index()),
    ])
      expect(change).toThrow(ObjectReadOnlyError);
    const own = new Thing();
    own.other = thing;
    await objects.plainWrites.flush();
    expect(await objects.store.revision()).toBe(revision + 1);
    expect([large.list[3], large.list.length, map.get(3), map.size]).toEqual([3, 500, 3, 500]);
    expect(() => new Space(objects, 'Bad Name', {})).toThrow(/not a valid name of a space/);
    expect(() => new Space(objects, 'x', { readOnly: true } as object)).toThrow(/readOnly/);
  });
});

describe('the past', () => {
  test('is read as it was, and cannot be changed', async () => {
    const objects = await openObjects([Thing]);
    const [thing, removed] = [new Thing(), new Thing()];
    thing.name = 'before';
    thing.list.push(1, { deep: [removed] });
    tags(thing).add('old');
    await objects.plainWrites.flush();
    const revision = await objects.store.revision();
    thing.name = 'after';
    thing.list.push(2);
    tags(thing).remove('old');
    remove(removed);
    const late = new Thing();
    await objects.plainWrites.flush();
    const look = (): unknown => [
      thing.name,
      thing.list.length,
      exists(removed),
      exists(late),
      find(Thing).count(),
      find(Thing, 'old').count(),
      [...tags(thing)],
    ];
    expect(await at(revision, look)).toEqual(['before', 2, true, false, 2, 1, ['old']]);
    expect(look()).toEqual(['after', 3, false, true, 2, 0, []]);
    expect(await at(await objects.store.revision(), look)).toEqual(look());
    for (const change of [
      () => (thing.name = 'x'),
      () => thing.list.push(3),
      () => new Thing(),
      () => tags(thing).add('x'),
      () => remove(thing),
      () => (thing.other = { plain: 1 }),
    ])
      await expect(at(revision, change)).rejects.toThrow(/past cannot be changed/);
    expect(look()).toEqual(['after', 3, false, true, 2, 0, []]);
    for (const none of [999, -1, 0.5]) await expect(at(none, look)).rejects.toThrow(StatekError);
  });

  test('two revisions can be compared', async () => {
    const objects = await openObjects([Thing]);
    const thing = new Thing();
    const revisions: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      thing.name = name;
      await objects.plainWrites.flush();
      revisions.push(await objects.store.revision());
    }
    const snapshot = (): string => JSON.stringify([...find(Thing)]);
    const seen = await Promise.all(revisions.map((revision) => at(revision, snapshot)));
    expect(seen.map((text) => (JSON.parse(text) as { name: string }[])[0]?.name)).toEqual(['a', 'b', 'c']);
    await objects.store.prune(revisions[1] as number);
    await expect(at(revisions[0] as number, snapshot)).rejects.toThrow(/horizon|pruned|gone/i);
    expect(await at(revisions[1] as number, snapshot)).toBe(seen[1]);
  });
});
