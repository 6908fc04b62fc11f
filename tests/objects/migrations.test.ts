// Stored objects in the form their class has now: defaults, renames, migrations, former names, and classes nobody knows.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { InvalidOptionError } from '../../src/base/options.ts';
import type { DurableOptions, Fields } from '../../src/objects/declaration.ts';
import { Durable } from '../../src/objects/durable.ts';
import { DurableClassError, ObjectReadOnlyError } from '../../src/objects/errors.ts';
import { exists, find, idOf, transaction } from '../../src/objects/graph.ts';
import { nodeRows } from '../../src/objects/rows.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { fieldsOf, openObjects, openTestStore, reopen, storeFolder } from './support/open.ts';

type Loose = Durable & Record<string, unknown>;
type LooseClass = (new () => Loose) & { readonly '~durable': true };

/** The class Person as a program of some time has it. */
function person(durable: DurableOptions = {}, name = 'Person'): LooseClass {
  const made = class extends Durable {
    static durable = { name, ...durable };
  };
  return made as unknown as LooseClass;
}

/** Stores one object with the class of before, and finds it with the class of after. */
async function migrate(
  before: DurableOptions,
  after: DurableOptions,
  fields: Record<string, unknown>,
): Promise<{ found: Loose; objects: Awaited<ReturnType<typeof openObjects>>; After: LooseClass }> {
  const Before = person(before);
  const first = await openObjects([Before]);
  const made = Object.assign(new Before(), fields);
  const After = person(after);
  const objects = await reopen(first, [After]);
  return { found: objects.find(idOf(made)) as Loose, objects, After };
}

