// A managed set: behaves like a Set, backed by rows of the store.
import { inspect } from 'node:util';
import { inspectNode } from './inspect.ts';
import { Keyed } from '../queries/keyed.ts';
import { bindNode, copyFirst } from '../node.ts';
import type { Node } from '../object-graph.ts';

export function setFor(node: Node): Set<unknown> {
  return new ManagedSet(node);
}

class ManagedSet extends Set<unknown> {
  readonly #keyed: Keyed;

  constructor(node: Node) {
    super();
    super.add(copyFirst);
    this.#keyed = new Keyed(node, 'set');
    bindNode(this, node);
  }

  static override get [Symbol.species](): SetConstructor {
    return Set;
  }

  override get size(): number {
    return this.#keyed.size;
  }

  override has(member: unknown): boolean {
    return this.#keyed.has(member);
  }

  override add(member: unknown): this {
    if (!this.#keyed.has(member)) this.#keyed.set(member, null);
    return this;
  }

  override delete(member: unknown): boolean {
    return this.#keyed.delete(member);
  }

  override clear(): void {
    this.#keyed.clear();
  }

  override *entries(): SetIterator<[unknown, unknown]> {
    for (const member of this.#keyed.keys()) yield [member, member];
  }

  override keys(): SetIterator<unknown> {
    return this.#keyed.keys() as SetIterator<unknown>;
  }

  override values(): SetIterator<unknown> {
    return this.#keyed.keys() as SetIterator<unknown>;
  }

  override [Symbol.iterator](): SetIterator<unknown> {
    return this.values();
  }

  override forEach(action: (value: unknown, again: unknown, set: Set<unknown>) => void, self?: unknown): void {
    for (const member of this) Reflect.apply(action, self, [member, member, this]);
  }

  [inspect.custom](depth: number, options: object): unknown {
    return inspectNode(this, depth, options);
  }
}

// The built-in versions bypass the methods above and would see an empty set.
for (const name of [
  'union',
  'intersection',
  'difference',
  'symmetricDifference',
  'isSubsetOf',
  'isSupersetOf',
  'isDisjointFrom',
]) {
  const method: unknown = Reflect.get(Set.prototype, name);
  if (typeof method !== 'function') continue;
  Object.defineProperty(ManagedSet.prototype, name, {
    value(this: Set<unknown>, other: unknown): unknown {
      return Reflect.apply(method, new Set(this), [other]);
    },
    configurable: true,
    writable: true,
  });
}
