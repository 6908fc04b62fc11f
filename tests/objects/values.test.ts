// Every kind of value that can be kept comes back as it was, after reopening too; every other is refused with its path.
import { expect, test } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { durableEnum } from '../../src/objects/enumeration.ts';
import { NotStorableError } from '../../src/objects/errors.ts';
import { idOf } from '../../src/objects/graph.ts';
import { openObjects, openTestStore, reopen, storeFolder, thrownBy } from './support/open.ts';

const Status = durableEnum('values.Status', ['OPEN', 'DONE']);

class Box extends Durable {
  [name: string]: unknown;
}

/** The same box after the store was closed for this object graph and opened again. */
async function afterReopening(fill: (box: Box) => void): Promise<Box> {
  const objects = await openObjects([Box]);
  const box = new Box();
  fill(box);
  const again = (await reopen(objects, [Box])).find(idOf(box)) as Box;
  expect(again).not.toBe(box);
  return again;
}

const scalars: Record<string, unknown> = {
  text: 'grüße 🌍',
  empty: '',
  'text with zero': 'a\0b',
  'lone surrogate': '\ud800',
  number: 1.5,
  'not a number': Number.NaN,
  'minus zero': -0,
  infinity: Number.POSITIVE_INFINITY,
  'minus infinity': Number.NEGATIVE_INFINITY,
  largest: Number.MAX_VALUE,
  smallest: Number.MIN_VALUE,
  true: true,
  false: false,
  null: null,
  undefined,
  bigint: 2n ** 200n,
  'negative bigint': -7n,
  date: new Date('2024-02-29T12:00:00.123Z'),
  'date before year 0': new Date(-9e13),
  bytes: new Uint8Array([0, 127, 255]),
  'no bytes': new Uint8Array(),
  enum: Status.DONE,
};

test.each(Object.entries(scalars))('%s comes back as it was', async (_name, value) => {
  const box = await afterReopening((made) => {
    made['alone'] = value;
    made['list'] = [value];
    made['map'] = new Map([['key', value]]);
    made['object'] = { member: value };
  });
  expect(box['alone']).toStrictEqual(value);
  expect(Object.is(box['alone'], value) || typeof value === 'object').toBe(true);
  expect((box['list'] as unknown[])[0]).toStrictEqual(value);
  expect((box['map'] as Map<string, unknown>).get('key')).toStrictEqual(value);
  expect((box['object'] as { member: unknown }).member).toStrictEqual(value);
  expect(Object.keys(box)).toEqual(['alone', 'list', 'map', 'object']);
});

test('an invalid date stays one', async () => {
  const box = await afterReopening((made) => (made['date'] = new Date(Number.NaN)));
  expect(box['date']).toBeInstanceOf(Date);
  expect((box['date'] as Date).getTime()).toBeNaN();
});

test('a kept date is a date to everybody, and cannot be changed in place', async () => {
  const box = await afterReopening((made) => (made['date'] = new Date(0)));
  const date = box['date'] as Date;
  expect(date).toBeInstanceOf(Date);
  expect(date.constructor).toBe(Date);
  expect(JSON.stringify(box)).toBe('{"date":"1970-01-01T00:00:00.000Z"}');
  expect(structuredClone(date)).toEqual(new Date(0));
  const setters = Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set'));
  expect(setters.length).toBeGreaterThan(10);
  for (const name of setters) {
    const setter = Reflect.get(date, name) as (value: number) => void;
    expect(() => Reflect.apply(setter, date, [1])).toThrow('Assign a new date');
  }
  expect(date.getTime()).toBe(0);
});

test('bytes are a value: what is read is a copy', async () => {
  const objects = await openObjects([Box]);
  const box = new Box();
  const given = Buffer.from([1, 2, 3]);
  box['bytes'] = given;
  given[0] = 9;
  (box['bytes'] as Uint8Array)[1] = 9;
  expect(box['bytes']).toStrictEqual(new Uint8Array([1, 2, 3]));
  await objects.plainWrites.flush();
});

test('nested data, shared parts and cycles keep their shape', async () => {
  const box = await afterReopening((made) => {
    const shared = { name: 'shared' };
    const circle: Record<string, unknown> = { shared };
    circle['self'] = circle;
    made['data'] = { first: shared, second: [shared, new Map([[1, new Set([shared])]])], circle };
    made['self'] = made;
  });
  const data = box['data'] as {
    first: object;
    second: [object, Map<number, Set<object>>];
    circle: { self: object; shared: object };
  };
  expect(data.second[0]).toBe(data.first);
  expect([...(data.second[1].get(1) ?? [])][0]).toBe(data.first);
  expect(data.circle.self).toBe(data.circle);
  expect(data.circle.shared).toBe(data.first);
  expect(box['self']).toBe(box);
});

test('what is given together is shared together', async () => {
  await openObjects([Box]);
  const box = new Box();
  const shared = { name: 'shared' };
  box['list'] = [];
  box['map'] = new Map();
  (box['list'] as unknown[]).push(shared, shared);
  (box['map'] as Map<unknown, unknown>).set(shared, shared);
  const [first, second] = box['list'] as object[];
  expect(first).toBe(second);
  const [[key, value]] = [...(box['map'] as Map<object, object>)] as [[object, object]];
  expect(key).toBe(value);
});