describe('defaults', () => {
  test('are given to objects that have none, also to new ones, and stored with the next change', async () => {
    const { found, objects, After } = await migrate(
      {},
      { defaults: { age: 7, tags: ['new'] } },
      { name: 'ann', age: 3 },
    );
    expect([found['age'], [...(found['tags'] as string[])]]).toEqual([3, ['new']]);
    expect(Object.keys(found)).toEqual(['name', 'age', 'tags']);
    await objects.plainWrites.flush();
    const revision = await objects.store.revision();
    expect(found['tags']).toBe(found['tags']);
    await objects.plainWrites.flush();
    // Looking writes nothing.
    expect(await objects.store.revision()).toBe(revision);
    const { list } = { list: found['tags'] as string[] };
    await Promise.resolve();
    // A collection that only looking brought about can be changed in a later turn.
    list.push('later');
    const again = await reopen(objects, [After]);
    expect([...((again.find(idOf(found)) as Loose)['tags'] as string[])]).toEqual(['new', 'later']);
    expect(fieldsOf(new After())).toEqual({ age: 7, tags: ['new'] });
  });

  test('are shared by nobody, and found by id before they are stored', async () => {
    const { found, objects } = await migrate({}, { defaults: { deep: { list: [1] } } }, {});
    const deep = found['deep'] as { list: number[] };
    const id = idOf(deep.list);
    await objects.plainWrites.flush();
    await Promise.resolve();
    expect(exists(id)).toBe(true);
    expect(objects.find(id)).toBe(deep.list);
    (objects.find(id) as number[]).push(2);
    await objects.plainWrites.flush();
    expect([...(found['deep'] as { list: number[] }).list]).toEqual([1, 2]);
    found['deep'] = 'replaced';
    await objects.plainWrites.flush();
    expect(exists(id)).toBe(true);
  });

  test('that come later have places of their own, beside those that were stored before', async () => {
    const Before = person();
    const first = await openObjects([Before]);
    const made = Object.assign(new Before(), { name: 'ann' });
    const second = await reopen(first, [person({ defaults: { tags: ['a'], deep: { list: [1] } } })]);
    const between = second.find(idOf(made)) as Loose;
    (between['tags'] as string[]).push('kept');
    await second.plainWrites.flush();
    const Later = person({ defaults: { notes: ['b'], more: { list: [2] }, tags: ['a'], deep: { list: [1] } } });
    const third = await reopen(second, [Later]);
    const after = third.find(idOf(made)) as Loose;
    (after['notes'] as string[]).push('new');
    (after['more'] as { list: number[] }).list.push(3);
    await third.plainWrites.flush();
    const last = (await reopen(third, [Later])).find(idOf(made)) as Loose;
    expect(JSON.parse(JSON.stringify(last))).toEqual({
      name: 'ann',
      tags: ['a', 'kept'],
      deep: { list: [1] },
      notes: ['b', 'new'],
      more: { list: [2, 3] },
    });
    const ids = [last['tags'], last['notes'], last['deep'], last['more']].map((one) => idOf(one as object));
    expect(new Set(ids).size).toBe(4);
  });

  test('do not come back when they were deleted, and the object can be changed as before', async () => {
    const defaults = { tags: ['a'], age: 7 };
    const { found, objects, After } = await migrate({}, { defaults }, { name: 'ann' });
    (found['tags'] as string[]).push('kept');
    await objects.plainWrites.flush();
    delete found['tags'];
    delete found['age'];
    await objects.plainWrites.flush();
    expect(Object.keys(found)).toEqual(['name']);
    found['name'] = 'bob';
    await objects.plainWrites.flush();
    const again = (await reopen(objects, [After])).find(idOf(found)) as Loose;
    expect(fieldsOf(again)).toEqual({ name: 'bob' });
    again['tags'] = ['new'];
    expect([...(again['tags'] as string[])]).toEqual(['new']);
  });

  test('replace a field that a migration took away, in a place of its own', async () => {
    const { found, objects } = await migrate({}, { defaults: { tags: ['a'] } }, { name: 'ann' });
    (found['tags'] as string[]).push('kept');
    const before = idOf(found['tags'] as object);
    const After = person({
      version: 2,
      defaults: { tags: ['b'] },
      migrate: ({ tags: old, ...fields }) => ({ ...fields, old }),
    });
    const second = await reopen(objects, [After]);
    const after = second.find(idOf(found)) as Loose;
    (after['tags'] as string[]).push('new');
    await second.plainWrites.flush();
    const last = (await reopen(second, [After])).find(idOf(found)) as Loose;
    expect(JSON.parse(JSON.stringify(last))).toEqual({ name: 'ann', old: ['a', 'kept'], tags: ['b', 'new'] });
    expect(idOf(last['old'] as object)).toBe(before);
  });

  test('are seen in a space that is only read, and never written there', async () => {
    const Before = person();
    const first = await openObjects([Before]);
    const made = first.spaces.use('archive', () => Object.assign(new Before(), { name: 'old' }));
    const After = person({ defaults: { list: [] } });
    const objects = await reopen(first, [After]);
    objects.spaces.open('archive', true);
    const found = objects.find(idOf(made)) as Loose;
    expect([...(found['list'] as unknown[])]).toEqual([]);
    const other = await transaction(() => Object.assign(new After(), { list: [...(found['list'] as unknown[])] }));
    await objects.plainWrites.flush();
    expect(() => (found['list'] as unknown[]).push(1)).toThrow(ObjectReadOnlyError);
    expect(() => (found['name'] = 'new')).toThrow(ObjectReadOnlyError);
    const plain = await reopen(objects, [Before]);
    expect(Object.keys(plain.find(idOf(made)) as Loose)).toEqual(['name']);
    expect(plain.find(idOf(other))).toBeDefined();
  });
});

describe('renames', () => {
  test('move values to their new names, once', async () => {
    const { found } = await migrate({}, { version: 2, renames: { title: 'name' } }, { title: 'ann', age: 3 });
    expect(fieldsOf(found)).toEqual({ name: 'ann', age: 3 });
    found['title'] = 'again a field';
    expect(fieldsOf(found)).toEqual({ name: 'ann', age: 3, title: 'again a field' });
  });

  test('may swap, and lose nothing where the new name is taken', async () => {
    const swap = await migrate({}, { version: 2, renames: { a: 'b', b: 'a' } }, { a: 1, b: 2 });
    expect(fieldsOf(swap.found)).toEqual({ b: 1, a: 2 });
    swap.objects.close();
    const taken = await migrate({}, { version: 2, renames: { a: 'b' } }, { a: 1, b: 2 });
    expect(fieldsOf(taken.found)).toEqual({ a: 1, b: 2 });
  });
});

