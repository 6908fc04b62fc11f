// Sorted indexes: objects by any comparable key, selected by range. An index is itself a durable object, kept while
// something refers to it. Its entries are rows, so changes cost the same at any size.
import { inspect } from 'node:util';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { decodeKey, encodeKey, type Key, type KeyPart, type Range } from '../../store/door.ts';
import { decode } from '../instances/decode.ts';
import { namesOf } from '../declaration.ts';
import { referenceIn, type Reference } from '../instances/encoded.ts';
import { bindNode, nodeOf, placeOf, referenceTo } from '../node.ts';
import type { Node } from '../object-graph.ts';
import type { Query } from './query.ts';
import { recordOf } from '../record.ts';
import { extentRows, indexRows, nodeRows } from '../rows.ts';
import type { RowTransaction } from '../transactions/row-transaction.ts';

/** One key, or several for a compound index. `null` means "no key". */
export type IndexKey = KeyPart | readonly KeyPart[];

/** In which order, and how many, objects are taken from an index. */
export interface SelectOptions {
  /** Largest key first. */
  readonly descending?: boolean | undefined;
  /** Where entries without a key (`null`) appear: `first` (the default), `last`, or not at all (`none`). */
  readonly nulls?: 'first' | 'last' | 'none' | undefined;
  readonly limit?: number | undefined;
}

const maxKeyBytes = 700;

/** A sorted index of durable objects, itself durable: keep it in a field, add objects under keys, select ranges. */
export class ObjectIndex<Instance extends object = object> {
  readonly #node: Node;

  /** @internal */
  constructor(node: Node) {
    this.#node = node;
    bindNode(this, node);
  }

  add(key: IndexKey, instance: Instance): void {
    const { objects, space } = this.#node;
    objects.checkWritable(space);
    this.#checkExists();
    const target = this.#targetOf(instance);
    objects.transactionNow().put(indexRows, this.#rowKey(key, target), referenceTo(target, space));
  }

  /** Removes an entry; false if it does not exist. */
  remove(key: IndexKey, instance: Instance): boolean {
    const { objects, space } = this.#node;
    objects.checkWritable(space);
    const rowKey = this.#rowKey(key, this.#targetOf(instance));
    const transaction = objects.transactionNow();
    if (transaction.get(indexRows, rowKey) === undefined) return false;
    transaction.remove(indexRows, rowKey);
    return true;
  }

  /** Objects with keys from `from` to `to` (exclusive); without bounds, all. Bounds may be prefixes of compound keys. */
  *select(from?: IndexKey, to?: IndexKey, options: SelectOptions = {}): Generator<Instance, void, undefined> {
    refuseUnknownOptions('index.select', options, { descending: true, nulls: true, limit: true });
    const { descending = false, nulls = 'first', limit = Number.POSITIVE_INFINITY } = options;
    if (!['first', 'last', 'none'].includes(nulls))
      throw new InvalidOptionError("index.select: 'nulls' must be 'first', 'last' or 'none'.", { nulls });
    if (!(limit >= 0)) throw new InvalidOptionError("index.select: 'limit' must be a number from 0.", { limit });
    this.#checkExists();
    const { objects, space, id } = this.#node;
    const prefix: Key = [space, id, 1];
    const keyed: Range = {
      prefix,
      ...(from === undefined ? {} : { from: [...prefix, ...partsOf(from)] }),
      ...(to === undefined ? {} : { to: [...prefix, ...partsOf(to)] }),
    };
    const withNull: Range = { prefix: [space, id, 0] };
    // Entries without a key are outside all bounds.
    const hasBounds = from !== undefined || to !== undefined;
    const nullsFirst = nulls === 'none' || hasBounds ? [] : [withNull];
    const ranges = nulls === 'last' ? [keyed, ...nullsFirst] : [...nullsFirst, keyed];
    let count = 0;
    for (const range of ranges) {
      const transaction = objects.transactionNow();
      for (const { value } of transaction.scan(indexRows, range, descending)) {
        const instance = this.#instanceOf(value);
        if (instance === undefined) continue;
        if (count++ >= limit) return;
        yield instance;
      }
    }
  }

  /** The objects of a query in the order of this index, without those that are not in it. */
  *sort(query: Query<Instance>, options: SelectOptions = {}): Generator<Instance, void, undefined> {
    const wanted = new Set<object>(query);
    const { limit = Number.POSITIVE_INFINITY, ...order } = options;
    let count = 0;
    for (const instance of this.select(undefined, undefined, order)) {
      if (!wanted.has(instance)) continue;
      if (count++ >= limit) return;
      yield instance;
    }
  }

  /** The number of entries in a range. */
  count(from?: IndexKey, to?: IndexKey): number {
    let count = 0;
    for (const _ of this.select(from, to)) count++;
    return count;
  }

  /** One page in key order, after the page with this cursor. */
  page(size = 100, cursor?: string): { readonly items: readonly Instance[]; readonly cursor: string | undefined } {
    if (!Number.isInteger(size) || size < 1 || size > 10_000)
      throw new InvalidOptionError('page: the size must be a whole number from 1 to 10000.', { size });
    this.#checkExists();
    const { objects, space, id } = this.#node;
    const range: Range = {
      prefix: [space, id],
      ...(cursor === undefined ? {} : { from: [...keyOfCursor(cursor), null] }),
    };
    const items: Instance[] = [];
    let last: Key = [];
    for (const { key, value } of objects.transactionNow().scan(indexRows, range)) {
      if (items.length === size) return { items, cursor: cursorOf(last) };
      const instance = this.#instanceOf(value);
      if (instance !== undefined) items.push(instance);
      last = key;
    }
    return { items, cursor: undefined };
  }

  [Symbol.iterator](): Iterator<Instance> {
    return this.select();
  }

  [inspect.custom](): string {
    return `ObjectIndex { id: '${this.#node.id}' }`;
  }

  #rowKey(key: IndexKey, target: Node): Key {
    const { space, id } = this.#node;
    const parts = partsOf(key);
    const isNull = parts.length === 1 && parts[0] === null;
    // Entries without a key sort first.
    return isNull ? [space, id, 0, target.id] : [space, id, 1, ...parts, target.id];
  }

