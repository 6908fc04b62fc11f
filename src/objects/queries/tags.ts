// The tags of an object, by which queries find it. A tagged object is never collected.
import { InvalidOptionError } from '../../base/options.ts';
import { nodeOf } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { checkTag } from './query.ts';
import { nodeRows, tagRows, type InstanceRecord } from '../rows.ts';
import { instanceRecord } from '../record.ts';

/** The tags of a durable object: words that `find` finds it by. */
export interface Tags extends Iterable<string> {
  add(...tags: string[]): void;
  remove(...tags: string[]): void;
  has(tag: string): boolean;
  readonly size: number;
}

/** The tags of a durable object. */
export function tags(target: object): Tags {
  const node = nodeOf(target);
  if (node === undefined || node.objects.classes.named(node.type) === undefined)
    throw new InvalidOptionError('tags takes an object of a durable class: only they have tags.');
  return new ObjectTags(node);
}

class ObjectTags implements Tags {
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  get size(): number {
    return this.#tags.length;
  }

  has(tag: string): boolean {
    return this.#tags.includes(tag);
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#tags[Symbol.iterator]();
  }

  add(...added: string[]): void {
    added.forEach(checkTag);
    this.#change([...new Set([...this.#tags, ...added])]);
  }

  remove(...removed: string[]): void {
    this.#change(this.#tags.filter((tag) => !removed.includes(tag)));
  }

  get #tags(): readonly string[] {
    return this.#record.tags ?? [];
  }

  get #record(): InstanceRecord {
    return instanceRecord(this.#node);
  }

  #change(after: readonly string[]): void {
    const { objects, space, id, key } = this.#node;
    objects.checkWritable(space);
    const record = this.#record;
    const before = record.tags ?? [];
    const transaction = objects.transactionNow();
    const added = after.filter((tag) => !before.includes(tag));
    const removed = before.filter((tag) => !after.includes(tag));
    if (added.length === 0 && removed.length === 0) return;
    for (const tag of added) transaction.put(tagRows, [space, tag, id], { class: record.class });
    for (const tag of removed) transaction.remove(tagRows, [space, tag, id]);
    const { tags: _, ...rest } = record;
    transaction.put(nodeRows, key, after.length === 0 ? rest : { ...rest, tags: after });
  }
}
