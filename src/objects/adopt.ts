// Takes a value into the store: plain data is copied into managed collections, durable objects are referred to, and what
// cannot be kept is refused, with its path, before anything has changed.
import { EnumMember } from './enumeration.ts';
import type { Encoded, Reference } from './encoded.ts';
import { keyTextOf } from './encoded.ts';
import { NotStorableError } from './errors.ts';
import { nodeOf, referenceTo } from './node.ts';
import type { ObjectGraph } from './object-graph.ts';
import type { CollectionRecord } from './rows.ts';
import { listCreate } from './collections/list.ts';
import { mapCreate } from './collections/map.ts';
import { WeakReference } from './weak-reference.ts';

const deepest = 1000;

export function adopt(objects: ObjectGraph, space: string, value: unknown, path: string): Encoded {
  if (typeof value !== 'object' && typeof value !== 'function') return primitive(value, path);
  const transaction = objects.transactionNow();
  const savepoint = transaction.savepoint();
  try {
    return new Adoption(objects, space).value(value, path, 0);
  } catch (error) {
    transaction.rollbackTo(savepoint);
    throw error;
  }
}

class Adoption {
  readonly #objects: ObjectGraph;
  readonly #space: string;
  /** Plain collections met so far: shared and circular ones stay so. */
  readonly #adopted = new Map<object, Reference>();

  constructor(objects: ObjectGraph, space: string) {
    this.#objects = objects;
    this.#space = space;
  }

  value(value: unknown, path: string, depth: number): Encoded {
    if (value === null) return null;
    if (typeof value !== 'object' && typeof value !== 'function') return primitive(value, path);
    const node = nodeOf(value);
    if (node !== undefined) {
      if (node.objects === this.#objects) return referenceTo(node, this.#space);
      throw refused(path, 'an object of another kit', 'Keep its id, or copy its data');
    }
    if (value instanceof EnumMember) return ['enum', value.enumeration, value.name];
    if (value instanceof WeakReference) {
      const target = nodeOf(WeakReference.targetOf(value as WeakReference));
      if (target === undefined || target.objects !== this.#objects)
        throw refused(path, 'a weak reference to an object of another kit', 'Keep its id');
      return ['weak', ...referenceTo(target, this.#space)];
    }
    if (value instanceof Date) return ['date', Number.isNaN(value.getTime()) ? null : value.toISOString()];
    if (value instanceof Uint8Array)
      return ['bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')];
    return this.#adopted.get(value) ?? this.#collection(value, path, depth);
  }

  #collection(value: object, path: string, depth: number): Reference {
    if (depth > deepest)
      throw refused(path, `nested more than ${deepest} deep`, 'Keep the parts in objects of their own');
    if (Array.isArray(value)) {
      return this.#make('array', value, (id) => {
        const items: Encoded[] = [];
        for (let index = 0; index < value.length; index++) {
          if (!(index in value))
            throw refused(`${path}[${index}]`, 'a hole in an array', 'Put undefined or null there');
          items.push(this.value(value[index], `${path}[${index}]`, depth + 1));
        }
        return { array: listCreate(this.#parts(id), items) };
      });
    }
    if (value instanceof Map)
      return this.#make('map', value, (id) => ({
        map: mapCreate(
          this.#parts(id),
          [...value].map(([key, member]) =>
            entry(this.value(key, `${path} (a key)`, depth + 1), this.value(member, `${path} (a value)`, depth + 1)),
          ),
        ),
      }));
    if (value instanceof Set)
      return this.#make('set', value, (id) => ({
        set: mapCreate(
          this.#parts(id),
          [...value].map((member) => entry(this.value(member, `${path} (a member)`, depth + 1), null)),
        ),
      }));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw refused(path, describe(value), advice(value));
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === 'symbol') throw refused(path, 'an object with a symbol for a name', 'Use strings');
      if (Object.getOwnPropertyDescriptor(value, key)?.get !== undefined)
        throw refused(`${path}.${key}`, 'a getter', 'Store its value');
    }
    return this.#make('object', value, (id) => ({
      object: mapCreate(
        this.#parts(id),
        Object.entries(value).map(([name, member]) => entry(name, this.value(member, `${path}.${name}`, depth + 1))),
      ),
    }));
  }

  #make(kind: 'array' | 'map' | 'set' | 'object', value: object, fill: (id: string) => CollectionRecord): Reference {
    const id = this.#objects.newId();
    const reference: Reference = [kind, id];
    this.#adopted.set(value, reference);
    this.#objects.createNode(this.#space, id, fill(id));
    return reference;
  }

  #parts(id: string) {
    return this.#objects.partsOf(this.#space, id);
  }
}

function entry(key: Encoded, value: Encoded): readonly [string, Encoded, Encoded] {
  return [keyTextOf(key), key, value];
}

function primitive(value: unknown, path: string): Encoded {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      if (Number.isNaN(value)) return ['number', 'NaN'];
      return ['number', value === 0 ? '-0' : value > 0 ? 'Infinity' : '-Infinity'];
    case 'bigint':
      return ['bigint', value.toString()];
    case 'undefined':
      return ['undefined'];
    default:
      throw refused(path, 'a symbol', 'Use a string or a durableEnum');
  }
}

function describe(value: object): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of its own kind';
}

function advice(value: object): string {
  if (typeof value === 'function') return 'Make it a method of the class';
  if (value instanceof Promise) return 'Await it, and store what it gives';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'Store a Uint8Array of its bytes';
  return 'Let its class extend Durable and register it, or store plain data';
}

function refused(path: string, what: string, instead: string): NotStorableError {
  return new NotStorableError(`${path} cannot be stored: it is ${what}. ${instead}.`, { path });
}
