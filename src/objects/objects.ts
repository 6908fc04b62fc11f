// The durable objects of one store: their identities, and the transactions that uses of them belong to.
import { systemClock, type Clock } from '../base/clock.ts';
import type { Key, Revision, Store } from '../store/door.ts';
import { ambientTransaction, within } from './transactions/ambient.ts';
import { announce, Classes, withdraw } from './classes.ts';
import type { Parts } from './collections/parts.ts';
import { namesOf, type AnyClass, type DurableClass } from './declaration.ts';
import { DurableClassError, ObjectReadOnlyError } from './errors.ts';
import { Identities } from './instances/identities.ts';
import { Ids } from './ids.ts';
import { instanceFor, keepFields } from './instances/instance.ts';
import { isCollectionKind, type Encoded } from './instances/encoded.ts';
import { markFresh } from './instances/migrate.ts';
import { arrayFor } from './instances/managed-array.ts';
import { mapFor } from './instances/managed-map.ts';
import { objectFor } from './instances/managed-object.ts';
import { setFor } from './instances/managed-set.ts';
import { derivedId, idText, nodeOf, placeOf, referenceTo } from './node.ts';
import type { Node, ObjectGraph } from './object-graph.ts';
import { ObjectIndex } from './queries/object-index.ts';
import { findRecord, recordOf } from './record.ts';
import {
  extentRows,
  indexRows,
  nodeRows,
  objectCollections,
  partRows,
  rootRows,
  tagRows,
  type InstanceRecord,
  type NodeRecord,
} from './rows.ts';
import { Contention } from './transactions/contention.ts';
import { RowCache } from './transactions/row-cache.ts';
import { SynchronousSource, type RowSource } from './transactions/row-source.ts';
import { RowTransaction } from './transactions/row-transaction.ts';
import { creationIn, removedKey, SingletonCreation, singletonId } from './singleton-creation.ts';
import { Spaces } from './spaces.ts';
import { PlainWrites } from './transactions/plain-writes.ts';

const maxIdLength = 300;

export interface ObjectsOptions {
  readonly classes?: readonly DurableClass[] | undefined;
  /** The clock for ids (default: the system clock). */
  readonly clock?: Clock | undefined;
  /** Row cache in MiB, for stores with synchronous reads (default: 64). */
  readonly cacheMegabytes?: number | undefined;
}

export class Objects implements ObjectGraph {
  readonly store: Store;
  readonly classes: Classes;
  readonly spaces = new Spaces();
  readonly plainWrites: PlainWrites;
  readonly contention = new Contention();
  readonly #identities = new Identities();
  readonly #ids: Ids;
  readonly #cache: RowCache | undefined;
  #derived: { readonly owner: string; readonly part: string; count: number } | undefined;

  static async open(store: Store, options: ObjectsOptions = {}): Promise<Objects> {
    const classes = new Classes(options.classes ?? []);
    await store.declare(...objectCollections);
    return new Objects(store, classes, options);
  }

  private constructor(store: Store, classes: Classes, { clock = systemClock, cacheMegabytes = 64 }: ObjectsOptions) {
    this.store = store;
    this.#ids = new Ids(clock);
    const { synchronous } = store;
    this.#cache = synchronous && new RowCache(synchronous, objectCollections, cacheMegabytes * 2 ** 20);
    this.classes = classes;
    this.plainWrites = new PlainWrites(this);
    announce(this, classes);
  }

  transactionNow(): RowTransaction {
    return ambientTransaction(this) ?? this.plainWrites.current();
  }

  beginSynchronous(revision?: Revision, readonly?: string): RowTransaction | undefined {
    const { synchronous } = this.store;
    if (synchronous === undefined) return undefined;
    // The cache has only current rows; for the past, the store must check whether it was pruned.
    const source = revision === undefined ? this.committedRows() : new SynchronousSource(synchronous, revision);
    return source && new RowTransaction(source, readonly);
  }