describe('migrate', () => {
  test('gets the fields of the old version and is applied when the object is looked at', async () => {
    const versions: number[] = [];
    const { found, objects, After } = await migrate(
      { version: 2 },
      {
        version: 4,
        migrate(fields, version) {
          versions.push(version);
          const [first, last] = String(fields['name']).split(' ');
          return { first, last, list: [...(fields['list'] as number[]), 3], self: fields['self'] };
        },
      },
      { name: 'ann bell', list: [1, 2] },
    );
    expect([found['first'], found['last'], [...(found['list'] as number[])]]).toEqual(['ann', 'bell', [1, 2, 3]]);
    expect('name' in found).toBe(false);
    expect(versions.every((version) => version === 2)).toBe(true);
    found['first'] = 'anna';
    versions.length = 0;
    const again = (await reopen(objects, [After])).find(idOf(found)) as Loose;
    expect([again['first'], again['last']]).toEqual(['anna', 'bell']);
    expect(versions).toEqual([]);
  });

  test('makes places of its own each time, beside those of the migration before', async () => {
    const adding =
      (name: string) =>
      (fields: Fields): void => {
        fields[name] = [name];
      };
    const { found, objects } = await migrate({}, { version: 2, migrate: adding('tags') }, { name: 'ann' });
    (found['tags'] as string[]).push('kept');
    const After = person({ version: 3, migrate: adding('notes') });
    const after = (await reopen(objects, [After])).find(idOf(found)) as Loose;
    (after['notes'] as string[]).push('new');
    expect(JSON.parse(JSON.stringify(after))).toEqual({ name: 'ann', tags: ['tags', 'kept'], notes: ['notes', 'new'] });
    expect(idOf(after['tags'] as object)).not.toBe(idOf(after['notes'] as object));
  });

  test('may change the fields it is given, and make objects', async () => {
    const Helper = person({}, 'Helper');
    const Before = person();
    const first = await openObjects([Before, Helper]);
    const made = Object.assign(new Before(), { name: 'ann' });
    const After = person({
      version: 2,
      migrate(fields) {
        fields['helper'] = Object.assign(new Helper(), { of: fields['name'] });
        delete fields['name'];
      },
    });
    const objects = await reopen(first, [After, Helper]);
    const found = objects.find(idOf(made)) as Loose;
    const helper = found['helper'] as Loose;
    expect(helper['of']).toBe('ann');
    await objects.plainWrites.flush();
    await Promise.resolve();
    // Not stored yet, and the same object nevertheless.
    expect(found['helper']).toBe(helper);
    helper['of'] = 'changed';
    const again = (await reopen(objects, [After, Helper])).find(idOf(made)) as { helper: Loose } & Loose;
    expect(again.helper['of']).toBe('changed');
    expect(find(Helper).count()).toBe(1);
  });

  test('that throws or gives no fields leaves the object as it was', async () => {
    const { found } = await migrate(
      {},
      {
        version: 2,
        migrate() {
          throw new Error('cannot');
        },
      },
      { name: 'ann' },
    );
    expect(() => found['name']).toThrow('cannot');
  });
});

describe('classes', () => {
  test('keep their objects, references and queries under a new name', async () => {
    const Old = person({}, 'Old');
    const first = await openObjects([Old]);
    const [a, b] = [new Old(), new Old()];
    a['friend'] = b;
    tags(a).add('x');
    const New = person({ formerNames: ['Old'] }, 'New');
    const objects = await reopen(first, [New]);
    const found = objects.find(idOf(a)) as Loose;
    expect(found).toBeInstanceOf(New);
    expect(found['friend']).toBeInstanceOf(New);
    // Within a few milliseconds, the order of what two processes made is not known.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const fresh = new New();
    expect([...find(New)].map(idOf)).toEqual([idOf(a), idOf(b), idOf(fresh)]);
    expect([...find(New, 'x')]).toEqual([found]);
  });

  test('of a newer version are refused', async () => {
    const { found } = await migrate({ version: 3 }, { version: 2 }, { name: 'ann' });
    expect(() => found['name']).toThrow(DurableClassError);
    expect(() => found['name']).toThrow(/version 3.*declares version 2.*Run the newer program/);
    expect(() => (found['name'] = 'x')).toThrow(DurableClassError);
  });

  test('nobody has registered open as records that can be looked at', async () => {
    const Unknown = person({}, 'Unknown');
    class Known extends Durable {
      other: unknown = null;
    }
    const folder = storeFolder();
    const first = await openObjects([Unknown, Known], await openTestStore(folder));
    const known = new Known();
    known.other = Object.assign(new Unknown(), { name: 'ann', list: [1, { a: 2 }], self: known });
    await first.plainWrites.flush();
    first.close();
    const objects = await openObjects([Known], await openTestStore(folder));
    const record = (objects.find(idOf(known)) as Known).other as Loose;
    expect([record['name'], JSON.stringify(record['list'])]).toEqual(['ann', '[1,{"a":2}]']);
    expect(Object.keys(record)).toEqual(['name', 'list', 'self']);
    expect(inspect(record, { depth: 0 })).toContain("Unknown { name: 'ann'");
    expect(() => (record['name'] = 'x')).toThrow(ObjectReadOnlyError);
    expect(() => (record['name'] = 'x')).toThrow(/Add it to Statek.open/);
    expect(() => delete record['name']).toThrow(ObjectReadOnlyError);
    expect(() => tags(record)).toThrow(InvalidOptionError);
    expect(exists(record)).toBe(true);
    const holder = new Known();
    holder.other = record;
    expect(holder.other).toBe(record);
  });
});

