// A managed array: behaves like an array, backed by a list in the store. Methods that would touch every element are
// replaced by ones that touch only what they change.
import { inspect } from 'node:util';
import { adopt, adoptAll } from './adopt.ts';
import { listGet, listIterate, listSet, listSize, listSlice, listSplice, type ListRoot } from '../collections/list.ts';
import { decode } from './decode.ts';
import type { Encoded } from './encoded.ts';
import { NotStorableError } from '../errors.ts';
import { inspectNode } from './inspect.ts';
import { bindNode } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { recordOf } from '../record.ts';
import { nodeRows } from '../rows.ts';

export function arrayFor(node: Node): unknown[] {
  const target: unknown[] = [];
  Object.defineProperty(target, inspect.custom, {
    value(this: object, depth: number, options: object) {
      return inspectNode(this, depth, options);
    },
    configurable: true,
  });
  const list = new ManagedList(node);
  const proxy = new Proxy(target, new ArrayHandler(list));
  bindNode(proxy, node);
  lists.set(proxy, list);
  return proxy;
}

/** The list behind a managed array. */
class ManagedList {
  readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  get root(): ListRoot {
    return (recordOf(this.node) as { array: ListRoot }).array;
  }

  get size(): number {
    return listSize(this.root);
  }

  get(index: number): unknown {
    return this.#decode(listGet(this.#parts, this.root, index));
  }

  set(index: number, value: unknown): void {
    const encoded = this.#adopt(value, index);
    this.#put(listSet(this.#parts, this.root, index, encoded));
  }

  splice(start: number, count: number, values: readonly unknown[]): unknown[] {
    const removed = this.slice(start, start + count);
    const { objects, space } = this.node;
    const encoded = adoptAll(objects, space, values, (index) => `[${start + index}]`);
    this.#put(listSplice(this.#parts, this.root, start, count, encoded));
    return removed;
  }

  /**
   * Replaces a range of elements in their encoded form, so that existing elements stay valid even if they refer to
   * something that is gone.
   */
  rearrange(start: number, end: number, change: (elements: Encoded[]) => readonly Encoded[]): void {
    if (end <= start) return;
    const elements = listSlice(this.#parts, this.root, start, end) as Encoded[];
    this.#put(listSplice(this.#parts, this.root, start, end - start, change(elements)));
  }

  decode(value: Encoded): unknown {
    return this.#decode(value);
  }

  adopt(value: unknown, index: number): Encoded {
    return this.#adopt(value, index);
  }

  slice(start: number, end: number): unknown[] {
    return listSlice(this.#parts, this.root, start, end).map((value) => this.#decode(value));
  }

  *iterate(): Generator<unknown, void, undefined> {
    for (const value of listIterate(this.#parts, () => this.root)) yield this.#decode(value);
  }

  #decode(value: unknown): unknown {
    return value === undefined ? undefined : decode(this.node.objects, this.node.space, value as Encoded);
  }

  #adopt(value: unknown, index: number): Encoded {
    return adopt(this.node.objects, this.node.space, value, `[${index}]`);
  }

  #put(root: ListRoot): void {
    const { objects, space, key } = this.node;
    objects.checkWritable(space);
    // In a large list, only a part may have changed.
    if (root !== this.root) objects.transactionNow().put(nodeRows, key, { array: root });
  }

  get #parts() {
    return this.node.objects.partsOf(this.node.space, this.node.id);
  }
}

const lists = new WeakMap<object, ManagedList>();

function listOf(array: unknown): ManagedList {
  const list = lists.get(array as object);
  if (list === undefined) throw new TypeError('This is not a managed array.');
  return list;
}

class ArrayHandler implements ProxyHandler<unknown[]> {
  readonly #list: ManagedList;

  constructor(list: ManagedList) {
    this.#list = list;
  }

  get(target: unknown[], name: string | symbol, receiver: unknown): unknown {
    if (typeof name === 'symbol') {
      if (name === Symbol.iterator) return methods.values;
      return Reflect.get(target, name, receiver);
    }
    if (name === 'length') return this.#list.size;
    const index = indexOf(name);
    if (index !== undefined) return this.#list.get(index);
    if (Object.hasOwn(methods, name)) return methods[name as keyof typeof methods];
    return Reflect.get(target, name, receiver);
  }

  set(_target: unknown[], name: string | symbol, value: unknown): boolean {
    const list = this.#list;
    if (name === 'length') {
      const { size } = list;
      const length = Number(value);
      if (length > size) throw hole(length - 1);
      if (!Number.isInteger(length) || length < 0) throw new RangeError('Invalid array length');
      if (length < size) list.splice(length, size - length, []);
      return true;
    }
    const index = typeof name === 'string' ? indexOf(name) : undefined;
    if (index === undefined)
      throw new NotStorableError(
        `A managed array stores only its elements, not the property '${String(name)}'. Use an object that contains the array.`,
        { path: String(name) },
      );
    const { size } = list;
    if (index > size) throw hole(index);
    if (index === size) list.splice(size, 0, [value]);
    else list.set(index, value);
    return true;
  }

  has(target: unknown[], name: string | symbol): boolean {
    const index = typeof name === 'string' ? indexOf(name) : undefined;
    return index === undefined ? name in target : index < this.#list.size;
  }

