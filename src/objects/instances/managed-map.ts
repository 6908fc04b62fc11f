// A managed map: behaves like a Map, backed by rows of the store. As keys, dates and bytes are compared by value.
import { inspect } from 'node:util';
import { inspectNode } from './inspect.ts';
import { Keyed } from '../queries/keyed.ts';
import { bindNode, copyFirst } from '../node.ts';
import type { Node } from '../object-graph.ts';

export function mapFor(node: Node): Map<unknown, unknown> {
  return new ManagedMap(node);
}

class ManagedMap extends Map<unknown, unknown> {
  readonly #keyed: Keyed;

  constructor(node: Node) {
    super();
    super.set(copyFirst, copyFirst);
    this.#keyed = new Keyed(node, 'map');
    bindNode(this, node);
  }

  // Derived maps are ordinary Maps.
  static override get [Symbol.species](): MapConstructor {
    return Map;
  }

  override get size(): number {
    return this.#keyed.size;
  }

  override get(key: unknown): unknown {
    return this.#keyed.get(key);
  }

  override has(key: unknown): boolean {
    return this.#keyed.has(key);
  }

  override set(key: unknown, value: unknown): this {
    this.#keyed.set(key, value);
    return this;
  }

  override delete(key: unknown): boolean {
    return this.#keyed.delete(key);
  }

  override clear(): void {
    this.#keyed.clear();
  }

  override entries(): MapIterator<[unknown, unknown]> {
    return this.#keyed.entries() as MapIterator<[unknown, unknown]>;
  }

  override keys(): MapIterator<unknown> {
    return this.#keyed.keys() as MapIterator<unknown>;
  }

  override values(): MapIterator<unknown> {
    return this.#keyed.values() as MapIterator<unknown>;
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }

  override forEach(action: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void, self?: unknown): void {
    for (const [key, value] of this) Reflect.apply(action, self, [value, key, this]);
  }

  [inspect.custom](depth: number, options: object): unknown {
    return inspectNode(this, depth, options);
  }
}
