// Singletons: one per space; what is stored wins over the initial values of fields, and new fields get theirs.
import { expect, test } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { DurableClassError } from '../../src/objects/errors.ts';
import { exists, idOf, remove } from '../../src/objects/graph.ts';
import { fieldsOf, openObjects, reopen } from './support/open.ts';

class Root extends Durable {
  static durable = { singleton: true };
  title = 'untitled';
  count = 0;
  list: number[] = [];
  unset?: string;
}

const computed = 'x' as const;

test('new gives the one that exists, with what is stored in it', async () => {
  const objects = await openObjects([Root]);
  const root = new Root();
  root.title = 'mine';
  root.count = 5;
  root.list.push(1);
  root.unset = 'set';
  const same = new Root();
  expect(same).toBe(root);
  expect(fieldsOf(same)).toEqual({ title: 'mine', count: 5, list: [1], unset: 'set' });
  await objects.plainWrites.flush();
  const revision = await objects.store.revision();
  expect(fieldsOf(new Root())).toEqual(fieldsOf(root));
  await objects.plainWrites.flush();
  // Asking for it writes nothing.
  expect(await objects.store.revision()).toBe(revision);
  await reopen(objects, [Root]);
  expect(new Root().title).toBe('mine');
});

test('fields that the class has got since have their initial value', async () => {
  const before = class Settings extends Durable {
    static durable = { singleton: true };
    theme = 'light';
  };
  const objects = await openObjects([before]);
  new before().theme = 'dark';
  const after = class Settings extends Durable {
    static durable = { singleton: true };
    size = 10;
    theme = 'light';
    names = ['a'];
  };
  await reopen(objects, [after]);
  const settings = new after();
  expect([settings.theme, settings.size, [...settings.names]]).toEqual(['dark', 10, ['a']]);
  settings.size = 11;
  expect(new after().size).toBe(11);
});

test('one over a base that sets its fields keeps what is stored, too', async () => {
  const before = class Page extends Durable.over(
    class {
      title = 'untitled';
    },
  ) {
    static durable = { singleton: true };
  };
  const objects = await openObjects([before]);
  new before().title = 'mine';
  const after = class Page extends Durable.over(
    class {
      title = 'untitled';
      size = 3;
    },
  ) {
    static durable = { singleton: true };
  };
  await reopen(objects, [after]);
  expect(fieldsOf(new after())).toEqual({ title: 'mine', size: 3 });
});

test('a class that was renamed finds the one it had', async () => {
  const before = class Config extends Durable {
    static durable = { singleton: true };
    value = 1;
  };
  const objects = await openObjects([before]);
  new before().value = 2;
  const after = class Options extends Durable {
    static durable = { singleton: true, formerNames: ['Config'] };
    value = 1;
  };
  const again = await reopen(objects, [after]);
  const options = new after();
  expect(options.value).toBe(2);
  expect(again.singleton(after)).toBe(options);
  remove(options);
  expect(again.singleton(after)).toBeUndefined();
  expect(exists(new after())).toBe(true);
});

test('there is one in each space, and another after it was removed', async () => {
  const objects = await openObjects([Root]);
  const root = new Root();
  const other = objects.spaces.use('other', () => new Root());
  expect(other).not.toBe(root);
  expect(objects.spaces.use('other', () => new Root())).toBe(other);
  const id = idOf(root);
  remove(root);
  expect(idOf(new Root())).not.toBe(id);
});

test('one that would set its values anew each time is refused', async () => {
  class Making extends Durable {
    static durable = { singleton: true };
    value: number;
    constructor() {
      super();
      this.value = 1;
    }
  }
  class Computed extends Durable {
    static durable = { singleton: true };
    [computed] = 1;
  }
  await expect(openObjects([Making])).rejects.toThrow(DurableClassError);
  await expect(openObjects([Computed])).rejects.toThrow(/Declare them as class fields/);
  const objects = await openObjects([Root]);
  class Plain extends Durable {}
  expect(() => objects.singleton(Plain)).toThrow(/not registered/);
});
