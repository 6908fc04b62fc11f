// The durable objects of one store: who is who, which transaction a use belongs to, and what happens at its end.
import { randomBytes } from 'node:crypto';
import type { Key } from '../store/key.ts';
import type { Revision, Store } from '../store/store.ts';
import { ambientTransaction, within } from './ambient.ts';
import { announce, Classes, withdraw } from './classes.ts';
import type { Parts } from './collections/parts.ts';
import type { DurableClass } from './declaration.ts';
import { DurableClassError, ObjectReadOnlyError } from './errors.ts';
import { Identities } from './identities.ts';
import { goneError, instanceFor, keepFields } from './instance.ts';
import { isCollectionKind, type Encoded } from './encoded.ts';
import { arrayFor } from './managed-array.ts';
import { mapFor } from './managed-map.ts';
import { objectFor } from './managed-object.ts';
import { setFor } from './managed-set.ts';
import { idText, nodeOf, placeOf, referenceTo } from './node.ts';
import type { Node, ObjectGraph } from './object-graph.ts';
import { ObjectIndex } from './object-index.ts';
import { extentRows, nodeRows, objectCollections, partRows, rootRows, tagRows, type NodeRecord } from './rows.ts';
import { SynchronousSource } from './row-source.ts';
import { RowTransaction } from './row-transaction.ts';
import { Spaces } from './spaces.ts';
import { Turns } from './turns.ts';

export interface ObjectsOptions {
  readonly classes?: readonly DurableClass[] | undefined;
}

export class Objects implements ObjectGraph {
  readonly store: Store;
  readonly classes: Classes;
  readonly spaces = new Spaces();
  readonly turns: Turns;
  readonly #identities = new Identities();
  readonly #prefix = randomBytes(6).toString('base64url');
  #made = 0;

  static async open(store: Store, options: ObjectsOptions = {}): Promise<Objects> {
    const classes = new Classes(options.classes ?? []);
    await store.declare(...objectCollections);
    return new Objects(store, classes);
  }

  private constructor(store: Store, classes: Classes) {
    this.store = store;
    this.classes = classes;
    this.turns = new Turns(this);
    announce(this, classes);
  }

  transactionNow(): RowTransaction {
    return ambientTransaction(this) ?? this.turns.current();
  }

  beginSynchronous(revision?: Revision, readonly?: string): RowTransaction | undefined {
    const { synchronous } = this.store;
    if (synchronous === undefined) return undefined;
    return new RowTransaction(new SynchronousSource(synchronous, revision ?? synchronous.revision()), readonly);
  }

  within<Result>(transaction: RowTransaction, action: () => Result): Result {
    return within(this, transaction, action);
  }

