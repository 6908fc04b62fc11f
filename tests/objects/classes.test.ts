// Durable classes behave like any class: what an engineer used to plain objects does with them works, or says why not.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { DurableClass } from '../../src/objects/declaration.ts';
import { Durable } from '../../src/objects/durable.ts';
import { DurableClassError, NoKitError, NotStorableError } from '../../src/objects/errors.ts';
import { idOf, remove } from '../../src/objects/graph.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { fieldsOf, openObjects, reopen, thrownBy } from './support/open.ts';

class Person extends Durable {
  name: string;
  friends: Person[] = [];
  nickname?: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  get shout(): string {
    return this.name.toUpperCase();
  }

  get initial(): string {
    return this.name.charAt(0);
  }

  set initial(letter: string) {
    this.name = letter + this.name.slice(1);
  }

  greet(other: Person): string {
    return `${this.name} greets ${other.name}`;
  }

  static make(name: string): Person {
    return new this(name);
  }
}

class Employee extends Person {
  salary = 100;

  override greet(other: Person): string {
    return `${super.greet(other)} politely`;
  }

  raise(by: number): void {
    this.salary += by;
  }
}

class Shape {
  color = 'red';
  corners: number;

  constructor(corners: number) {
    this.corners = corners;
  }

  describe(): string {
    return `${this.color} with ${this.corners} corners`;
  }
}

class Square extends Durable.over(Shape) {
  size = 1;

  constructor() {
    super(4);
  }
}

