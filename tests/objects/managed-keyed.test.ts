// Managed maps, sets and plain objects against plain ones: the same calls at random, the same results and contents.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { durableEnum } from '../../src/objects/enumeration.ts';
import { NotStorableError } from '../../src/objects/errors.ts';
import { idOf } from '../../src/objects/graph.ts';
import { openObjects, reopen } from './support/open.ts';

const Color = durableEnum('keyed.Color', ['RED', 'BLUE']);

class Holder extends Durable {
  map = new Map<unknown, unknown>();
  set = new Set<unknown>();
  object: Record<string, unknown> = {};
}

const key = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      '',
      '1',
      1,
      -0,
      0,
      Number.NaN,
      null,
      undefined,
      true,
      1n,
      '1n',
      Color.RED,
      'ref',
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }).map((count) => 'long '.repeat(300 + count)) },
);
const value = fc.oneof(fc.integer(), fc.constantFrom<unknown>(null, undefined, 'x', 'text '.repeat(200)));

type Step =
  | { readonly kind: 'set'; readonly key: unknown; readonly value: unknown }
  | { readonly kind: 'get' | 'delete'; readonly key: unknown }
  | { readonly kind: 'clear' | 'fill' | 'iterate' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('clear' as const, 'fill' as const, 'iterate' as const) }),
  },
);

/** Goes through a collection that changes meanwhile. */
function meet(collection: Map<unknown, unknown> | Set<unknown>, add: (made: unknown) => void): unknown[] {
  const met: unknown[] = [];
  for (const entry of collection) {
    met.push(entry);
    if (met.length === 2) collection.delete(Array.isArray(entry) ? entry[0] : entry);
    if (met.length === 3) add('made meanwhile');
    if (met.length === 5) for (const member of [...collection.keys()].slice(5, 9)) collection.delete(member);
    if (met.length > 500) break;
  }
  return met;
}

function apply(map: Map<unknown, unknown>, set: Set<unknown>, given: Step): unknown[] {
  switch (given.kind) {
    case 'set':
      return [map.set(given.key, given.value) === map, set.add(given.key) === set];
    case 'get':
      return [map.get(given.key), map.has(given.key), set.has(given.key)];
    case 'delete':
      return [map.delete(given.key), set.delete(given.key)];
    case 'clear':
      return [map.clear(), set.clear()];
    case 'fill':
      for (let index = 0; index < 90; index++) {
        map.set(`fill ${index}`, index);
        set.add(`fill ${index}`);
      }
      return [map.size, set.size];
    case 'iterate':
      return [meet(map, (made) => map.set(made, 1)), meet(set, (made) => set.add(made))];
  }
}

test('random calls on maps and sets give what plain ones give', async () => {
  let objects = await openObjects([Holder]);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, isReopened) => {
      const holder = new Holder();
      const [map, set] = [new Map<unknown, unknown>(), new Set<unknown>()];
      for (const given of steps) {
        expect(apply(holder.map, holder.set, given)).toStrictEqual(apply(map, set, given));
        expect([...holder.map]).toStrictEqual([...map]);
        expect([...holder.set]).toStrictEqual([...set]);
        expect([holder.map.size, holder.set.size]).toEqual([map.size, set.size]);
      }
      if (!isReopened) return;
      objects = await reopen(objects, [Holder]);
      const again = objects.find(idOf(holder)) as Holder;
      expect([...again.map.entries()]).toStrictEqual([...map.entries()]);
      expect([...again.set]).toStrictEqual([...set]);
    }),
    { numRuns: 100 },
  );
});

const algebra = [
  'union',
  'intersection',
  'difference',
  'symmetricDifference',
  'isSubsetOf',
  'isSupersetOf',
  'isDisjointFrom',
];

function combine(method: string, set: Set<unknown>, other: Set<unknown>): unknown {
  const result: unknown = Reflect.apply(Reflect.get(set, method) as () => unknown, set, [other]);
  return result instanceof Set ? [result.constructor, ...result] : result;
}

test('random sets have the algebra of sets', async () => {
  await openObjects([Holder]);
  const holder = new Holder();
  const members = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 });
  fc.assert(
    fc.property(members, members, fc.boolean(), (first, second, isManaged) => {
      holder.set = new Set(first);
      holder.object = { second: new Set(second) };
      const other = (isManaged ? holder.object['second'] : new Set(second)) as Set<unknown>;
      const [plain, plainOther] = [new Set<unknown>(first), new Set<unknown>(second)];
      for (const method of algebra) {
        const result = combine(method, holder.set, other);
        expect(result).toStrictEqual(combine(method, plain, plainOther));
        expect(combine(method, plain, other)).toStrictEqual(combine(method, plain, plainOther));
      }
    }),
    { numRuns: 60 },
  );
});

const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', '10', '9', '01', '-1', '4294967295', '') },
  { weight: 2, arbitrary: fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'length') },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 120 }).map((count) => `field ${count}`) },
);