describe('first values of fields that a class has got since', () => {
  class Before extends Durable {
    static durable = { name: 'Item' };
    title = 'untitled';
  }

  class After extends Durable {
    static durable = { name: 'Item' };
    title = 'other';
    count = -1;
    big = 5n;
    note: string | null = null;
    label = `plain`;
    list: number[] = [1, 2];
    nested = { a: [true], 'b-c': { d: 'x' } };
    map = new Map<string, number>();
    set = new Set<string>();
    made = Date.now();
    nothing: string | undefined;
  }

  const first = {
    count: -1,
    big: 5n,
    note: null,
    label: 'plain',
    list: [1, 2],
    nested: { a: [true], 'b-c': { d: 'x' } },
  };

  async function older(): Promise<{ item: After; objects: Awaited<ReturnType<typeof openObjects>> }> {
    const before = await openObjects([Before]);
    const made = new Before();
    made.title = 'mine';
    const objects = await reopen(before, [After]);
    return { item: objects.find(idOf(made)) as After, objects };
  }

  test('are there on older objects where the source of the class tells them', async () => {
    const { item } = await older();
    expect(item.title).toBe('mine');
    const { big, ...rest } = fieldsOf(item);
    expect({ ...(JSON.parse(JSON.stringify(rest)) as object), big }).toMatchObject(first);
    expect([item.map.size, item.set.size]).toEqual([0, 0]);
    // What only running the class would tell is not made up.
    expect([item.made, item.nothing, 'made' in item]).toEqual([undefined, undefined, false]);
  });

  test('can be changed, and are kept from then on', async () => {
    const { item, objects } = await older();
    const { list } = item;
    list.push(3);
    item.map.set('a', 1);
    const again = await reopen(objects, [After]);
    const same = again.find(idOf(item)) as After;
    expect([[...same.list], same.map.get('a'), same.count]).toEqual([[1, 2, 3], 1, -1]);
  });

  test('do not come back when they were deleted', async () => {
    const { item, objects } = await older();
    delete (item as Partial<After>).count;
    const made = new After();
    delete (made as Partial<After>).list;
    expect(['count' in item, 'list' in made]).toEqual([false, false]);
    const again = await reopen(objects, [After]);
    const [same, other] = [again.find(idOf(item)) as After, again.find(idOf(made)) as After];
    expect([same.count, 'list' in other, [...same.list]]).toEqual([undefined, false, [1, 2]]);
    same.count = 4;
    expect(same.count).toBe(4);
  });

  test('of a field that comes later still have places of their own', async () => {
    const { item, objects } = await older();
    item.list.push(3);
    const later = class extends After {
      static override durable = { name: 'Item' };
      more: number[] = [9];
    };
    const again = await reopen(objects, [later]);
    const same = again.find(idOf(item)) as InstanceType<typeof later>;
    same.more.push(10);
    await again.plainWrites.flush();
    expect([[...same.list], [...same.more]]).toEqual([
      [1, 2, 3],
      [9, 10],
    ]);
  });

  test('make nothing in addition when an object is new', async () => {
    const objects = await openObjects([After]);
    new After();
    await objects.plainWrites.flush();
    const { entries } = await objects.store.scan(nodeRows, {});
    expect(entries.filter(({ key }) => String(key[1]).includes('~'))).toEqual([]);
    // The object, and what its fields consist of.
    expect(entries).toHaveLength(7);
  });
});
