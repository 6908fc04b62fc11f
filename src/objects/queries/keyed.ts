// Shared by managed maps, sets and plain objects: entries in insertion order, found by key.
import { adopt, adoptAll } from '../instances/adopt.ts';
import { mapClear, mapDelete, mapGet, mapHas, mapSet, mapSize, type MapRoot } from '../collections/map.ts';
import { mapIterate } from '../collections/map-iterate.ts';
import type { Parts } from '../collections/parts.ts';
import { decode } from '../instances/decode.ts';
import { asKey, keyTextOf, type Encoded } from '../instances/encoded.ts';
import { EnumMember } from '../enumeration.ts';
import { nodeOf, referenceTo } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { recordOf } from '../record.ts';
import { nodeRows } from '../rows.ts';
import { WeakReference } from '../weak-reference.ts';

/** Objects compared by value. */
const values = [Date, Uint8Array, EnumMember, WeakReference];

type KeyedKind = 'map' | 'set' | 'object';

export class Keyed {
  readonly node: Node;
  readonly #kind: KeyedKind;

  constructor(node: Node, kind: KeyedKind) {
    this.node = node;
    this.#kind = kind;
  }

  get size(): number {
    return mapSize(this.#root);
  }

  get(key: unknown): unknown {
    const text = this.#textOf(key);
    const value = text === undefined ? undefined : mapGet(this.#parts, this.#root, text);
    return value === undefined ? undefined : this.#decode(value);
  }

  has(key: unknown): boolean {
    const text = this.#textOf(key);
    return text !== undefined && mapHas(this.#parts, this.#root, text);
  }

  set(key: unknown, value: unknown): void {
    const { objects, space } = this.node;
    const name = typeof key === 'string' ? key : 'a value';
    const given = this.#kind === 'set' ? [key] : [key, value];
    const pathOf = (index: number): string => `${this.#kind} (${index === 0 ? 'a key' : name})`;
    const [adopted = null, encoded = null] = adoptAll(objects, space, given, pathOf);
    const encodedKey = asKey(adopted);
    this.#put(mapSet(this.#parts, this.#root, keyTextOf(encodedKey), encodedKey, encoded));
  }

  delete(key: unknown): boolean {
    const text = this.#textOf(key);
    if (text === undefined || !mapHas(this.#parts, this.#root, text)) return false;
    this.#put(mapDelete(this.#parts, this.#root, text));
    return true;
  }

  clear(): void {
    this.#put(mapClear(this.#parts, this.#root));
  }

  *entries(): Generator<[unknown, unknown], void, undefined> {
    for (const { key, value } of mapIterate(this.#parts, () => this.#root))
      yield [this.#decode(key), this.#decode(value)];
  }

  *keys(): Generator<unknown, void, undefined> {
    for (const { key } of mapIterate(this.#parts, () => this.#root)) yield this.#decode(key);
  }

  *values(): Generator<unknown, void, undefined> {
    for (const { value } of mapIterate(this.#parts, () => this.#root)) yield this.#decode(value);
  }

  get #root(): MapRoot {
    return (recordOf(this.node) as Partial<Record<KeyedKind, MapRoot>>)[this.#kind] as MapRoot;
  }

  get #parts(): Parts {
    return this.node.objects.partsOf(this.node.space, this.node.id);
  }

  #put(root: MapRoot): void {
    const { objects, space, key } = this.node;
    objects.checkWritable(space);
    if (root !== this.#root) objects.transactionNow().put(nodeRows, key, { [this.#kind]: root });
  }

  /** The text that identifies a key; undefined for values that cannot be keys. */
  #textOf(key: unknown): string | undefined {
    const node = nodeOf(key);
    if (node !== undefined)
      return node.objects === this.node.objects ? keyTextOf(referenceTo(node, this.node.space)) : undefined;
    if (typeof key === 'function' || typeof key === 'symbol') return undefined;
    // Plain collections are copied when stored, so they cannot be found as keys.
    if (typeof key === 'object' && key !== null && !values.some((kind) => key instanceof kind)) return undefined;
    return keyTextOf(adopt(this.node.objects, this.node.space, key, 'a key'));
  }

  #decode(value: unknown): unknown {
    return decode(this.node.objects, this.node.space, value as Encoded);
  }
}
