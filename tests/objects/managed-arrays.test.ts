// A managed array against a plain one: the same calls at random, the same results, the same contents.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { NotStorableError } from '../../src/objects/errors.ts';
import { idOf, remove } from '../../src/objects/graph.ts';
import { openObjects, reopen } from './support/open.ts';

class Holder extends Durable {
  list: unknown[] = [];
}

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 30 }),
  fc.constantFrom<unknown>('a', 'b', '', null, undefined, Number.NaN, -0, true, 7n),
);
/** Texts so long that a few of them make the list go into parts. */
const value = fc.oneof({ weight: 9, arbitrary: scalar }, { weight: 1, arbitrary: fc.constant('long '.repeat(300)) });
const values = fc.array(value, { maxLength: 6 });
const position = fc.oneof(
  fc.integer({ min: -12, max: 90 }),
  fc.constantFrom<unknown>(undefined, Number.NaN, 1.7, '2', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, null),
);

type Call = readonly [name: string, ...parameters: unknown[]];

const call = (name: string, ...parameters: fc.Arbitrary<unknown>[]): fc.Arbitrary<Call> =>
  fc.tuple(fc.constant(name), ...parameters) as fc.Arbitrary<unknown> as fc.Arbitrary<Call>;

const comparator = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0);
const isText = (element: unknown): boolean => typeof element === 'string';

const anyCall: fc.Arbitrary<Call> = fc.oneof(
  values.map((given): Call => ['push', ...given]),
  fc.array(value, { minLength: 30, maxLength: 80 }).map((given): Call => ['push', ...given]),
  values.map((given): Call => ['unshift', ...given]),
  call('pop'),
  call('shift'),
  fc.tuple(position, position, values).map(([start, count, given]): Call => ['splice', start, count, ...given]),
  call('splice'),
  call('splice', position),
  call('splice', position, position),
  call('slice', position, position),
  call('slice'),
  call('at', position),
  call('with', fc.integer({ min: -5, max: 5 }), value),
  call('concat', values, value),
  call('includes', value, position),
  call('indexOf', value),
  call('indexOf', value, position),
  call('lastIndexOf', value),
  call('lastIndexOf', value, fc.integer({ min: -9, max: 9 })),
  call('join', fc.constantFrom<unknown>(',', '', undefined)),
  call('toString'),
  call('reverse'),
  call('toReversed'),
  call('sort'),
  call('sort', fc.constant(comparator)),
  call('toSorted', fc.constant(comparator)),
  fc.tuple(position, position, values).map(([start, count, given]): Call => ['toSpliced', start, count, ...given]),
  call('fill', value, position, position),
  call('copyWithin', position, position, position),
  call(
    'map',
    fc.constant((element: unknown, index: number) => [index, element]),
  ),
  call('filter', fc.constant(isText)),
  call('find', fc.constant(isText)),
  call('findIndex', fc.constant(isText)),
  call('findLast', fc.constant(isText)),
  call('findLastIndex', fc.constant(isText)),
  call('some', fc.constant(isText)),
  call('every', fc.constant(isText)),
  call('forEach', fc.constant(isText)),
  call('flat'),
  call(
    'flatMap',
    fc.constant((element: unknown) => [element, element]),
  ),
  call(
    'reduce',
    fc.constant((total: unknown, element: unknown) => `${String(total)}|${String(element)}`),
    fc.constant(''),
  ),
  call(
    'reduceRight',
    fc.constant((total: unknown, element: unknown) => `${String(total)}|${String(element)}`),
  ),
  call('keys'),
  call('values'),
  call('entries'),
  call('toLocaleString'),
  call('set length', fc.integer({ min: 0, max: 80 })),
  call('set', fc.nat(80), value),
  call('delete', fc.nat(10)),
);

/** What a call gives or throws, in a form that can be compared. */
function outcome(list: unknown[], [name, ...parameters]: Call): unknown {
  try {
    if (name === 'set length') return Reflect.set(list, 'length', Math.min(parameters[0] as number, list.length));
    // No holes: behind the end is refused, and has its own test.
    if (name === 'set') return Reflect.set(list, String(Math.min(parameters[0] as number, list.length)), parameters[1]);
    if (name === 'delete')
      return (parameters[0] as number) < list.length && Reflect.set(list, String(parameters[0]), undefined);
    const result: unknown = Reflect.apply(Reflect.get(list, name) as () => unknown, list, parameters);
    if (result === list) return 'itself';
    return ['keys', 'values', 'entries'].includes(name) ? [...(result as Iterable<unknown>)] : result;
  } catch (error) {
    return [(error as Error).name];
  }
}

describe('random calls', () => {
  test('give what an array gives', async () => {
    let objects = await openObjects([Holder]);
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 30 }), fc.boolean(), async (calls, isReopened) => {
        const holder = new Holder();
        const plain: unknown[] = [];
        for (const given of calls) {
          expect(outcome(holder.list, given)).toStrictEqual(outcome(plain, given));
          expect([...holder.list]).toStrictEqual(plain);
          expect(holder.list.length).toBe(plain.length);
        }
        if (!isReopened) return;
        objects = await reopen(objects, [Holder]);
        const again = (objects.find(idOf(holder)) as Holder).list;
        expect(Object.entries(again)).toStrictEqual(Object.entries(plain));
      }),
      { numRuns: 400 },
    );
  });

  test('every method of an array was called', () => {
    const known = new Set(fc.sample(anyCall, 5000).map(([name]) => name));
    const missing = Object.getOwnPropertyNames(Array.prototype).filter((name) => !known.has(name));
    expect(missing).toEqual(['length', 'constructor']);
  });
});

