// Creates singletons. Two processes may create the same one concurrently outside transactions: both use the same id, and
// the second to commit drops its creation and continues with the existing one.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  encodeKey,
  type Check,
  type Collection,
  type Key,
  type RecordCollection,
  type Revision,
  type Store,
  type Write,
} from '../store/door.ts';
import { referenceIn } from './instances/encoded.ts';
import { ObjectConflictError } from './errors.ts';
import { idText } from './node.ts';
import type { Node } from './object-graph.ts';
import { extentRows, indexRows, nodeRows, partRows, rootRows, type InstanceRecord } from './rows.ts';
import type { RowTransaction } from './transactions/row-transaction.ts';

/** The row that counts removed singletons of a class, so that their ids are not reused. */
export function removedKey(space: string, name: string): Key {
  return [space, 'removed', name];
}

/** The id of a singleton, the same in every process. It sorts before ids that start with a time. */
export function singletonId(name: string, removed: number): string {
  return `00000000${createHash('sha256').update(`${removed} ${name}`).digest('base64url').slice(0, 22)}`;
}

const creations = new WeakMap<RowTransaction, SingletonCreation[]>();

/** The innermost creation whose constructor is running in a transaction. */
export function creationIn(transaction: RowTransaction): SingletonCreation | undefined {
  return creations.get(transaction)?.findLast(({ hasEnded }) => !hasEnded);
}

/** Records that an object was read, because later changes may depend on it. */
export function noteUse(node: Node): void {
  for (const creation of creations.get(node.objects.transactionNow()) ?? [])
    if (creation.node === node && creation.hasEnded) creation.isUsed = true;
}

export class SingletonCreation {
  readonly node: Node;
  readonly transaction: RowTransaction;
  isUsed = false;
  readonly #fields: string[];
  /** The created nodes: the singleton and its initial values. */
  readonly #made: Set<string>;
  #parts = 0;
  /** The rows as the constructor left them. */
  #first: ReadonlyMap<string, unknown> | undefined;

  /** Begins a creation; the constructor will define these fields. */
  constructor(node: Node, fields: readonly string[]) {
    this.node = node;
    this.transaction = node.objects.transactionNow();
    this.#fields = [...fields];
    this.#made = new Set([idText(node.space, node.id)]);
    creations.set(this.transaction, [...(creations.get(this.transaction) ?? []), this]);
  }

  get hasEnded(): boolean {
    return this.#first !== undefined;
  }