describe('a durable object', () => {
  test('has methods, accessors, statics and inheritance, also after reopening', async () => {
    const objects = await openObjects([Person, Employee]);
    const [ann, bob] = [Employee.make('ann') as Employee, new Person('bob')];
    bob.initial = 'B';
    ann.friends.push(bob);
    ann.raise(50);
    const again = (await reopen(objects, [Person, Employee])).find(idOf(ann)) as Employee;
    expect(again).toBeInstanceOf(Employee);
    expect(again).toBeInstanceOf(Person);
    expect(again).toBeInstanceOf(Durable);
    expect(again.constructor).toBe(Employee);
    expect(again.friends[0]?.shout).toBe('BOB');
    expect(again.friends[0]).not.toBeInstanceOf(Employee);
    expect(again.greet(again.friends[0] as Person)).toBe('ann greets Bob politely');
    expect(again.salary).toBe(150);
    expect(() => ((again as { shout: string }).shout = 'x')).toThrow(TypeError);
  });

  test('is listed, spread, copied and printed like any object', async () => {
    await openObjects([Person]);
    const ann = new Person('ann');
    ann.nickname = 'A';
    expect(Object.keys(ann)).toEqual(['name', 'friends', 'nickname']);
    expect(Object.entries(ann)).toEqual([
      ['name', 'ann'],
      ['friends', []],
      ['nickname', 'A'],
    ]);
    expect(fieldsOf(ann)).toEqual({ name: 'ann', friends: [], nickname: 'A' });
    expect(JSON.stringify(ann)).toBe('{"name":"ann","friends":[],"nickname":"A"}');
    expect('name' in ann && 'greet' in ann && !('age' in ann)).toBe(true);
    expect(Object.hasOwn(ann, 'name') && !Object.hasOwn(ann, 'greet')).toBe(true);
    const { name, ...rest } = ann;
    expect([name, Object.keys(rest)]).toEqual(['ann', ['friends', 'nickname']]);
    const names: string[] = [];
    for (const field in ann) names.push(field);
    // As with any class, `in` also meets nothing of the prototype.
    expect(names).toEqual(['name', 'friends', 'nickname']);
    expect(inspect(ann)).toBe("Person { name: 'ann', friends: [], nickname: 'A' }");
    expect(delete ann.nickname).toBe(true);
    expect('nickname' in ann).toBe(false);
    expect(Object.assign(ann, { name: 'Ann', age: 7 })).toBe(ann);
    expect((ann as Person & { age: number }).age).toBe(7);
  });

  test('is printed where it refers to itself, however deep one looks, and where something is gone', async () => {
    await openObjects([Person]);
    const [ann, bob] = [new Person('ann'), new Person('bob')];
    ann.friends.push(ann, bob);
    expect(inspect(ann, { depth: null })).toContain('[Circular]');
    expect(inspect(ann, { depth: 0 })).toContain('friends: [Array]');
    remove(bob);
    expect(inspect(ann, { depth: 5 })).toContain(`[gone: Person ${idOf(bob)}]`);
  });

  test('can be awaited and returned by async functions, also when it is gone', async () => {
    const objects = await openObjects([Person]);
    const ann = new Person('ann');
    expect(await Promise.resolve(ann)).toBe(ann);
    expect(await transact(objects, () => new Person('bob'))).toBeInstanceOf(Person);
    const gone = await transact(objects, () => {
      const made = new Person('cid');
      remove(made);
      return made;
    });
    expect(() => gone.name).toThrow(/is gone/);
    Reflect.set(ann, 'then', 'data');
    expect(await Promise.resolve(ann)).toHaveProperty('then', 'data');
  });

  test('keeps its class, and is never frozen', async () => {
    await openObjects([Person]);
    const ann = new Person('ann');
    expect(() => void Object.setPrototypeOf(ann, {})).toThrow(TypeError);
    expect(() => ((ann as unknown as { __proto__: object }).__proto__ = {})).toThrow(TypeError);
    expect(() => Object.freeze(ann)).toThrow(TypeError);
    expect(() => Object.defineProperty(ann, 'x', { get: () => 1 })).toThrow(NotStorableError);
    expect(() => Object.defineProperty(ann, 'x', { value: 1, enumerable: false })).toThrow(NotStorableError);
    expect(() => Object.defineProperty(ann, 'x', { value: 1, configurable: false })).toThrow(NotStorableError);
    expect(() => ((ann as unknown as Record<symbol, unknown>)[Symbol('x')] = 1)).toThrow(/symbol/);
    expect(() => ((ann as unknown as { greet: unknown }).greet = 'hello')).toThrow(/Person\.greet is a member/);
    expect(() => ((ann as unknown as { constructor: unknown }).constructor = 1)).toThrow(/is a member of the class/);
    expect(Object.keys(ann)).toEqual(['name', 'friends', 'nickname']);
    expect(Object.getPrototypeOf({}) === Object.prototype && !('polluted' in {})).toBe(true);
  });

  test('reads fields through a getter named like one of its base, and refuses a field that would hide a member', async () => {
    class Base extends Durable {
      label(): string {
        return 'method';
      }
    }
    class Hiding extends Base {
      override label = () => 'field';
    }
    class Shadow extends Base {}
    Object.defineProperty(Shadow.prototype, 'size', { get: () => 3 });
    await openObjects([Base, Hiding, Shadow]);
    expect(() => new Hiding()).toThrow(NotStorableError);
    expect((new Shadow() as unknown as { size: number }).size).toBe(3);
    class Wrong extends Base {}
    Reflect.defineProperty(Wrong.prototype, 'kind', { value: 'fixed' });
    await openObjects([Wrong]);
    expect(() => Object.defineProperty(new Wrong(), 'kind', { value: 'x' })).toThrow(/is a member of the class/);
  });

  test('may have ten thousand fields, of any name', async () => {
    const objects = await openObjects([Person]);
    const ann = new Person('ann') as Person & Record<string, unknown>;
    const extra = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field ${index}`, index]));
    Object.assign(ann, extra, { '': 'empty', '1': 'one', ünïcode: 1 });
    const again = (await reopen(objects, [Person])).find(idOf(ann)) as Person & Record<string, unknown>;
    expect(Object.keys(again)).toHaveLength(10_006);
    expect([again['field 9999'], again[''], again['1'], again['ünïcode']]).toEqual([9999, 'empty', 'one', 1]);
  });
});

describe('Durable.over', () => {
  test('takes over what the base has set, and its methods', async () => {
    const objects = await openObjects([Square]);
    const square = new Square();
    square.color = 'blue';
    const again = (await reopen(objects, [Square])).find(idOf(square)) as Square;
    expect(again).toBeInstanceOf(Shape);
    expect(again.describe()).toBe('blue with 4 corners');
    expect(fieldsOf(again)).toEqual({ color: 'blue', corners: 4, size: 1 });
  });

  test.each([Map, Set, Array, Date, Promise, Error, RegExp, Uint8Array, ArrayBuffer, Function])(
    'refuses %o and its subclasses',
    (base) => {
      const Sub = class extends (base as unknown as new () => object) {};
      expect(() => Durable.over(base as unknown as new () => object)).toThrow(DurableClassError);
      expect(() => Durable.over(Sub)).toThrow(/keep the .* in a field/);
    },
  );
});

describe('registering refuses', () => {
  test.each<[string, () => new () => object, RegExp]>([
    [
      'private fields',
      () =>
        class Secret extends Durable {
          #hidden = 1;
          reveal(): number {
            return this.#hidden;
          }
        },
      /private member #hidden.*_hidden/,
    ],
    [
      'private methods',
      () =>
        class Secret extends Durable {
          reveal(): number {
            return this.#hidden();
          }
          #hidden(): number {
            return 1;
          }
        },
      /private member #hidden/,
    ],
    [
      'private fields of a base',
      () => {
        class Secret {
          #hidden = 1;
          reveal(): number {
            return this.#hidden;
          }
        }
        return class Over extends Durable.over(Secret) {};
      },
      /Secret has the private member/,
    ],
    ['what is not durable', () => Shape as unknown as new () => object, /does not extend Durable/],
    ['Durable itself', () => Durable, /does not extend Durable/],
    ['no class', () => 7 as unknown as new () => object, /not a class/],
    ['a class without a name', () => class extends Durable {}, /needs a stored name/],
    [
      'the name of a collection',
      () =>
        class Listing extends Durable {
          static durable = { name: 'array' };
        },
      /needs a stored name/,
    ],
    [
      'an option that does not exist',
      () =>
        class Misspelt extends Durable {
          static durable = { singelton: true } as object;
        },
      /singelton/,
    ],
    [
      'a version that does not count',
      () =>
        class Half extends Durable {
          static durable = { version: 0.5 };
        },
      /version/,
    ],
  ])('%s', async (_name, make, reason) => {
    const target = make() as unknown as DurableClass;
    await expect(openObjects([target])).rejects.toThrow(reason);
  });

  test('two classes of one name', async () => {
    const first = class Twin extends Durable {};
    const second = class Other extends Durable {
      static durable = { formerNames: ['Twin'] };
    };
    await expect(openObjects([first, second])).rejects.toThrow(/Two classes have the stored name 'Twin'/);
  });
});

describe('which kit is meant', () => {
  test('a class that is not registered, or no open kit', async () => {
    class Stranger extends Durable {}
    expect(thrownBy(() => new Stranger())).toBeInstanceOf(NoKitError);
    const objects = await openObjects([Person]);
    expect(() => new Stranger()).toThrow(/Stranger is not registered.*classes: \[Stranger\]/);
    expect(new Person('ann')).toBeInstanceOf(Person);
    objects.close();
    expect(() => new Person('ann')).toThrow(NoKitError);
    expect(() => new Durable()).toThrow(/cannot be instantiated/);
  });

  test('with two open, a transaction tells', async () => {
    const [first, second] = [await openObjects([Person]), await openObjects([Person])];
    expect(() => new Person('ann')).toThrow(/2 open kits.*transaction/);
    const ann = await transact(first, () => new Person('ann'));
    const bob = await transact(second, () => new Person('bob'));
    expect([first.find(idOf(ann)), second.find(idOf(ann))]).toEqual([ann, undefined]);
    expect(second.find(idOf(bob))).toBe(bob);
  });
});
