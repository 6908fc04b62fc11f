// An instance of a durable class: a proxy without own state. Fields are read from and written to the current transaction,
// so the same object works in all transactions.
import { inspect } from 'node:util';
import { adopt } from './adopt.ts';
import { decode } from './decode.ts';
import { firstValuesOf, type Declaration } from '../declaration.ts';
import { markFresh } from './migrate.ts';
import { NotLoadedError, NotStorableError, ObjectGoneError, ObjectReadOnlyError } from '../errors.ts';
import { inspectNode } from './inspect.ts';
import { bindNode, defineOn, nodeOf } from '../node.ts';
import type { Node } from '../object-graph.ts';
import type { Encoded } from './encoded.ts';
import { instanceRecord } from '../record.ts';
import type { RowTransaction } from '../transactions/row-transaction.ts';
import { creationIn, noteUse } from '../singleton-creation.ts';
import { nodeRows, type InstanceRecord } from '../rows.ts';

/** The object for a node; without a declaration, a read-only record. */
export function instanceFor(node: Node, declaration: Declaration | undefined): object {
  const prototype: unknown = declaration === undefined ? unknownRecord : declaration.target.prototype;
  const target = Object.create(prototype as object) as object;
  const proxy = new Proxy(target, new InstanceHandler(node, declaration));
  bindNode(proxy, node);
  return proxy;
}

/** The prototype of read-only records of unregistered classes. */
const unknownRecord = {};
Object.defineProperty(unknownRecord, inspect.custom, {
  value(this: object, depth: number, options: object) {
    return inspectNode(this, depth, options);
  },
});

/** Fields of an existing singleton that its constructor is about to redefine. */
const awaited = new WeakMap<Node, string[]>();

/** Makes these fields keep their values when the constructor of an existing object redefines them. */
export function keepFields(node: Node, fields: readonly string[]): void {
  awaited.set(node, [...fields]);
}

class InstanceHandler implements ProxyHandler<object> {
  readonly #node: Node;
  readonly #declaration: Declaration | undefined;

  constructor(node: Node, declaration: Declaration | undefined) {
    this.#node = node;
    this.#declaration = declaration;
  }

