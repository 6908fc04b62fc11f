// Queries: objects by class and tags, evaluated lazily, in creation order.
import { InvalidOptionError } from '../../base/options.ts';
import type { Key } from '../../store/door.ts';
import type { AnyClass } from '../declaration.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { extentRows, nodeRows, tagRows } from '../rows.ts';

/** A tag, a list of alternatives, or a tag that must be absent (`no(tag)`). */
export type Tag = string | readonly string[] | { readonly without: string };

/** Objects that do not have a tag: `find(Person, 'employee', no('manager'))`. */
export function no(tag: string): { readonly without: string } {
  return { without: checkTag(tag) };
}

export function checkTag(tag: unknown): string {
  if (typeof tag !== 'string' || tag === '' || Buffer.byteLength(tag) > 200)
    throw new InvalidOptionError(`A tag must be a string of 1 to 200 bytes, not ${JSON.stringify(tag)}.`, { tag });
  return tag;
}

/** A query as data. */
export interface QueryDefinition {
  readonly space: string;
  /** Names of the classes; undefined for any. */
  readonly classes: readonly string[] | undefined;
  /** The object must have one tag of each list. */
  readonly some: readonly (readonly string[])[];
  readonly none: readonly string[];
  readonly reverse: boolean;
  readonly limit: number | undefined;
}

/** Evaluated on each use; nothing is loaded before. */
export class Query<Instance extends object = object> implements Iterable<Instance> {
  readonly #objects: ObjectGraph;
  readonly #definition: QueryDefinition;

  /** @internal */
  constructor(objects: ObjectGraph, definition: QueryDefinition) {
    this.#objects = objects;
    this.#definition = definition;
  }

  /** @internal */
  static definitionOf(query: Query): { objects: ObjectGraph; definition: QueryDefinition } {
    return { objects: query.#objects, definition: query.#definition };
  }

  *[Symbol.iterator](): Iterator<Instance> {
    const { limit } = this.#definition;
    let count = 0;
    for (const { id, type } of this.#found()) {
      if (limit !== undefined && count++ >= limit) return;
      yield this.#objects.handleFor(this.#definition.space, id, type) as Instance;
    }
  }

  /** The number of objects. */
  count(): number {
    const { limit = Number.POSITIVE_INFINITY } = this.#definition;
    if (limit === 0) return 0;
    let count = 0;
    for (const _ of this.#found()) if (++count >= limit) break;
    return count;
  }

  first(): Instance | undefined {
    for (const instance of this) return instance;
    return undefined;
  }

  toArray(): Instance[] {
    return [...this];
  }

  has(instance: object): boolean {
    for (const candidate of this) if (candidate === instance) return true;
    return false;
  }

  /** One page, after the page with this cursor. */
  page(size = 100, cursor?: string): { readonly items: readonly Instance[]; readonly cursor: string | undefined } {
    if (!Number.isInteger(size) || size < 1 || size > 10_000)
      throw new InvalidOptionError('page: the size must be a whole number from 1 to 10000.', { size });
    const { limit = Number.POSITIVE_INFINITY } = this.#definition;
    const [taken, after] = cursor === undefined ? [0, undefined] : readCursor(cursor);
    const max = Math.min(size, limit - taken);
    const items: Instance[] = [];
    if (max <= 0) return { items, cursor: undefined };
    let last: string | undefined;
    for (const { id, type } of this.#found(after)) {
      if (items.length === max) return { items, cursor: taken + max >= limit ? undefined : `${taken + max}.${last}` };
      items.push(this.#objects.handleFor(this.#definition.space, id, type) as Instance);
      last = id;
    }
    return { items, cursor: undefined };
  }

  /** Newest first. */
  reverse(): Query<Instance> {
    return new Query(this.#objects, { ...this.#definition, reverse: !this.#definition.reverse });
  }

  /** At most this many objects. */
  limit(max: number): Query<Instance> {
    if (!Number.isInteger(max) || max < 0)
      throw new InvalidOptionError('limit: the limit must be a whole number from 0.', { limit: max });
    return new Query(this.#objects, { ...this.#definition, limit: max });
  }

  *#found(after?: string): Generator<{ id: string; type: string }, void, undefined> {
    const { space, classes, some, none, reverse } = this.#definition;
    const transaction = this.#objects.transactionNow();
    const [driver, ...others] = some;
    const isOf = (name: string): boolean => classes === undefined || classes.includes(name);
    const isTagged = (tag: string, id: string): boolean => transaction.get(tagRows, [space, tag, id]) !== undefined;
    const candidates =
      driver === undefined
        ? merged(
            (classes ?? []).map((name) => this.#rows(extentRows, [space, name], after)),
            reverse,
          )
        : merged(
            driver.map((tag) => this.#rows(tagRows, [space, tag], after)),
            reverse,
          );
    let last: string | undefined;
    for (const { id, type } of candidates) {
      if (id === last || !isOf(type)) continue;
      last = id;
      if (!others.every((choice) => choice.some((tag) => isTagged(tag, id)))) continue;
      if (none.some((tag) => isTagged(tag, id))) continue;
      // The objects found will be read next, so they are loaded together.
      transaction.expect(nodeRows, [[space, id]]);
      yield { id, type };
    }
  }

  *#rows(
    collection: typeof tagRows,
    prefix: Key,
    after: string | undefined,
  ): Generator<{ id: string; type: string }, void, undefined> {
    const { reverse } = this.#definition;
    const range =
      after === undefined
        ? { prefix }
        : reverse
          ? { prefix, to: [...prefix, after] }
          : { prefix, from: [...prefix, after, null] };
    for (const { key, value } of this.#objects.transactionNow().scan(collection, range, reverse))
      yield { id: String(key.at(-1)), type: (value as { class: string }).class };
  }
}

/** How many objects earlier pages had, and the id of the last. */
function readCursor(cursor: string): [taken: number, after: string] {
  const [, taken, after] = /^(\d+)\.(.+)$/s.exec(cursor) ?? [];
  if (taken === undefined || after === undefined)
    throw new InvalidOptionError('page: the cursor is invalid. Pass the cursor of the previous page.', { cursor });
  return [Number(taken), after];
}

/** Merges several ordered sequences. */
function* merged(
  sources: readonly Generator<{ id: string; type: string }, void, undefined>[],
  reverse: boolean,
): Generator<{ id: string; type: string }, void, undefined> {
  const heads = sources.map((source) => ({ source, next: source.next() }));
  for (;;) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done === true) continue;
      const isBetter =
        best === undefined ||
        (reverse
          ? head.next.value.id > (best.next.value as { id: string }).id
          : head.next.value.id < (best.next.value as { id: string }).id);
      if (isBetter) best = head;
    }
    if (best === undefined || best.next.done === true) return;
    yield best.next.value;
    best.next = best.source.next();
  }
}

export function queryOf<Instance extends object>(
  objects: ObjectGraph,
  space: string,
  target: AnyClass<Instance> | undefined,
  tags: readonly Tag[],
): Query<Instance> {
  const some: (readonly string[])[] = [];
  const none: string[] = [];
  for (const tag of tags) {
    if (Array.isArray(tag)) some.push((tag as readonly string[]).map(checkTag));
    else if (typeof tag === 'object' && 'without' in tag) none.push(checkTag(tag.without));
    else some.push([checkTag(tag)]);
  }
  const classes = target === undefined ? undefined : (objects.classes.get(target), objects.classes.namesOf(target));
  if (classes === undefined && some.length === 0)
    throw new InvalidOptionError('find needs a class or at least one positive tag.');
  return new Query<Instance>(objects, { space, classes, some, none, reverse: false, limit: undefined });
}