  handleFor(space: string, id: string, type: string): object {
    return this.#identities.get(idText(space, id), () => {
      const declaration = this.classes.named(type);
      const node: Node = { objects: this, space, id, type: declaration?.name ?? type, key: [space, id] };
      if (!isCollectionKind(type)) return instanceFor(node, declaration);
      switch (type) {
        case 'array':
          return arrayFor(node);
        case 'map':
          return mapFor(node);
        case 'set':
          return setFor(node);
        case 'object':
          return objectFor(node);
        case 'index':
          return new ObjectIndex(node);
      }
    });
  }

  find(idOrText: string): object | undefined {
    const { space, id } = placeOf(idOrText);
    const record = this.transactionNow().get(nodeRows, [space, id]) as NodeRecord | undefined;
    return record && this.handleFor(space, id, typeOf(record));
  }

  isThere({ key }: Node): boolean {
    return this.transactionNow().get(nodeRows, key) !== undefined;
  }

  newId(): string {
    const count = (this.#made++).toString(36);
    // Ids made one after another sort in that order, so that they lie together in the store.
    return `${this.#prefix}${String.fromCharCode(96 + count.length)}${count}`;
  }

  construct(target: DurableClass): { made: object; isNew: boolean } {
    const { name, version, options, fields } = this.classes.get(target);
    const space = this.spaces.current;
    const transaction = this.transactionNow();
    const rootKey: Key = [space, 'singleton', name];
    if (options.singleton === true) {
      const known = transaction.get(rootRows, rootKey) as Encoded | undefined;
      if (Array.isArray(known)) {
        const made = this.handleFor(space, String(known[1]), name);
        keepFields(nodeOf(made) as Node, fields);
        return { made, isNew: false };
      }
    }
    const id = this.newId();
    this.createNode(space, id, { class: name, version, fields: {} });
    transaction.put(extentRows, [space, name, id], { class: name });
    if (options.singleton === true) transaction.put(rootRows, rootKey, ['ref', id, name]);
    return { made: this.handleFor(space, id, name), isNew: true };
  }

  createNode(space: string, id: string, record: NodeRecord): void {
    this.refuseReadonly(space);
    const transaction = this.transactionNow();
    transaction.expectAbsent(nodeRows, [space, id]);
    transaction.put(nodeRows, [space, id], record);
  }

  remove(node: Node): void {
    this.refuseReadonly(node.space);
    const transaction = this.transactionNow();
    const record = transaction.get(nodeRows, node.key) as NodeRecord | undefined;
    if (record === undefined) throw goneError(node);
    const { space, id } = node;
    if ('class' in record) {
      for (const tag of record.tags ?? []) transaction.remove(tagRows, [space, tag, id]);
      transaction.remove(extentRows, [space, record.class, id]);
      const declaration = this.classes.named(record.class);
      if (declaration?.options.singleton === true) transaction.remove(rootRows, [space, 'singleton', declaration.name]);
      if (transaction.get(rootRows, [space, 'pin', id]) !== undefined) transaction.remove(rootRows, [space, 'pin', id]);
    } else {
      const parts = [...transaction.scan(partRows, { prefix: [space, id] })];
      for (const { key } of parts) transaction.remove(partRows, key);
    }
    transaction.remove(nodeRows, node.key);
  }

  pin(node: Node, isPinned: boolean): void {
    this.refuseReadonly(node.space);
    const transaction = this.transactionNow();
    if (transaction.get(nodeRows, node.key) === undefined) throw goneError(node);
    const key: Key = [node.space, 'pin', node.id];
    const known = transaction.get(rootRows, key) !== undefined;
    if (isPinned && !known) transaction.put(rootRows, key, referenceTo(node, node.space));
    if (!isPinned && known) transaction.remove(rootRows, key);
  }

  partsOf(space: string, id: string): Parts {
    // An iterator may outlive the transaction it began in.
    return {
      read: (key) => this.transactionNow().get(partRows, [space, id, ...key]),
      write: (key, value) => this.transactionNow().put(partRows, [space, id, ...key], value),
      remove: (key) => this.transactionNow().remove(partRows, [space, id, ...key]),
    };
  }

  refuseReadonly(space: string): void {
    if (this.spaces.isReadonly(space))
      throw new ObjectReadOnlyError(`The space '${space}' was opened for reading only.`, { space });
  }

  /** The only instance of a singleton class in the current space, if it was made. */
  singleton(target: DurableClass): object | undefined {
    const { name, options } = this.classes.get(target);
    if (options.singleton !== true)
      throw new DurableClassError(`${name} is not a singleton. Declare it with static durable = { singleton: true }.`);
    const space = this.spaces.current;
    const known = this.transactionNow().get(rootRows, [space, 'singleton', name]) as Encoded | undefined;
    return Array.isArray(known) ? this.handleFor(space, String(known[1]), name) : undefined;
  }

  close(): void {
    withdraw(this);
  }
}

export function typeOf(record: NodeRecord): string {
  if ('class' in record) return record.class;
  return Object.keys(record)[0] ?? 'object';
}