  get(target: object, name: string | symbol, receiver: unknown): unknown {
    if (typeof name === 'symbol') return Reflect.get(target, name, receiver);
    // Methods and accessors of the class need no store access.
    if (name in target) return Reflect.get(target, name, receiver);
    if (name === 'then') return ifReadable(() => this.#field(name));
    return this.#field(name);
  }

  set(target: object, name: string | symbol, value: unknown, receiver: unknown): boolean {
    if (typeof name === 'symbol') throw symbolField(this.#node);
    if (name in target) {
      const accessor = accessorOf(target, name);
      if (accessor !== undefined) {
        if (accessor.set === undefined) throw new TypeError(`The field '${name}' of ${this.#node.type} has no setter.`);
        Reflect.apply(accessor.set, receiver, [value]);
        return true;
      }
      throw hidesMember(this.#node, name);
    }
    if (nodeOf(receiver) !== this.#node) return defineOn(receiver, name, value);
    this.#write(name, value);
    return true;
  }

  has(target: object, name: string | symbol): boolean {
    return name in target || (typeof name === 'string' && Object.hasOwn(this.#record().fields, name));
  }

  deleteProperty(_target: object, name: string | symbol): boolean {
    if (typeof name === 'symbol') return true;
    const record = this.#record();
    if (!Object.hasOwn(record.fields, name)) return true;
    this.#checkRegistered();
    const { [name]: _, ...fields } = record.fields;
    // Records the deletion, so that defaults and initial values do not return.
    const wouldReturn =
      this.#declaration !== undefined &&
      (firstValuesOf(this.#declaration).has(name) || Object.hasOwn(this.#declaration.options.defaults ?? {}, name));
    const deleted = wouldReturn ? { deleted: [...new Set([...(record.deleted ?? []), name])] } : {};
    this.#put({ ...record, fields, ...deleted });
    return true;
  }

  ownKeys(): string[] {
    return Object.keys(this.#record().fields);
  }

  getOwnPropertyDescriptor(target: object, name: string | symbol): PropertyDescriptor | undefined {
    if (typeof name === 'symbol') return Reflect.getOwnPropertyDescriptor(target, name);
    const { fields } = this.#record();
    if (!Object.hasOwn(fields, name)) return undefined;
    const { objects, space } = this.#node;
    const value = decode(objects, space, fields[name] ?? null);
    return { value, writable: true, enumerable: true, configurable: true };
  }

  defineProperty(target: object, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    if (typeof name === 'symbol') throw symbolField(this.#node);
    const path = `${this.#node.type}.${name}`;
    if (!('value' in descriptor))
      throw new NotStorableError(`${path} cannot be stored: it is an accessor. Declare it in the class instead.`, {
        path,
      });
    // Reads would find the member of the class first.
    if (name in target) throw hidesMember(this.#node, name);
    if (descriptor.writable === false || descriptor.enumerable === false || descriptor.configurable === false)
      throw new NotStorableError(
        `${path} cannot be stored: fields of durable objects must be writable, enumerable and configurable.`,
        {
          path,
        },
      );
    const kept = awaited.get(this.#node);
    if (kept?.[0] === name) {
      kept.shift();
      if (Object.hasOwn(this.#record().fields, name)) return true;
    }
    this.#write(name, descriptor.value);
    creationIn(this.#node.objects.transactionNow())?.defined(this.#node, name);
    return true;
  }

  setPrototypeOf(): boolean {
    throw new TypeError(`The class of a durable ${this.#node.type} cannot be changed.`);
  }

  preventExtensions(): boolean {
    throw new TypeError(`A durable ${this.#node.type} cannot be frozen.`);
  }

  #field(name: string): unknown {
    const { fields } = this.#record();
    const { objects, space } = this.#node;
    return Object.hasOwn(fields, name) ? decode(objects, space, fields[name] ?? null) : undefined;
  }

  #write(name: string, value: unknown): void {
    const { objects, space, type } = this.#node;
    this.#checkRegistered();
    const record = this.#record();
    const encoded = adopt(objects, space, value, `${type}.${name}`);
    // Unchanged values are not written.
    if (!Array.isArray(encoded) && Object.hasOwn(record.fields, name) && record.fields[name] === encoded) return;
    const transaction = objects.transactionNow();
    if (transaction.drafts.has(record)) setInDraft(transaction, record.fields, name, encoded);
    else {
      const draft = { ...record, fields: { ...record.fields, [name]: encoded } };
      this.#put(draft);
      transaction.drafts.add(draft);
      markFresh(draft, record);
    }
  }

  #put(record: InstanceRecord): void {
    const { objects, space, key } = this.#node;
    objects.checkWritable(space);
    objects.transactionNow().put(nodeRows, key, record);
  }

  #record(): InstanceRecord {
    if (this.#declaration?.options.singleton === true) noteUse(this.#node);
    return instanceRecord(this.#node);
  }

  #checkRegistered(): void {
    if (this.#declaration === undefined)
      throw new ObjectReadOnlyError(
        `The class ${this.#node.type} is not registered, so its objects are read-only. Add it to Statek.open({ classes }).`,
        { class: this.#node.type },
      );
  }
}

// Copying the record for every assignment would take quadratic time.
function setInDraft(
  transaction: RowTransaction,
  fields: InstanceRecord['fields'],
  name: string,
  encoded: Encoded,
): void {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const draft = fields as Record<string, Encoded>;
  draft[name] = encoded;
  transaction.changed(() => {
    if (before === undefined) delete draft[name];
    else draft[name] = before;
  });
}

function accessorOf(target: object, name: string): PropertyDescriptor | undefined {
  for (let level: object | null = target; level !== null; level = Object.getPrototypeOf(level) as object | null) {
    const descriptor = Object.getOwnPropertyDescriptor(level, name);
    if (descriptor !== undefined) return 'value' in descriptor ? undefined : descriptor;
  }
  return undefined;
}

function hidesMember({ type }: Node, name: string): NotStorableError {
  return new NotStorableError(`${type}.${name} is a member of the class and cannot be a field too. Use another name.`, {
    path: `${type}.${name}`,
  });
}

/**
 * Every `await` and promise reads `then` of the object it is given. That must not fail if the object is gone or not
 * loaded, because awaiting it is not a use yet.
 */
export function ifReadable(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ObjectGoneError || error instanceof NotLoadedError) return undefined;
    throw error;
  }
}

function symbolField({ type }: Node): NotStorableError {
  return new NotStorableError(`${type} cannot have a field named by a symbol. Use a string.`, { path: type });
}