class Money {
  amount = 1;
}
class Names extends Map<string, string> {}
class Numbers extends Set<number> {}
class Stack extends Array<number> {}

const refused: Record<string, [value: unknown, path: string, reason: RegExp]> = {
  'a function': [() => 1, '', /function/],
  'a symbol': [Symbol('x'), '', /symbol/],
  'an instance': [new Money(), '', /an instance of Money.*extend Durable/],
  'a class': [Money, '', /the function Money/],
  'a promise': [Promise.resolve(), '', /Await it/],
  'a regular expression': [/x/, '', /RegExp/],
  'an error': [new Error('x'), '', /instance of Error/],
  'a weak map': [new WeakMap(), '', /WeakMap/],
  floats: [new Float64Array(1), '', /Uint8Array/],
  'a buffer': [new ArrayBuffer(1), '', /Uint8Array/],
  'a boxed number': [Object(1), '', /Number/],
  'a map of its own kind': [new Names(), '', /Names/],
  'a set of its own kind': [new Numbers(), '', /Numbers/],
  'an array of its own kind': [new Stack(), '', /Stack/],
  'an array with a member': [Object.assign([1], { total: 1 }), '.total', /member/],
  'a match': [/a/.exec('a'), '.index', /member/],
  'a map with a member': [Object.assign(new Map(), { total: 1 }), '.total', /member/],
  'a date with a member': [Object.assign(new Date(), { zone: 'x' }), '.zone', /member/],
  // eslint-disable-next-line no-sparse-arrays
  'a hole': [[1, , 3], '[1]', /hole/],
  'a getter': [
    {
      get now() {
        return 1;
      },
    },
    '.now',
    /getter/,
  ],
  'a setter': [
    {
      set now(_value: number) {
        /* nothing */
      },
    },
    '.now',
    /getter|setter/,
  ],
  'a hidden member': [Object.defineProperty({}, 'x', { value: 1 }), '.x', /non-enumerable/],
  'a symbol for a name': [{ [Symbol('x')]: 1 }, '', /symbol/],
  'deep inside': [{ a: [1, new Map([['k', { b: new Set([Money]) }]])] }, '.a[1] (a value).b (a member)', /Money/],
};

test.each(Object.entries(refused))('%s is refused with its path, and nothing has changed', async (_name, given) => {
  const [value, path, reason] = given;
  const objects = await openObjects([Box]);
  const box = new Box();
  box['field'] = 'before';
  box['list'] = [1];
  await objects.plainWrites.flush();
  const revision = await objects.store.revision();
  const error = thrownBy(() => (box['field'] = value));
  expect(error).toBeInstanceOf(NotStorableError);
  expect(error.message).toMatch(reason);
  expect(error.details?.['path']).toBe(`Box.field${path}`);
  expect(error.message).toContain(`Box.field${path} `);
  expect(() => (box['list'] as unknown[]).push({ fine: 1 }, value)).toThrow(NotStorableError);
  expect(box['field']).toBe('before');
  expect(box['list']).toEqual([1]);
  await objects.plainWrites.flush();
  // Not even what was stored before the refused part was met.
  expect(await objects.store.revision()).toBe(revision);
});

test('objects of another kit are refused', async () => {
  class Other extends Durable {}
  await openObjects([Box]);
  await openObjects([Other]);
  const box = new Box();
  const other = new Other();
  expect(() => (box['other'] = other)).toThrow(/another kit/);
});

test('texts and bytes that no record holds are refused where they are assigned', async () => {
  await openObjects([Box]);
  const box = new Box();
  expect(() => (box['text'] = { long: 'x'.repeat(17 * 2 ** 20) })).toThrow(/Box\.text\.long cannot be stored/);
  expect(() => (box['bytes'] = new Uint8Array(17 * 2 ** 20))).toThrow(/Box\.bytes cannot be stored/);
  box['text'] = 'x'.repeat(2 ** 20);
  expect((box['text'] as string).length).toBe(2 ** 20);
});

test('nesting past any reason is refused, a thousand levels are not', async () => {
  await openObjects([Box]);
  const box = new Box();
  const nested = (levels: number): unknown => {
    let value: unknown = 'core';
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  expect(() => (box['deep'] = nested(100_000))).toThrow(NotStorableError);
  box['deep'] = nested(1000);
  let value: unknown = box['deep'];
  while (Array.isArray(value)) value = (value as unknown[])[0];
  expect(value).toBe('core');
});

test('everything is there after the file was closed and opened', async () => {
  const folder = storeFolder();
  const objects = await openObjects([Box], await openTestStore(folder));
  const box = new Box();
  for (const [name, value] of Object.entries(scalars)) box[name] = value;
  await objects.plainWrites.flush();
  objects.close();
  await objects.store.close();
  const again = await openObjects([Box], await openTestStore(folder));
  expect({ ...again.find(idOf(box)) }).toStrictEqual(scalars);
});
