// A managed plain object: any names, any values, stored like a map.
import { inspect } from 'node:util';
import { NotStorableError } from '../errors.ts';
import { ifReadable } from './instance.ts';
import { inspectNode } from './inspect.ts';
import { Keyed } from '../queries/keyed.ts';
import { bindNode, defineOn, nodeOf } from '../node.ts';
import type { Node } from '../object-graph.ts';

export function objectFor(node: Node): object {
  const target = {};
  Object.defineProperty(target, inspect.custom, {
    value(this: object, depth: number, options: object) {
      return inspectNode(this, depth, options);
    },
    configurable: true,
  });
  const proxy = new Proxy(target, new ObjectHandler(new Keyed(node, 'object')));
  bindNode(proxy, node);
  return proxy;
}

class ObjectHandler implements ProxyHandler<object> {
  readonly #keyed: Keyed;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  get(target: object, name: string | symbol, receiver: unknown): unknown {
    if (typeof name === 'symbol') return Reflect.get(target, name, receiver);
    if (name === 'then') return ifReadable(() => this.#keyed.get(name));
    const value = this.#keyed.get(name);
    // Own members take precedence over inherited ones.
    return value === undefined && name in target && !this.#keyed.has(name)
      ? Reflect.get(target, name, receiver)
      : value;
  }

  set(_target: object, name: string | symbol, value: unknown, receiver: unknown): boolean {
    if (nodeOf(receiver) !== this.#keyed.node) return defineOn(receiver, name, value);
    return this.#set(name, value);
  }

  has(target: object, name: string | symbol): boolean {
    return name in target || (typeof name === 'string' && this.#keyed.has(name));
  }

  deleteProperty(_target: object, name: string | symbol): boolean {
    if (typeof name === 'string') this.#keyed.delete(name);
    return true;
  }

  ownKeys(): string[] {
    const names = [...this.#keyed.keys()] as string[];
    // As in every object, integer keys come first, in ascending order.
    const indices = names.filter(isIndex).toSorted((a, b) => Number(a) - Number(b));
    return indices.length === 0 ? names : [...indices, ...names.filter((name) => !isIndex(name))];
  }

  getOwnPropertyDescriptor(target: object, name: string | symbol): PropertyDescriptor | undefined {
    if (typeof name === 'symbol') return Reflect.getOwnPropertyDescriptor(target, name);
    if (!this.#keyed.has(name)) return undefined;
    return { value: this.#keyed.get(name), writable: true, enumerable: true, configurable: true };
  }

  defineProperty(_target: object, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    if (
      !('value' in descriptor) ||
      descriptor.writable === false ||
      descriptor.enumerable === false ||
      descriptor.configurable === false
    )
      throw new NotStorableError(
        'Members of a managed object must be plain values: writable, enumerable, configurable, and not accessors.',
      );
    return this.#set(name, descriptor.value);
  }

  #set(name: string | symbol, value: unknown): boolean {
    if (typeof name === 'symbol')
      throw new NotStorableError('A member named by a symbol cannot be stored. Use a string.');
    this.#keyed.set(name, value);
    return true;
  }

  setPrototypeOf(): boolean {
    throw new TypeError('The prototype of a managed object cannot be changed.');
  }

  preventExtensions(): boolean {
    throw new TypeError('A managed object cannot be frozen.');
  }
}

function isIndex(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 0xffffffff;
}
