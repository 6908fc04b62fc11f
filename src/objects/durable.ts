// The base of durable classes. Its constructor hands back the durable object instead of the plain one, so that the
// fields of subclasses are stored from the first assignment on.
import { inspect } from 'node:util';
import { objectsFor } from './classes.ts';
import { durableBases, isDurableClass, type DurableClass, type DurableOptions } from './declaration.ts';
import { DurableClassError } from './errors.ts';
import { inspectNode } from './instances/inspect.ts';

/** Objects of a class that extends this are kept in the store, with all they refer to, without being saved. */
export class Durable {
  constructor() {
    if (new.target === Durable)
      throw new DurableClassError('Durable is a base class. Write class X extends Durable, and make objects of X.');
    return objectsFor(new.target).construct(new.target);
  }

  /** The same for a class that has a base already: `class Meeting extends Durable.over(Event) { … }`. */
  static over<Base extends DurableClass>(base: Base): Base {
    refuseBuiltIn(base);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a mixin's constructor takes whatever its base takes
    const Over = class extends (base as unknown as new (...parameters: any[]) => object) {
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
      constructor(...parameters: any[]) {
        super(...(parameters as unknown[]));
        if (new.target === (Over as unknown))
          throw new DurableClassError('Durable.over(…) is a base class. Write class X extends Durable.over(Base).');
        // What the base's constructor set on the plain object belongs to the durable one.
        return objectsFor(new.target).construct(new.target, Object.fromEntries(Object.entries(this)));
      }
    };
    makeBase(Over);
    return Over as unknown as Base;
  }
}

/**
 * The same as a decorator, for code that is compiled: `@durable class X { … }` or `@durable({ version: 2 }) class X { … }`.
 */
export function durable<Target extends DurableClass>(target: Target, context: ClassDecoratorContext<Target>): Target;
export function durable(
  options: DurableOptions,
): <Target extends DurableClass>(target: Target, context: ClassDecoratorContext<Target>) => Target;
export function durable(
  first: DurableClass | DurableOptions,
  context?: { readonly name: string | undefined },
): unknown {
  if (typeof first === 'function') return decorated(first, {}, context?.name);
  return (target: DurableClass, { name }: { readonly name: string | undefined }) => decorated(target, first, name);
}

function decorated(target: DurableClass, options: DurableOptions, name: string | undefined): DurableClass {
  // What the base declares is not about this class.
  const own = Object.hasOwn(target, 'durable') ? (target as { durable?: DurableOptions }).durable : {};
  const stored = { name: name ?? target.name, ...own, ...options };
  if (isDurableClass(target)) {
    Object.defineProperty(target, 'durable', { value: stored, configurable: true });
    return target;
  }
  const Over = Durable.over(target) as unknown as new () => object;
  const Decorated = class extends Over {};
  Object.defineProperty(Decorated, 'name', { value: name ?? target.name });
  Object.defineProperty(Decorated, 'durable', { value: stored, configurable: true });
  return Decorated;
}

function makeBase(base: DurableClass): void {
  durableBases.add(base);
  Object.defineProperty(base.prototype, inspect.custom, {
    value(this: object, depth: number, options: object) {
      return inspectNode(this, depth, options);
    },
    configurable: true,
  });
}

// Objects of these classes keep what they are where no proxy reaches it.
const withSlots = [Map, Set, WeakMap, WeakSet, Date, Promise, RegExp, ArrayBuffer, Error, Array, Function];

function refuseBuiltIn(base: DurableClass): void {
  const Typed = Object.getPrototypeOf(Uint8Array) as DurableClass;
  for (const builtIn of [...withSlots, Typed] as DurableClass[]) {
    if (base === builtIn || base.prototype instanceof builtIn)
      throw new DurableClassError(
        `A class over ${base.name} cannot be durable. Extend Durable, and keep the ${builtIn.name} in a field.`,
        { class: base.name },
      );
  }
}

makeBase(Durable);