async function both(given: unknown[]): Promise<[managed: unknown[], plain: unknown[]]> {
  await openObjects([Holder]);
  const holder = new Holder();
  holder.list = given;
  return [holder.list, [...given]];
}

const large = Array.from({ length: 400 }, (_, index) => index);

describe.each([
  ['small', [1, 2, 3, 4, 5]],
  ['in parts', large],
])('a managed array (%s)', (_name, given) => {
  test('is an array to everybody', async () => {
    const [managed, plain] = await both(given);
    expect(Array.isArray(managed)).toBe(true);
    expect(managed).toBeInstanceOf(Array);
    expect(managed).toEqual(plain);
    expect(JSON.stringify({ managed })).toBe(JSON.stringify({ managed: plain }));
    expect([...managed, ...managed]).toEqual([...plain, ...plain]);
    expect(Math.max(...(managed as number[]))).toBe(Math.max(...(plain as number[])));
    const [first, , third = 'none', ...rest] = managed;
    expect([first, third, rest]).toEqual([plain[0], plain[2], plain.slice(3)]);
    expect(Array.from(managed, String)).toEqual(plain.map(String));
    expect([0].concat(managed as number[])).toEqual([0, ...plain]);
    expect(Object.keys(managed)).toEqual(Object.keys(plain));
    expect('0' in managed && !('9999' in managed) && !('-1' in managed)).toBe(true);
    expect(managed[-1]).toBeUndefined();
    expect(String(managed)).toBe(String(plain));
    expect(new Set(managed).size).toBe(plain.length);
    expect(() => structuredClone(managed)).toThrow(/could not be cloned/);
    expect(structuredClone([...managed])).toEqual(plain);
    expect(Object.prototype.toString.call(managed)).toBe('[object Array]');
  });

  test('is iterated as it is at each step', async () => {
    const seen: unknown[][] = [];
    for (const list of await both(given)) {
      const met: unknown[] = [];
      for (const element of list) {
        met.push(element);
        if (element === 2) list.splice(0, 1);
        if (element === 4) list.push('new');
        if (met.length > 1000) break;
      }
      seen.push(met);
      const iterator = list.values();
      while (iterator.next().done !== true);
      list.push('late');
      expect(iterator.next().done).toBe(true);
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  test('keeps elements only', async () => {
    const [managed, plain] = await both(given);
    expect(() => (managed[managed.length + 1] = 1)).toThrow(NotStorableError);
    expect(() => (managed.length = plain.length + 1)).toThrow(/holes/);
    expect(() => Object.assign(managed, { total: 1 })).toThrow(/not the property 'total'/);
    expect(() => Object.freeze(managed)).toThrow(TypeError);
    expect(() => Object.defineProperty(managed, '0', { get: () => 1 })).toThrow(NotStorableError);
    expect(() => Object.defineProperty(managed, '0', { value: 1, configurable: false })).toThrow(NotStorableError);
    expect(() => (managed.length = -1)).toThrow(RangeError);
    expect(() => Object.setPrototypeOf(managed, {}) as unknown).toThrow(TypeError);
    expect(managed).toEqual(plain);
  });
});

test('an array is put in order with what is gone in it, and all at once', async () => {
  await openObjects([Holder]);
  const [holder, gone] = [new Holder(), new Holder()];
  holder.list = [3, gone, 1, undefined];
  remove(gone);
  const shown = (): unknown[] => [...holder.list].map((element) => (element === gone ? 'gone' : element));
  holder.list.reverse();
  expect(shown()).toEqual([undefined, 1, 'gone', 3]);
  const fail = (): never => {
    throw new Error('no order');
  };
  expect(() => holder.list.sort(fail)).toThrow('no order');
  expect(shown()).toEqual([undefined, 1, 'gone', 3]);
  holder.list.sort((a, b) => (a === gone ? -1 : b === gone ? 1 : 0));
  expect(shown()).toEqual(['gone', 1, 3, undefined]);
  holder.list.copyWithin(1, 0, 1);
  expect(shown()).toEqual(['gone', 'gone', 3, undefined]);
  holder.list.fill(JSON.parse('{}'), 1);
  expect(holder.list[1]).toBe(holder.list[3]);
});

test('elements of a nested array are changed where they are', async () => {
  const objects = await openObjects([Holder]);
  const holder = new Holder();
  holder.list = [[1, { deep: [2] }]];
  (holder.list[0] as [number, { deep: number[] }])[1].deep.push(3);
  const again = (await reopen(objects, [Holder])).find(idOf(holder)) as Holder;
  expect(again.list).toEqual([[1, { deep: [2, 3] }]]);
});