test('random changes of plain objects give what plain ones give', async () => {
  let objects = await openObjects([Holder]);
  const changes = fc.array(fc.tuple(fc.constantFrom('set', 'set', 'delete', 'fill'), name, value), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(changes, fc.boolean(), async (given, isReopened) => {
      const holder = new Holder();
      const plain: Record<string, unknown> = {};
      const check = (managed: object): void => {
        expect(Object.entries(managed)).toStrictEqual(Object.entries(plain));
        expect(JSON.stringify(managed)).toBe(JSON.stringify(plain));
        const names: string[] = [];
        for (const member in managed) names.push(member);
        expect(names).toEqual(Object.keys(plain));
        expect({ ...managed }).toStrictEqual({ ...plain });
      };
      for (const [kind, member, changed] of given) {
        for (const target of [holder.object, plain]) {
          if (kind === 'set') target[member] = changed;
          else if (kind === 'delete') Reflect.deleteProperty(target, member);
          else
            Object.assign(target, Object.fromEntries(Array.from({ length: 40 }, (_, count) => [`field ${count}`, 1])));
        }
        expect(member in holder.object).toBe(member in plain);
        expect(Object.hasOwn(holder.object, member)).toBe(Object.hasOwn(plain, member));
        expect(holder.object[member]).toStrictEqual(plain[member]);
        check(holder.object);
      }
      if (!isReopened) return;
      objects = await reopen(objects, [Holder]);
      check((objects.find(idOf(holder)) as Holder).object);
    }),
    { numRuns: 60 },
  );
});

describe('managed maps and sets', () => {
  test('are maps and sets to everybody', async () => {
    await openObjects([Holder]);
    const holder = new Holder();
    holder.map = new Map<unknown, unknown>([['a', 1]]);
    holder.set = new Set([1, 2]);
    expect(holder.map).toBeInstanceOf(Map);
    expect(holder.set).toBeInstanceOf(Set);
    expect(new Map(holder.map)).toStrictEqual(new Map([['a', 1]]));
    expect(new Set(holder.set)).toStrictEqual(new Set([1, 2]));
    expect(Object.fromEntries(holder.map as Map<string, number>)).toEqual({ a: 1 });
    expect(JSON.stringify(holder.map)).toBe('{}');
    expect([...holder.set.entries()]).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(Map.groupBy(holder.set, (member) => Number(member) % 2)).toEqual(
      new Map([
        [1, [1]],
        [0, [2]],
      ]),
    );
    const seen: unknown[] = [];
    holder.map.forEach(function each(this: unknown, ...given) {
      seen.push(this, given);
    }, 'self');
    expect(seen).toEqual(['self', [1, 'a', holder.map]]);
    expect(Object.prototype.toString.call(holder.map)).toBe('[object Map]');
  });

  test('have no method that looks past them', async () => {
    await openObjects([Holder]);
    const { map, set } = new Holder();
    for (const [managed, base] of [
      [map, Map],
      [set, Set],
    ] as const) {
      const own = Reflect.ownKeys(Object.getPrototypeOf(managed) as object);
      const inherited = Reflect.ownKeys(base.prototype).filter((method) => !own.includes(method));
      expect(inherited).toEqual([Symbol.toStringTag]);
    }
  });

  test('are not copied as empty ones', async () => {
    await openObjects([Holder]);
    const { map, set } = new Holder();
    expect(() => structuredClone(map)).toThrow(/new Map\(it\).*could not be cloned/s);
    expect(() => structuredClone({ set })).toThrow(/could not be cloned/);
  });

  test('take durable objects, dates, bytes and enumerations for keys', async () => {
    const objects = await openObjects([Holder]);
    const [holder, other] = [new Holder(), new Holder()];
    const keys = [other, new Date(5), new Uint8Array([1]), Color.BLUE];
    for (const given of keys) {
      holder.map.set(given, 'found');
      holder.set.add(given);
    }
    const again = (await reopen(objects, [Holder])).find(idOf(holder)) as Holder;
    const sameKeys = [[...again.set][0], new Date(5), new Uint8Array([1]), Color.BLUE];
    for (const given of sameKeys) expect([again.map.get(given), again.set.has(given)]).toEqual(['found', true]);
    for (const given of [{}, [], () => 1, Symbol('x'), { enumeration: 1 }, new Map()])
      expect([again.map.get(given), again.map.has(given), again.map.delete(given), again.set.has(given)]).toEqual([
        undefined,
        false,
        false,
        false,
      ]);
    for (const member of again.set) again.set.delete(member);
    expect(again.set.size).toBe(0);
    expect(() => again.map.set(() => 1, 1)).toThrow(NotStorableError);
  });
});

describe('a managed plain object', () => {
  test('cannot be used to reach prototypes', async () => {
    const objects = await openObjects([Holder]);
    const holder = new Holder();
    holder.object = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": 5}}') as object as Record<
      string,
      unknown
    >;
    holder.map.set('__proto__', { polluted: 1 });
    const check = ({ object, map }: Holder): void => {
      expect('polluted' in {} || 'polluted' in object).toBe(false);
      expect(Object.keys(object)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      expect(JSON.stringify(object)).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":5}}');
      expect(JSON.stringify(map.get('__proto__'))).toBe('{"polluted":1}');
    };
    check(holder);
    check((await reopen(objects, [Holder])).find(idOf(holder)) as Holder);
  });

  test('keeps members that can be changed and seen only', async () => {
    await openObjects([Holder]);
    const { object } = new Holder();
    expect(() => Object.defineProperty(object, 'x', { get: () => 1 })).toThrow(NotStorableError);
    expect(() => Object.defineProperty(object, 'x', { value: 1, enumerable: false })).toThrow(NotStorableError);
    expect(() => Object.defineProperty(object, 'x', { value: 1, configurable: false })).toThrow(NotStorableError);
    expect(() => Object.freeze(object)).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(object, null) as unknown).toThrow(TypeError);
    expect(() => ((object as Record<symbol, unknown>)[Symbol('x')] = 1)).toThrow(NotStorableError);
    expect(() => structuredClone(object)).toThrow(/could not be cloned/);
    expect(Object.keys(object)).toEqual([]);
  });
});
