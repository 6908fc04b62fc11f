// The durable classes of a kit, by stored name.
import { declarationOf, namesOf, isDurableClass, type Declaration, type AnyClass } from './declaration.ts';
import { DurableClassError, NoKitError } from './errors.ts';
import { ambientObjects } from './transactions/ambient.ts';
import type { ObjectGraph, RegisteredClasses } from './object-graph.ts';

export class Classes implements RegisteredClasses {
  readonly #byName = new Map<string, Declaration>();
  readonly #byClass = new Map<AnyClass, Declaration>();

  constructor(classes: readonly AnyClass[]) {
    for (const target of classes) this.#add(target);
  }

  /** The class with this stored name, current or former. */
  named(name: string): Declaration | undefined {
    return this.#byName.get(name);
  }

  has(target: AnyClass): boolean {
    return this.#byClass.has(target);
  }

  get(target: AnyClass): Declaration {
    const declaration = this.#byClass.get(target);
    if (declaration === undefined) mustBeDurable(target, 'looked for');
    if (declaration === undefined)
      throw new NoKitError(
        `The class ${target.name} is not registered with this kit. Add it to Statek.open({ classes: [${target.name}] }).`,
        { class: target.name },
      );
    return declaration;
  }

  /** The names under which instances of a class and of its subclasses may be stored. */
  namesOf(target: AnyClass): string[] {
    const names: string[] = [];
    for (const [name, declaration] of this.#byName)
      if (declaration.target === target || declaration.target.prototype instanceof target) names.push(name);
    return names;
  }

  *[Symbol.iterator](): IterableIterator<AnyClass> {
    yield* this.#byClass.keys();
  }

  #add(target: AnyClass): void {
    mustBeDurable(target, 'registered');
    if (this.#byClass.has(target)) return;
    const declaration = declarationOf(target);
    for (const name of namesOf(declaration)) {
      const other = this.#byName.get(name);
      if (other !== undefined)
        throw new DurableClassError(
          `Two classes have the stored name '${name}'. Give one of them another one with static durable = { name }.`,
          { name },
        );
      this.#byName.set(name, declaration);
    }
    this.#byClass.set(target, declaration);
  }
}

function mustBeDurable(target: AnyClass, verb: string): void {
  if (isDurableClass(target)) return;
  throw new DurableClassError(
    `${describeClass(target)} cannot be ${verb}: it does not extend Durable. Write class X extends Durable, or class X extends Durable.over(Base).`,
  );
}

function describeClass(target: unknown): string {
  return typeof target === 'function' ? `The class ${target.name}` : `A value that is not a class (${String(target)})`;
}

const open = new Map<AnyClass, Set<ObjectGraph>>();
const allOpen = new Set<ObjectGraph>();

/** Registers an open kit for these classes, so that `new` and queries find it. */
export function announce(objects: ObjectGraph, classes: Iterable<AnyClass>): void {
  allOpen.add(objects);
  for (const target of classes) {
    const kits = open.get(target) ?? new Set();
    open.set(target, kits.add(objects));
  }
}

export function withdraw(objects: ObjectGraph): void {
  allOpen.delete(objects);
  for (const [target, kits] of open) {
    kits.delete(objects);
    if (kits.size === 0) open.delete(target);
  }
}

/** The kit that `new` or a query of this class uses here. */
export function objectsFor(target: AnyClass): ObjectGraph {
  const ambient = ambientObjects();
  if (ambient?.classes.has(target) === true) return ambient;
  const kits = open.get(target);
  const [only] = kits ?? [];
  if (only !== undefined && kits?.size === 1) return only;
  mustBeDurable(target, 'looked for');
  throw new NoKitError(
    only === undefined
      ? `The class ${target.name} is not registered with an open kit. Add it to Statek.open({ classes: [${target.name}] }).`
      : `The class ${target.name} is registered with ${kits?.size} open kits. Choose one with kit.transaction(() => …).`,
    { class: target.name },
  );
}

/** The kit of the current transaction, or the only open kit. */
export function objectsHere(): ObjectGraph {
  const ambient = ambientObjects();
  if (ambient !== undefined) return ambient;
  const [only] = allOpen;
  if (only !== undefined && allOpen.size === 1) return only;
  throw new NoKitError(
    only === undefined
      ? 'No kit is open. Open one with Statek.open(…).'
      : `${allOpen.size} kits are open. Choose one with kit.transaction(…) or kit.index(…).`,
  );
}
