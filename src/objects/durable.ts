// The base of durable classes. Its constructor returns the durable object instead of the plain one, so that fields of
// subclasses are stored from the first assignment on.
import { inspect } from 'node:util';
import { objectsFor } from './classes.ts';
import { decorate, durableBases, isDurableClass } from './declaration.ts';
import type { AnyClass, DurableMark, DurableOptions, mark } from './declaration.ts';
import { DurableClassError } from './errors.ts';
import { inspectNode } from './instances/inspect.ts';

/** Instances of subclasses are stored automatically, together with everything they refer to. */
export class Durable {
  /** Marks durable classes for the compiler; does not exist at run time. */
  declare static readonly [mark]: true;

  constructor() {
    if (new.target === Durable)
      throw new DurableClassError(
        'Durable cannot be instantiated. Write class X extends Durable, and create instances of X.',
      );
    return objectsFor(new.target).construct(new.target);
  }

  /** For classes that already have a base: `class Meeting extends Durable.over(Event) { … }`. */
  static over<Base extends AnyClass>(base: Base): Base & DurableMark {
    rejectBuiltIn(base);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a mixin's constructor takes whatever its base takes
    const Over = class extends (base as unknown as new (...parameters: any[]) => object) {
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
      constructor(...parameters: any[]) {
        super(...(parameters as unknown[]));
        if (new.target === (Over as unknown))
          throw new DurableClassError(
            'Durable.over(…) cannot be instantiated. Write class X extends Durable.over(Base), and create instances of X.',
          );
        // Moves what the base constructor set on the plain object to the durable one.
        return objectsFor(new.target).construct(new.target, Object.fromEntries(Object.entries(this)));
      }
    };
    makeBase(Over);
    return Over as unknown as Base & DurableMark;
  }
}

/**
 * `Durable` as a decorator, for compiled code: `@durable class X { … }` or `@durable({ version: 2 }) class X { … }`.
 */
export function durable<Target extends AnyClass>(
  target: Target,
  context: ClassDecoratorContext<Target>,
): Target & DurableMark;
export function durable(
  options: DurableOptions,
): <Target extends AnyClass>(target: Target, context: ClassDecoratorContext<Target>) => Target & DurableMark;
export function durable(first: AnyClass | DurableOptions, context?: { readonly name: string | undefined }): unknown {
  if (typeof first === 'function') return decorated(first, {}, context?.name);
  return (target: AnyClass, { name }: { readonly name: string | undefined }) => decorated(target, first, name);
}

function decorated(target: AnyClass, options: DurableOptions, name: string | undefined): AnyClass {
  if (isDurableClass(target)) {
    decorate(target, target, options);
    return target;
  }
  const Over = Durable.over(target) as unknown as new () => object;
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
