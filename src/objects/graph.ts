// The functions on durable objects for application code.
import { described, InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import type { Revision } from '../store/door.ts';
import { objectsFor, objectsHere } from './classes.ts';
import type { DurableClass } from './declaration.ts';
import { idText, nodeOf } from './node.ts';
import type { Node, ObjectGraph } from './object-graph.ts';
import type { ObjectIndex } from './queries/object-index.ts';
import { queryOf, type Query, type Tag } from './queries/query.ts';
import { transact, transactAt, type Synchronous } from './transactions/transact.ts';

/** The permanent id of a durable object or collection, the same in every process. */
export function idOf(target: object): string {
  const { space, id } = mustBeDurable(target, 'idOf');
  return idText(space, id);
}

/** Whether an object exists, given itself or its id. */
export function exists(target: object | string): boolean {
  if (typeof target === 'string') return objectsHere().find(target) !== undefined;
  const node = mustBeDurable(target, 'exists');
  return node.objects.isThere(node);
}

/** Removes an object or collection, even if something still refers to it. */
export function remove(target: object): void {
  const node = mustBeDurable(target, 'remove');
  node.objects.remove(node);
}

/** Keeps an object from being collected until it is unpinned or removed. */
export function pin<Target extends object>(target: Target): Target {
  const node = mustBeDurable(target, 'pin');
  node.objects.pin(node, true);
  return target;
}

/** Takes back `pin`: an object that nothing leads to is collected again. */
export function unpin(target: object): void {
  const node = mustBeDurable(target, 'unpin');
  node.objects.pin(node, false);
}

/** Objects of a class (and its subclasses) with these tags: `find(Person, 'employee', ['london', 'paris'], no('manager'))`. */
export function find<Instance extends object>(
  target: DurableClass<Instance>,
  ...tags: readonly Tag[]
): Query<Instance> {
  const objects = objectsFor(target);
  return queryOf(objects, objects.spaces.current, target, tags);
}

/** Creates a sorted index. Store it in a field of an object, or pin it. */
export function index<Instance extends object = object>(): ObjectIndex<Instance> {
  return newIndex(objectsHere());
}

export function newIndex<Instance extends object>(objects: ObjectGraph): ObjectIndex<Instance> {
  const id = objects.newId();
  const space = objects.spaces.current;
  objects.createNode(space, id, { index: {} });
  return objects.handleFor(space, id, 'index') as ObjectIndex<Instance>;
}

/**
 * Changes objects in an atomic, serializable transaction; resolves when it is durable. `action` must be synchronous and
 * may run several times. If it throws, nothing changes.
 */
export function transaction<Result>(action: Synchronous<Result>): Promise<Result> {
  return transact(objectsHere(), action as () => Result);
}

/** Runs `action` on the objects at a revision. */
export async function at<Result>(revision: Revision, action: Synchronous<Result>): Promise<Result> {
  return transactAt(objectsHere(), revision, action as () => Result);
}

interface SpaceOptions {
  /** This kit cannot change anything in the space. */
  readonly readonly?: boolean | undefined;
}

/** A partition of objects. */
export class Space {
  readonly name: string;
  readonly #objects: ObjectGraph;

  /** @internal */
  constructor(objects: ObjectGraph, name: string, options: SpaceOptions) {
    refuseUnknownOptions('kit.space', options, { readonly: true });
    if (options.readonly !== undefined && typeof options.readonly !== 'boolean')
      throw new InvalidOptionError("kit.space: 'readonly' must be true or false.", { name: 'readonly' });
    objects.spaces.open(name, options.readonly === true);
    this.name = name;
    this.#objects = objects;
  }

  /** Runs code that creates and queries objects in this space. */
  use<Result>(action: () => Result): Result {
    return this.#objects.spaces.use(this.name, action);
  }

  find<Instance extends object>(target: DurableClass<Instance>, ...tags: readonly Tag[]): Query<Instance> {
    return queryOf(this.#objects, this.name, target, tags);
  }
}

function mustBeDurable(target: object, name: string): Node {
  const node = nodeOf(target);
  if (node === undefined)
    throw new InvalidOptionError(`${name} takes a durable object or one of its collections, not ${described(target)}.`);
  return node;
}
