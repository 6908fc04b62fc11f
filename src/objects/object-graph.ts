// The interface through which the parts of the objects layer use the whole; `Objects` implements it.
import type { Key, Revision, Store } from '../store/door.ts';
import type { Parts } from './collections/parts.ts';
import type { Declaration, AnyClass } from './declaration.ts';
import type { Contention } from './transactions/contention.ts';
import type { LoadedRows } from './transactions/loaded-rows.ts';
import type { NodeRecord } from './rows.ts';
import type { RowSource } from './transactions/row-source.ts';
import type { RowTransaction } from './transactions/row-transaction.ts';
import type { Spaces } from './spaces.ts';

/** A durable object or collection: an id in a space of a kit. */
export interface Node {
  readonly objects: ObjectGraph;
  readonly space: string;
  readonly id: string;
  /** The name of its class, or the kind of collection. */
  readonly type: string;
  readonly key: Key;
}

/** The durable classes of a kit, by stored name. */
export interface RegisteredClasses {
  /** The class with this stored name, current or former. */
  named(name: string): Declaration | undefined;
  has(target: AnyClass): boolean;
  /** The declaration of a class; throws if it is not registered. */
  get(target: AnyClass): Declaration;
  /** The names under which instances of a class and of its subclasses may be stored. */
  namesOf(target: AnyClass): string[];
}

/** Uses of objects outside a transaction. */
export interface ApplicationWrites {
  /** Rows loaded from a store without synchronous reads. */
  readonly loaded: LoadedRows;
  /** Changes are being committed. */
  readonly isBusy: boolean;
  /** Waits until all changes so far are durable or have failed. */
  settle(): Promise<void>;
}

export interface ObjectGraph {
  readonly store: Store;
  readonly classes: RegisteredClasses;
  readonly spaces: Spaces;
  readonly plainWrites: ApplicationWrites;
  readonly contention: Contention;
  /** The transaction of the current code: an explicit one, or the implicit one outside transactions. */
  transactionNow(): RowTransaction;
  /** The current rows; undefined if the store has no synchronous reads. */
  committedRows(): RowSource | undefined;
  /** Begins a transaction; undefined if the store has no synchronous reads. `readonly` is the reason why writes fail. */
  beginSynchronous(revision?: Revision, readonly?: string): RowTransaction | undefined;
  /** Runs code within `transaction`. */
  within<Result>(transaction: RowTransaction, action: () => Result): Result;
  /** The object for a node; always the same while the application holds it. */
  handleFor(space: string, id: string, type: string): object;
  /** The object with this id, or undefined if there is none. */
  find(idText: string): object | undefined;
  isThere(node: Node): boolean;
  newId(): string;
  /** Runs code whose new ids derive from `owner` and `part`, so that they are the same each time. */
  derivingIds<Result>(owner: string, part: string, action: () => Result): Result;
  /** Creates the object for `new` of a durable class; missing fields are set from `given`. */
  construct(target: AnyClass, given?: Readonly<Record<string, unknown>>): object;
  createNode(space: string, id: string, record: NodeRecord): void;
  /** Removes an object or collection. References to it become dangling. */
  remove(node: Node): void;
  /** Protects an object from collection, even if nothing refers to it. */
  pin(node: Node, isPinned: boolean): void;
  partsOf(space: string, id: string): Parts;
  checkWritable(space: string): void;
}
