// What the parts of the objects layer need of the whole. `Objects` is the whole.
import type { Key } from '../store/key.ts';
import type { Revision, Store } from '../store/store.ts';
import type { Parts } from './collections/parts.ts';
import type { Declaration, DurableClass } from './declaration.ts';
import type { LoadedRows } from './transactions/loaded-rows.ts';
import type { NodeRecord } from './rows.ts';
import type { RowSource } from './transactions/row-source.ts';
import type { RowTransaction } from './transactions/row-transaction.ts';
import type { Spaces } from './spaces.ts';

/** What a durable object or collection is underneath: a place in a space of a kit's objects. */
export interface Node {
  readonly objects: ObjectGraph;
  readonly space: string;
  readonly id: string;
  /** The name of its class, or the kind of collection. */
  readonly type: string;
  readonly key: Key;
}

/** The durable classes of one kit, by the names they are stored under. */
export interface RegisteredClasses {
  /** What is registered under a stored name, former names included. */
  named(name: string): Declaration | undefined;
  has(target: DurableClass): boolean;
  /** The declaration of a class; throws if it is not registered. */
  get(target: DurableClass): Declaration;
  /** The names under which instances of a class and of its subclasses may be stored. */
  namesOf(target: DurableClass): string[];
}

/** Uses of objects outside a transaction. */
export interface ApplicationTurns {
  /** Rows that were loaded from a store that cannot read at once. */
  readonly loaded: LoadedRows;
  /** Something is on its way to the store. */
  readonly isBusy: boolean;
  /** Waits until everything written so far is durable, or has failed. */
  settle(): Promise<void>;
}

export interface ObjectGraph {
  readonly store: Store;
  readonly classes: RegisteredClasses;
  readonly spaces: Spaces;
  readonly turns: ApplicationTurns;
  /** The transaction a use of an object belongs to: the one that runs, or the present turn of the application. */
  transactionNow(): RowTransaction;
  /** The rows as they are now, of a store that reads at once; undefined on others. */
  committedRows(): RowSource | undefined;
  /** A transaction on a store that reads at once; undefined on others. `readonly` says why nothing may be written. */
  beginSynchronous(revision?: Revision, readonly?: string): RowTransaction | undefined;
  /** Runs code whose uses of objects belong to `transaction`. */
  within<Result>(transaction: RowTransaction, action: () => Result): Result;
  /** What application code holds for a node: always the same object while it is held. */
  handleFor(space: string, id: string, type: string): object;
  /** The object with this id, or undefined if there is none. */
  find(idText: string): object | undefined;
  isThere(node: Node): boolean;
  newId(): string;
  /** Runs code whose new ids follow from `owner`: the same ones each time it runs. */
  derivingIds<Result>(owner: string, action: () => Result, part?: string): Result;
  /** Makes the object that `new` of a durable class gives; one that is new, or lacks them, gets these fields. */
  construct(target: DurableClass, given?: Readonly<Record<string, unknown>>): object;
  createNode(space: string, id: string, record: NodeRecord): void;
  /** Removes an object or collection. References to it are left as they are, and lead nowhere. */
  remove(node: Node): void;
  /** Keeps an object from being collected, whether or not anything refers to it. */
  pin(node: Node, isPinned: boolean): void;
  partsOf(space: string, id: string): Parts;
  refuseReadonly(space: string): void;
}