  /** The id of an initial value: the same in every process, sorting in creation order. */
  nextId(): string {
    const count = (this.#parts++).toString(36);
    return `${this.node.id}.${String.fromCharCode(96 + count.length)}${count}`;
  }

  /** Records a node created by the constructor. */
  noteMade(space: string, id: string): void {
    this.#made.add(idText(space, id));
  }

  /** Records that the constructor has defined a field, or has done everything before its fields. */
  defined(node: Node, name?: string): void {
    if (node !== this.node) return;
    if (name !== undefined && this.#fields[0] === name) this.#fields.shift();
    if (this.#fields.length > 0 || this.hasEnded) return;
    // Records of this transaction are changed in place, so they are copied.
    this.#first = new Map(
      this.rows().map(({ collection, key, value }) => [rowName(collection, key), structuredClone(value)]),
    );
  }

  get rootKey(): Key {
    return [this.node.space, 'singleton', this.node.type];
  }

  /** Its rows, as the transaction writes them. */
  rows(): { readonly collection: RecordCollection<unknown>; readonly key: Key; readonly value: unknown }[] {
    const isOwn = (collection: Collection, key: Key): boolean => {
      if (collection === rootRows) return encodeKey(key) === encodeKey(this.rootKey);
      const id = collection === extentRows ? key[2] : key[1];
      return this.#made.has(idText(String(key[0]), String(id)));
    };
    return [rootRows, extentRows, indexRows, nodeRows, partRows, indexRows].flatMap((collection) =>
      [...this.transaction.writtenRows(collection).values()]
        .filter(({ key }) => isOwn(collection, key))
        .map(({ key, value }) => ({ collection, key, value })),
    );
  }

  /** What changed after the constructor: names of fields, or descriptions in parentheses. */
  changed(): string[] {
    if (this.#first === undefined) return ['(its constructor did not finish)'];
    const first = this.#first;
    const found = new Set<string>();
    for (const { collection, key, value } of this.rows()) {
      const before = first.get(rowName(collection, key));
      if (isDeepStrictEqual(before, value)) continue;
      if (value === undefined && key[1] === this.node.id) {
        found.add('(removed)');
        continue;
      }
      if (key[1] !== this.node.id || before === undefined) {
        found.add(this.#fieldOf(String(key[1])));
        continue;
      }
      const [was, is] = [before as InstanceRecord, value as InstanceRecord];
      for (const name of new Set([...Object.keys(was.fields), ...Object.keys(is.fields)]))
        if (!isDeepStrictEqual(was.fields[name], is.fields[name])) found.add(name);
      if (!isDeepStrictEqual(was.tags, is.tags)) found.add('(its tags)');
    }
    return [...found];
  }

  /** The field of an initial value. */
  #fieldOf(id: string): string {
    const { fields = {} } = (this.transaction.get(nodeRows, this.node.key) ?? {}) as Partial<InstanceRecord>;
    return Object.entries(fields).find(([, value]) => referenceIn(value)?.[1] === id)?.[0] ?? '(an initial value)';
  }
}

/** The rest of a transaction after dropping singletons that another process created first. */
export interface WithoutCreations {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
  /** Revisions of the existing rows; undefined if their content differs. */
  readonly replaced: ReadonlyMap<string, Revision | undefined>;
}

export function rowName({ name }: Collection, key: Key): string {
  return `${name} ${encodeKey(key)}`;
}

/**
 * Drops creations of singletons that another process created first; undefined if there are none. Throws if the
 * transaction has changed such a singleton or depends on its contents.
 */
export async function withoutCreations(
  store: Store,
  transaction: RowTransaction,
  { checks, writes }: { readonly checks: readonly Check[]; readonly writes: readonly Write[] },
): Promise<WithoutCreations | undefined> {
  const replaced = new Map<string, Revision | undefined>();
  const instead: Check[] = [];
  const differing: SingletonCreation[] = [];
  for (const creation of creations.get(transaction) ?? []) {
    const { node, rootKey } = creation;
    const [root] = await store.read(rootRows, [rootKey]);
    const known = root?.value;
    if (!Array.isArray(known) || known[1] !== node.id) continue;
    const rows = creation.rows();
    const found = await Promise.all(rows.map(async ({ collection, key }) => (await store.read(collection, [key]))[0]));
    const same = rows.map(({ value }, index) => isDeepStrictEqual(found[index]?.value, value));
    for (const [index, { collection, key }] of rows.entries()) {
      const revision = found[index]?.revision;
      replaced.set(rowName(collection, key), same[index] === true ? revision : undefined);
      if (same.every(Boolean) && revision !== undefined) instead.push({ kind: 'revision', collection, key, revision });
    }
    if (same.every(Boolean)) continue;
    const changed = creation.changed();
    if (changed.length > 0)
      throw new ObjectConflictError(
        `Another process created the singleton ${node.type} first, with different contents. The changes made here (${changed.join(', ')}) and all others of the same synchronous code were dropped. Use transaction(…), which retries automatically.`,
        { class: node.type, fields: changed },
      );
    differing.push(creation);
  }
  if (replaced.size === 0) return undefined;
  const isLeft = (row: { readonly collection: Collection; readonly key: Key }): boolean =>
    !replaced.has(rowName(row.collection, row.key));
  const left = writes.filter((write) => isLeft(write));
  const used = differing.find(({ isUsed }) => isUsed);
  if (used !== undefined && left.length > 0)
    throw new ObjectConflictError(
      `Another process created the singleton ${used.node.type} first, with different contents than this code has read. Its changes were dropped. Use transaction(…), which retries automatically.`,
      { class: used.node.type },
    );
  return {
    checks: [...checks.filter((check) => check.kind === 'unchanged' || !('key' in check) || isLeft(check)), ...instead],
    writes: left,
    replaced,
  };
}