  deleteProperty(_target: unknown[], name: string | symbol): boolean {
    const index = typeof name === 'string' ? indexOf(name) : undefined;
    // There are no holes; a deleted element reads as undefined, as in any array.
    if (index !== undefined && index < this.#list.size) this.#list.set(index, undefined);
    return name !== 'length';
  }

  ownKeys(): string[] {
    return [...Array.from({ length: this.#list.size }, (_, index) => String(index)), 'length'];
  }

  getOwnPropertyDescriptor(target: unknown[], name: string | symbol): PropertyDescriptor | undefined {
    if (name === 'length') return { value: this.#list.size, writable: true, enumerable: false, configurable: false };
    const index = typeof name === 'string' ? indexOf(name) : undefined;
    if (index === undefined) return Reflect.getOwnPropertyDescriptor(target, name);
    if (index >= this.#list.size) return undefined;
    return { value: this.#list.get(index), writable: true, enumerable: true, configurable: true };
  }

  defineProperty(target: unknown[], name: string | symbol, descriptor: PropertyDescriptor): boolean {
    if (
      !('value' in descriptor) ||
      descriptor.writable === false ||
      descriptor.enumerable === false ||
      (name !== 'length' && descriptor.configurable === false)
    )
      throw new NotStorableError(
        'Elements of a managed array must be plain values: writable, enumerable, configurable, and not accessors.',
      );
    return this.set(target, name, descriptor.value);
  }

  setPrototypeOf(): boolean {
    throw new TypeError('The prototype of a managed array cannot be changed.');
  }

  preventExtensions(): boolean {
    throw new TypeError('A managed array cannot be frozen.');
  }
}

const methods = {
  push(...values: unknown[]): number {
    const list = listOf(this);
    list.splice(list.size, 0, values);
    return list.size;
  },
  pop(): unknown {
    const list = listOf(this);
    const { size } = list;
    return size === 0 ? undefined : list.splice(size - 1, 1, [])[0];
  },
  shift(): unknown {
    return listOf(this).splice(0, 1, [])[0];
  },
  unshift(...values: unknown[]): number {
    const list = listOf(this);
    list.splice(0, 0, values);
    return list.size;
  },
  splice(...parameters: [start?: number, count?: number, ...values: unknown[]]): unknown[] {
    const list = listOf(this);
    const { size } = list;
    const [first, count, ...values] = parameters;
    const start = relative(first, size, 0);
    const max = size - start;
    const deleted = parameters.length === 0 ? 0 : parameters.length === 1 ? max : whole(count);
    return list.splice(start, Math.min(Math.max(deleted, 0), max), values);
  },
  slice(start?: number, end?: number): unknown[] {
    const list = listOf(this);
    const { size } = list;
    return list.slice(relative(start, size, 0), relative(end, size, size));
  },
  reverse(): unknown {
    const list = listOf(this);
    list.rearrange(0, list.size, (elements) => elements.toReversed());
    return this;
  },
  sort(compare?: (a: unknown, b: unknown) => number): unknown {
    const list = listOf(this);
    if (compare !== undefined && typeof compare !== 'function')
      throw new TypeError('The comparison function must be a function or undefined.');
    list.rearrange(0, list.size, (elements) => sorted(list, elements, compare));
    return this;
  },
  fill(...[value, start, end]: [value: unknown, start?: number, end?: number]): unknown {
    const list = listOf(this);
    const { size } = list;
    const first = relative(start, size, 0);
    list.rearrange(first, relative(end, size, size), (elements) => elements.fill(list.adopt(value, first)));
    return this;
  },
  copyWithin(target: number, start: number, end?: number): unknown {
    const list = listOf(this);
    list.rearrange(0, list.size, (elements) => elements.copyWithin(target, start, end));
    return this;
  },
  at(index: number): unknown {
    const list = listOf(this);
    const position = whole(index) < 0 ? list.size + whole(index) : whole(index);
    return position < 0 || position >= list.size ? undefined : list.get(position);
  },
  values(): IterableIterator<unknown> {
    return listOf(this).iterate();
  },
} satisfies Record<string, (this: object, ...parameters: never[]) => unknown>;

const textOf: (value: unknown) => string = String;

/** Sorts like Array.prototype.sort: as strings by default, undefined always last. */
function sorted(
  list: ManagedList,
  elements: readonly Encoded[],
  compare: ((a: unknown, b: unknown) => number) | undefined,
): readonly Encoded[] {
  const pairs = elements.map((encoded) => {
    const value = list.decode(encoded);
    return { encoded, value, text: compare === undefined && value !== undefined ? textOf(value) : '' };
  });
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const isDefined = ({ value }: { readonly value: unknown }): boolean => value !== undefined;
  const defined = pairs.filter(isDefined);
  defined.sort((a, b) => (compare === undefined ? byText(a.text, b.text) : compare(a.value, b.value)));
  return [...defined, ...pairs.filter((pair) => !isDefined(pair))].map(({ encoded }) => encoded);
}

function indexOf(name: string): number | undefined {
  const first = name.charCodeAt(0);
  if (first < 48 || first > 57) return undefined;
  const index = Number(name);
  return Number.isInteger(index) && index < 0xffffffff && String(index) === name ? index : undefined;
}

function whole(value: unknown): number {
  const number = Math.trunc(Number(value));
  return Number.isNaN(number) ? 0 : number;
}

function relative(value: unknown, size: number, absent: number): number {
  if (value === undefined) return absent;
  const number = whole(value);
  return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
}

function hole(index: number): NotStorableError {
  return new NotStorableError(
    `Index [${index}] is beyond the end of the managed array and would leave holes. Append with push.`,
    { path: `[${index}]` },
  );
}
