// The durable classes of one kit, by the names they are stored under.
import { declarationOf, namesOf, isDurableClass, type Declaration, type DurableClass } from './declaration.ts';
import { DurableClassError, NoKitError } from './errors.ts';
import { ambientObjects } from './transactions/ambient.ts';
import type { ObjectGraph, RegisteredClasses } from './object-graph.ts';

export class Classes implements RegisteredClasses {
  readonly #byName = new Map<string, Declaration>();
  readonly #byClass = new Map<DurableClass, Declaration>();

  constructor(classes: readonly DurableClass[]) {
    for (const target of classes) this.#add(target);
  }

  /** What is registered under a stored name, former names included. */
  named(name: string): Declaration | undefined {
    return this.#byName.get(name);
  }

  has(target: DurableClass): boolean {
    return this.#byClass.has(target);
  }

  get(target: DurableClass): Declaration {
    const declaration = this.#byClass.get(target);
    if (declaration === undefined)
      throw new NoKitError(
        `The class ${target.name} is not registered with this kit. Name it in Statek.open({ classes: [${target.name}] }).`,
        { class: target.name },
      );
    return declaration;
  }

  /** The names under which instances of a class and of its subclasses may be stored. */
  namesOf(target: DurableClass): string[] {
    const names: string[] = [];
    for (const [name, declaration] of this.#byName)
      if (declaration.target === target || declaration.target.prototype instanceof target) names.push(name);
    return names;
  }

  *[Symbol.iterator](): IterableIterator<DurableClass> {
    yield* this.#byClass.keys();
  }

  #add(target: DurableClass): void {
    if (!isDurableClass(target))
      throw new DurableClassError(
        `${describeClass(target)} cannot be registered: it does not extend Durable. Write class X extends Durable, or class X extends Durable.over(Base).`,
      );
    if (this.#byClass.has(target)) return;
    const declaration = declarationOf(target);
    for (const name of namesOf(declaration)) {
      const other = this.#byName.get(name);
      if (other !== undefined)
        throw new DurableClassError(
          `Two classes would be stored under the name '${name}'. Give one of them another static durable = { name }.`,
          { name },
        );
      this.#byName.set(name, declaration);
    }
    this.#byClass.set(target, declaration);
  }
}

function describeClass(target: unknown): string {
  return typeof target === 'function' ? `The class ${target.name}` : `What is no class (${String(target)})`;
}

const open = new Map<DurableClass, Set<ObjectGraph>>();
const allOpen = new Set<ObjectGraph>();

/** Says that objects of these classes can be made and found in `objects`. */
export function announce(objects: ObjectGraph, classes: Iterable<DurableClass>): void {
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

/** The objects that `new` of this class, or a query for it, means here. */
export function objectsFor(target: DurableClass): ObjectGraph {
  const ambient = ambientObjects();
  if (ambient?.classes.has(target) === true) return ambient;
  const kits = open.get(target);
  const [only] = kits ?? [];
  if (only !== undefined && kits?.size === 1) return only;
  throw new NoKitError(
    only === undefined
      ? `The class ${target.name} is not registered with an open kit. Name it in Statek.open({ classes: [${target.name}] }).`
      : `The class ${target.name} is registered with ${kits?.size} open kits. Say which one is meant with kit.transaction(() => …).`,
    { class: target.name },
  );
}

/** The objects of the transaction that runs, or of the only open kit. */
export function objectsHere(): ObjectGraph {
  const ambient = ambientObjects();
  if (ambient !== undefined) return ambient;
  const [only] = allOpen;
  if (only !== undefined && allOpen.size === 1) return only;
  throw new NoKitError(
    only === undefined
      ? 'No kit is open. Open one with Statek.open(…).'
      : `${allOpen.size} kits are open. Say which one is meant: kit.transaction(…), kit.index(…).`,
  );
}
