// The base of durable classes. Its constructor returns the durable object instead of the plain one, so that fields of
// subclasses are stored from the first assignment on.
import { inspect } from 'node:util';
import { objectsFor } from './classes.ts';
import { decorate, durableBases, isDurableClass } from './declaration.ts';
import type { AnyClass, DurableOptions } from './declaration.ts';
import { DurableClassError } from './errors.ts';
import { inspectNode } from './instances/inspect.ts';

/**
 * Objects of a class that extends this are kept in the store, with all they refer to, without being saved.
 *
 * @example
 * import { Durable, find, Statek } from 'statek';
 *
 * class Meeting extends Durable {
 *   title: string;
 *   people: string[] = [];
 *
 *   constructor(title: string) {
 *     super();
 *     this.title = title;
 *   }
 * }
 * const kit = await Statek.open({ store: 'memory:', classes: [Meeting] });
 * await kit.transaction(() => {
 *   const meeting = new Meeting('Planning');
 *   meeting.people.push('Ann', 'Bob');
 * });
 * console.log(await kit.transaction(() => find(Meeting).first()?.people.length)); // prints 2
 * await kit.close();
 */
export class Durable {
  /** Marks durable classes for the compiler; does not exist at run time. */
  declare static readonly '~durable': true;

  constructor() {
    if (new.target === Durable)
      throw new DurableClassError(
        'Durable cannot be instantiated. Write class X extends Durable, and create instances of X.',
      );
    return objectsFor(new.target).construct(new.target);
  }

  /** For classes that already have a base: `class Meeting extends Durable.over(Event) { … }`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a base takes whatever its constructor takes
  static over<Base extends abstract new (...parameters: any[]) => object>(
    base: Base,
  ): Base & { readonly '~durable': true } {
    rejectBuiltIn(base);
    abstract class Over extends base {
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a mixin's constructor takes whatever its base takes
      constructor(...parameters: any[]) {
        super(...(parameters as unknown[]));
        if (new.target === (Over as unknown))
          throw new DurableClassError(
            'Durable.over(…) cannot be instantiated. Write class X extends Durable.over(Base), and create instances of X.',
          );
        // Moves what the base constructor set on the plain object to the durable one.
        return objectsFor(new.target).construct(new.target, Object.fromEntries(Object.entries(this)));
      }
    }
    makeBase(Over);
    return Over as typeof Over & { readonly '~durable': true };
  }
}

/**
 * `Durable` as a decorator, for compiled code: `@durable class X { … }` or `@durable({ version: 2 }) class X { … }`.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any class can be made durable
export function durable<Target extends abstract new (...parameters: any[]) => object>(
  target: Target,
  context: ClassDecoratorContext<Target>,
): Target & { readonly '~durable': true };
export function durable(
  options: DurableOptions,
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any class can be made durable
): <Target extends abstract new (...parameters: any[]) => object>(
  target: Target,
  context: ClassDecoratorContext<Target>,
) => Target & { readonly '~durable': true };
export function durable(first: AnyClass | DurableOptions, context?: { readonly name: string | undefined }): unknown {
  if (typeof first === 'function') return decorated(first, {}, context?.name);
  return (target: AnyClass, { name }: { readonly name: string | undefined }) => decorated(target, first, name);
}

function decorated(target: AnyClass, options: DurableOptions, name: string | undefined): AnyClass {
  if (isDurableClass(target)) {
    decorate(target, target, options);
    return target;
  }
  const Over = Durable.over(target);
  const Decorated = class extends Over {};
  Object.defineProperty(Decorated, 'name', { value: name ?? target.name });
  decorate(Decorated, target, options);
  return Decorated;
}

function makeBase(base: AnyClass): void {
  durableBases.add(base);
  Object.defineProperty(base.prototype, inspect.custom, {
    value(this: object, depth: number, options: object) {
      return inspectNode(this, depth, options);
    },
    configurable: true,
  });
}

// Instances of these classes have internal slots, which a proxy cannot reach.
const withSlots = [Map, Set, WeakMap, WeakSet, Date, Promise, RegExp, ArrayBuffer, Error, Array, Function];

function rejectBuiltIn(base: AnyClass): void {
  const Typed = Object.getPrototypeOf(Uint8Array) as AnyClass;
  for (const builtIn of [...withSlots, Typed] as AnyClass[]) {
    if (base === builtIn || base.prototype instanceof builtIn)
      throw new DurableClassError(
        `A class that extends ${base.name} cannot be durable. Extend Durable, and keep the ${builtIn.name} in a field.`,
        { class: base.name },
      );
  }
}

makeBase(Durable);