  committedRows(): RowSource | undefined {
    const { synchronous } = this.store;
    return synchronous && new SynchronousSource(synchronous, undefined, this.#cache);
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
    // No key, and so no id, is that long.
    if (idOrText.length > maxIdLength) return undefined;
    const record = findRecord({ objects: this, space, id, key: [space, id] });
    return record && this.handleFor(space, id, typeOf(record));
  }

  isThere(node: Node): boolean {
    return findRecord(node) !== undefined;
  }

  newId(): string {
    if (this.#derived !== undefined) return derivedId(this.#derived.owner, this.#derived.count++, this.#derived.part);
    return creationIn(this.transactionNow())?.nextId() ?? this.#ids.next();
  }

  derivingIds<Result>(owner: string, part: string, action: () => Result): Result {
    const outer = this.#derived;
    this.#derived = { owner, part, count: 0 };
    try {
      return action();
    } finally {
      this.#derived = outer;
    }
  }

  construct(target: AnyClass, given: Readonly<Record<string, unknown>> = {}): object {
    const { name, version, options, fields } = this.classes.get(target);
    const space = this.spaces.current;
    const transaction = this.transactionNow();
    if (options.singleton === true) {
      const made = this.singleton(target);
      if (made !== undefined) {
        keepFields(nodeOf(made) as Node, fields);
        // Existing fields keep their values.
        for (const [field, value] of Object.entries(given))
          if (!Object.hasOwn(made, field)) Reflect.set(made, field, value);
        return made;
      }
    }
    const id = options.singleton === true ? this.#singletonId(space, name) : this.newId();
    const record: InstanceRecord = { class: name, version, fields: {} };
    markFresh(record);
    this.createNode(space, id, record);
    transaction.put(extentRows, [space, name, id], { class: name });
    const made = this.handleFor(space, id, name);
    const setGiven = (): void => {
      for (const [field, value] of Object.entries(given)) Reflect.set(made, field, value);
    };
    if (options.singleton === true) {
      transaction.put(rootRows, [space, 'singleton', name], ['ref', id, name]);
      const node = nodeOf(made) as Node;
      const creation = new SingletonCreation(node, fields);
      setGiven();
      creation.defined(node);
    } else setGiven();
    return made;
  }

  #singletonId(space: string, name: string): string {
    return singletonId(name, this.#removedSingletons(space, name));
  }

  #removedSingletons(space: string, name: string): number {
    return Number(this.transactionNow().get(rootRows, removedKey(space, name)) ?? 0);
  }

  createNode(space: string, id: string, record: NodeRecord): void {
    this.checkWritable(space);
    const transaction = this.transactionNow();
    transaction.expectAbsent(nodeRows, [space, id]);
    transaction.put(nodeRows, [space, id], record);
    creationIn(transaction)?.noteMade(space, id);
  }

  remove(node: Node): void {
    this.checkWritable(node.space);
    const transaction = this.transactionNow();
    const record = recordOf(node);
    const { space, id } = node;
    if (transaction.get(rootRows, [space, 'pin', id]) !== undefined) transaction.remove(rootRows, [space, 'pin', id]);
    if ('class' in record) {
      for (const tag of record.tags ?? []) transaction.remove(tagRows, [space, tag, id]);
      transaction.remove(extentRows, [space, record.class, id]);
      for (const name of namesOf(this.classes.named(record.class))) {
        const key = [space, 'singleton', name];
        const known = transaction.get(rootRows, key) as Encoded | undefined;
        if (!Array.isArray(known) || known[1] !== id) continue;
        transaction.remove(rootRows, key);
        // A new singleton gets a new id, so that references to this one do not lead to it.
        const current = this.classes.named(record.class)?.name ?? name;
        transaction.put(rootRows, removedKey(space, current), this.#removedSingletons(space, current) + 1);
      }
    } else {
      const rows = 'index' in record ? indexRows : partRows;
      for (const { key } of transaction.scan(rows, { prefix: [space, id] })) transaction.remove(rows, key);
    }
    transaction.remove(nodeRows, node.key);
  }

  pin(node: Node, isPinned: boolean): void {
    this.checkWritable(node.space);
    const transaction = this.transactionNow();
    recordOf(node);
    const key: Key = [node.space, 'pin', node.id];
    const known = transaction.get(rootRows, key) !== undefined;
    if (isPinned && !known) transaction.put(rootRows, key, referenceTo(node, node.space));
    if (!isPinned && known) transaction.remove(rootRows, key);
  }

  partsOf(space: string, id: string): Parts {
    // An iterator may outlive the transaction it started in.
    return {
      read: (key) => this.transactionNow().get(partRows, [space, id, ...key]),
      write: (key, value) => {
        this.checkWritable(space);
        this.transactionNow().put(partRows, [space, id, ...key], value);
      },
      remove: (key) => {
        this.checkWritable(space);
        this.transactionNow().remove(partRows, [space, id, ...key]);
      },
    };
  }

  checkWritable(space: string): void {
    // Writes that follow from reading are not stored in read-only spaces.
    if (this.spaces.isReadonly(space) && !this.transactionNow().isAside)
      throw new ObjectReadOnlyError(
        `The space '${space}' is open read-only. Open it without { readonly: true } to change it.`,
        { space },
      );
  }

  /** The instance of a singleton class in the current space, if it exists. */
  singleton(target: AnyClass): object | undefined {
    const declaration = this.classes.get(target);
    const { name } = declaration;
    if (declaration.options.singleton !== true)
      throw new DurableClassError(`${name} is not a singleton. Declare it with static durable = { singleton: true }.`);
    const space = this.spaces.current;
    for (const stored of namesOf(declaration)) {
      const known = this.transactionNow().get(rootRows, [space, 'singleton', stored]) as Encoded | undefined;
      if (Array.isArray(known)) return this.handleFor(space, String(known[1]), name);
    }
    return undefined;
  }

  close(): void {
    withdraw(this);
  }
}

export function typeOf(record: NodeRecord): string {
  if ('class' in record) return record.class;
  return Object.keys(record)[0] ?? 'object';
}
