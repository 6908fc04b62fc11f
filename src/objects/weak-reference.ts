// A reference that does not keep its object: when that is removed or collected, it is empty.
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

  /** @internal The object as it was referred to, there or not. */
  static targetOf(reference: WeakReference): object {
    return reference.#target;
  }
}

/** A reference to a durable object that does not keep it from being collected. */
export function weak<Target extends object>(target: Target): WeakReference<Target> {
  if (nodeOf(target) === undefined)
    throw new TypeError('Only durable objects and their collections can be referred to weakly.');
  return new WeakReference(target);
}
