// A reference that does not protect its object from collection.
import { described, InvalidOptionError } from '../base/options.ts';
import { nodeOf } from './node.ts';

/** A reference that does not keep its durable object from being collected. `weak(object)` makes it. */
export class WeakReference<Target extends object = object> {
  readonly #target: Target;

  /** @internal */
  constructor(target: Target) {
    this.#target = target;
  }

  /** The object, or undefined if it is gone. */
  get(): Target | undefined {
    const node = nodeOf(this.#target);
    return node?.objects.isThere(node) === true ? this.#target : undefined;
  }

  /** @internal The referenced object, whether it exists or not. */
  static targetOf(reference: WeakReference): object {
    return reference.#target;
  }
}

/** A reference to a durable object that does not keep it from being collected. */
export function weak<Target extends object>(target: Target): WeakReference<Target> {
  if (nodeOf(target) === undefined)
    throw new InvalidOptionError(`weak takes a durable object or one of its collections, not ${described(target)}.`);
  return new WeakReference(target);
}