  /** The object of an entry; undefined if it was removed. The next collection removes its entry. */
  #instanceOf(value: unknown): Instance | undefined {
    const { objects, space } = this.#node;
    const reference = referenceIn(value);
    if (reference === undefined) return undefined;
    if (!this.#isThere(objects.transactionNow(), reference)) return undefined;
    return decode(objects, space, reference) as Instance;
  }

  #targetOf(instance: object): Node {
    const target = nodeOf(instance);
    if (target === undefined || target.objects !== this.#node.objects)
      throw new InvalidOptionError('An index takes only durable objects of the same kit.');
    return target;
  }

  /** Makes the commit depend on the existence of the object, but not on its contents. */
  #isThere(transaction: RowTransaction, [kind, reference, className]: Reference): boolean {
    const { objects, space: from } = this.#node;
    const { space, id } = placeOf(reference, from);
    if (kind !== 'ref') return transaction.get(nodeRows, [space, id]) !== undefined;
    transaction.expect(nodeRows, [[space, id]]);
    const declaration = objects.classes.named(className);
    const names = declaration === undefined ? [className] : namesOf(declaration);
    return names.some((name) => transaction.get(extentRows, [space, name, id]) !== undefined);
  }

  #checkExists(): void {
    recordOf(this.#node);
  }
}

function partsOf(key: IndexKey): readonly KeyPart[] {
  const parts = Array.isArray(key) ? (key as readonly KeyPart[]) : [key as KeyPart];
  let bytes = 0;
  for (const part of parts) if (typeof part === 'string') bytes += Buffer.byteLength(part);
  if (parts.length === 0 || bytes > maxKeyBytes)
    throw new InvalidOptionError(
      `The key of an index entry must have at least one part and at most ${maxKeyBytes} bytes of text. Index a shorter form of it.`,
    );
  return parts;
}

function cursorOf(key: Key): string {
  return Buffer.from(encodeKey(key), 'latin1').toString('base64url');
}

function keyOfCursor(cursor: string): Key {
  return decodeKey(Buffer.from(cursor, 'base64url').toString('latin1'));
}
