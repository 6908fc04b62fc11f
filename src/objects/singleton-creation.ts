// The making of a singleton. Two processes may make the same one at the same time, each in a turn of its own: both give it
// the same id, and the one whose commit comes second drops its creation and goes on with what the other has made.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Collection, RecordCollection } from '../store/collection.ts';
import { encodeKey, type Key } from '../store/key.ts';
import type { Check, Revision, Store, Write } from '../store/store.ts';
import { referenceIn } from './instances/encoded.ts';
import { ObjectConflictError } from './errors.ts';
import { idText } from './node.ts';
import type { Node } from './object-graph.ts';
import { extentRows, indexRows, nodeRows, partRows, rootRows, type InstanceRecord } from './rows.ts';
import type { RowTransaction } from './transactions/row-transaction.ts';

/** Where it is counted how many singletons of a class were removed: their ids are not given out again. */
export function removedKey(space: string, name: string): Key {
  return [space, 'removed', name];
}

/** The id of a class's singleton, the same in every process that makes it. It comes before ids that begin with a time. */
export function singletonId(name: string, removed: number): string {
  return `00000000${createHash('sha256').update(`${removed} ${name}`).digest('base64url').slice(0, 22)}`;
}

const creations = new WeakMap<RowTransaction, SingletonCreation[]>();

/** The creation whose constructor is running in a transaction; of several, the one that began last. */
export function creationIn(transaction: RowTransaction): SingletonCreation | undefined {
  return creations.get(transaction)?.findLast(({ hasEnded }) => !hasEnded);
}

/** Says that an object was looked at: what its turn does may follow from what it found. */
export function noteUse(node: Node): void {
  for (const creation of creations.get(node.objects.transactionNow()) ?? [])
    if (creation.node === node && creation.hasEnded) creation.isUsed = true;
}

export class SingletonCreation {
  readonly node: Node;
  readonly transaction: RowTransaction;
  isUsed = false;
  readonly #fields: string[];
  /** What was made for it: itself, and everything its first values consist of. */
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

  /** The id of something among its first values: the same in every process that makes it. They sort as they were made. */
  nextId(): string {
    const count = (this.#parts++).toString(36);
    return `${this.node.id}.${String.fromCharCode(96 + count.length)}${count}`;
  }

  /** Says that a node was made while the constructor ran. */
  noteMade(space: string, id: string): void {
    this.#made.add(idText(space, id));
  }

  /** Says that the constructor has defined a field, or everything it had to do before. */
  defined(node: Node, name?: string): void {
    if (node !== this.node) return;
    if (name !== undefined && this.#fields[0] === name) this.#fields.shift();
    if (this.#fields.length > 0 || this.hasEnded) return;
    // Records are changed in place as long as nobody else has them.
    this.#first = new Map(
      this.rows().map(({ collection, key, value }) => [rowName(collection, key), structuredClone(value)]),
    );
  }

  get rootKey(): Key {
    return [this.node.space, 'singleton', this.node.type];
  }

  /** The rows it consists of, as the transaction leaves them. */
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

  /** What was changed after the constructor had ended: names of fields, or of anything else about it. */
  changed(): string[] {
    if (this.#first === undefined) return ['(its constructor did not end)'];
    const first = this.#first;
    const found = new Set<string>();
    for (const { collection, key, value } of this.rows()) {
      const before = first.get(rowName(collection, key));
      if (isDeepStrictEqual(before, value)) continue;
      if (value === undefined && key[1] === this.node.id) {
        found.add('(it was removed)');
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

  /** The field whose first value something is. */
  #fieldOf(id: string): string {
    const { fields = {} } = (this.transaction.get(nodeRows, this.node.key) ?? {}) as Partial<InstanceRecord>;
    return Object.entries(fields).find(([, value]) => referenceIn(value)?.[1] === id)?.[0] ?? '(one of its parts)';
  }
}

/** What is left of a turn whose singletons were made by another process first. */
export interface WithoutCreations {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
  /** Revisions of the rows that are there instead; undefined where the other process's row has another content. */
  readonly replaced: ReadonlyMap<string, Revision | undefined>;
}

export function rowName({ name }: Collection, key: Key): string {
  return `${name} ${encodeKey(key)}`;
}

/**
 * Takes the creations out of a turn that met singletons which another process made first; undefined if it met none. Throws
 * if the turn has changed such a singleton, or depends on what it found in it.
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
        `Another process made the singleton ${node.type} first, and has it in another form; what was set here after it was made (${changed.join(', ')}) was not kept, nor anything else of this turn. Use transaction(…), which tries again by itself.`,
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
      `Another process made the singleton ${used.node.type} first, and has it in another form than this turn has seen. Nothing of this turn was kept. Use transaction(…), which tries again by itself.`,
      { class: used.node.type },
    );
  return {
    checks: [...checks.filter((check) => check.kind === 'unchanged' || !('key' in check) || isLeft(check)), ...instead],
    writes: left,
    replaced,
  };
}
