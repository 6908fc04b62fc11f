// A handle gives exactly what the application exposed, and stands for one object.
import { expect, it } from 'vitest';
import { expose, InvalidOptionError, revoke } from '../../src/index.ts';
import { errorOf, openKit, openWorkspace, valueOf } from './support/kits.ts';

class Person {
  #secret = 'private';
  _internal = 'internal';
  readonly friends: Person[] = [];
  name: string;

  constructor(name: string) {
    this.name = name;
  }

  get initial(): string {
    return this.name.slice(0, 1);
  }

  greet(other: string): string {
    return `${this.name} greets ${other}`;
  }

  meet(other: Person): void {
    this.friends.push(other);
  }

  reveal(): string {
    return this.#secret;
  }
}

it('has fields and methods of its class, and nothing else', async () => {
  const ann = new Person('Ann');
  const workspace = await openWorkspace({ vars: { ann } });
  expect(await valueOf(workspace, '[ann.name, ann.initial, ann.greet("Bob"), ann.reveal()]')).toEqual([
    'Ann',
    'A',
    'Ann greets Bob',
    'private',
  ]);
  expect(await valueOf(workspace, 'ann.name = "Anna"; ann.name')).toBe('Anna');
  expect(ann.name).toBe('Anna');
  expect(await valueOf(workspace, '[ann._internal, ann.secret, ann.missing, Object.keys(ann).sort()]')).toEqual([
    undefined,
    undefined,
    undefined,
    ['friends', 'initial', 'name'],
  ]);
  expect(
    await valueOf(
      workspace,
      '[ann instanceof Object, ann.constructor === Object, Object.getOwnPropertySymbols(ann).length]',
    ),
  ).toEqual([true, true, 0]);
  expect((await errorOf(workspace, 'ann.initial = "X"')).name).toBe('TypeError');
  expect((await errorOf(workspace, 'ann.added = 1')).name).toBe('TypeError');
  expect((await errorOf(workspace, 'delete ann.name')).name).toBe('TypeError');
});

it('shows only what was chosen', async () => {
  const ann = expose(new Person('Ann'), { fields: ['name'], methods: ['greet'], readonly: true, name: 'Colleague' });
  const workspace = await openWorkspace({ vars: { ann } });
  expect(await valueOf(workspace, '[Object.keys(ann), ann.reveal, String(ann), ann.greet("x")]')).toEqual([
    ['name'],
    undefined,
    '[object Colleague]',
    'Ann greets x',
  ]);
  expect((await errorOf(workspace, 'ann.name = "B"')).name).toBe('TypeError');
  expect(ann.name).toBe('Ann');
});

it('keeps single fields from being assigned', async () => {
  const record = expose({ id: 7, note: 'a', save: () => true }, { readonly: ['id'] });
  const workspace = await openWorkspace({ vars: { record } });
  await workspace.run('record.note = "b"');
  expect((await errorOf(workspace, 'record.id = 8')).name).toBe('TypeError');
  expect(record).toMatchObject({ id: 7, note: 'b' });
});

it('is the same handle for the same object', async () => {
  const ann = new Person('Ann');
  const bob = new Person('Bob');
  ann.friends.push(bob, ann);
  const kit = await openKit({ services: { ann, bob } });
  const workspace = await kit.workspace('main', { vars: { ann, bob } });
  expect(
    await valueOf(workspace, '[ann.friends[0] === bob, ann.friends[1] === ann, new Set([bob, ann.friends[0]]).size]'),
  ).toEqual([true, true, 1]);
  await workspace.run('const keep = new Map([[bob, "b"]]);');
  expect(await valueOf(workspace, 'keep.get(ann.friends[0])')).toBe('b');
});

it('gives the application its own object back', async () => {
  const ann = new Person('Ann');
  const bob = new Person('Bob');
  const workspace = await openWorkspace({ vars: { ann, bob } });
  expect(await valueOf(workspace, 'ann.meet(bob); ann.friends[0]')).toBe(bob);
  expect(ann.friends[0]).toBe(bob);
});

it('gives arrays and iterables as arrays of handles', async () => {
  const people = [new Person('Ann'), new Person('Bob')];
  const directory = {
    all: () => people,
    each: function* each() {
      yield* people;
    },
    iterable: () => ({ [Symbol.iterator]: () => people.values() }),
  };
  const workspace = await openWorkspace({ vars: { directory } });
  for (const call of ['all', 'each', 'iterable'])
    expect(
      await valueOf(
        workspace,
        `(() => { const found = directory.${call}(); return [Array.isArray(found), found.map((p) => p.name)]; })()`,
      ),
    ).toEqual([true, ['Ann', 'Bob']]);
});

it('can be withdrawn', async () => {
  const ann = new Person('Ann');
  const workspace = await openWorkspace({ vars: { ann } });
  await workspace.run('const alias = { inner: ann };');
  revoke(ann);
  expect(await errorOf(workspace, 'ann.name')).toMatchObject({ name: 'HandleError', code: 'HANDLE' });
  expect((await errorOf(workspace, 'alias.inner.greet("x")')).code).toBe('HANDLE');
  expose(ann);
  expect(await valueOf(workspace, 'alias.inner.name')).toBe('Ann');
});

it('cannot be used by another workspace', async () => {
  const kit = await openKit();
  const received: unknown[] = [];
  const one = await kit.workspace('one', {
    vars: { ann: new Person('Ann'), log: (value: unknown) => void received.push(value) },
  });
  await kit.workspace('two', { vars: { bob: new Person('Bob') } });
  expect(await valueOf(one, 'typeof bob')).toBe('undefined');
});

it('lets guest functions be called while a call lasts', async () => {
  let kept: ((value: number) => number) | undefined;
  const numbers = {
    map: (values: number[], change: (value: number) => number) => values.map((value) => change(value)),
    keep: (callback: (value: number) => number) => void (kept = callback),
    later: () => kept?.(1),
  };
  const workspace = await openWorkspace({ vars: { numbers } });
  expect(
    await valueOf(workspace, 'let calls = 0; numbers.map([1, 2, 3], (n) => { calls++; return n * 10; }).concat(calls)'),
  ).toEqual([10, 20, 30, 3]);
  expect((await errorOf(workspace, 'numbers.map([1], () => { throw new RangeError("from inside"); })')).message).toBe(
    'from inside',
  );
  await workspace.run('numbers.keep((n) => n)');
  expect((await errorOf(workspace, 'numbers.later()')).message).toMatch(/only while the call/);
});

it('refuses options that mean nothing', () => {
  expect(() => expose({}, { hidden: ['x'] } as never)).toThrow(InvalidOptionError);
  expect(() => expose({}, { live: true })).toThrow(/arrays, Maps and Sets/);
});
