// Converts a value for storage: copies plain data into managed collections, stores durable objects as references, and
// rejects everything else with its path before anything changes.
import { EnumMember } from '../enumeration.ts';
import type { Encoded, Reference } from './encoded.ts';
import { asKey, keyTextOf } from './encoded.ts';
import { nodeOf, referenceTo } from '../node.ts';
import { checkExists } from '../transactions/reference-check.ts';
import type { ObjectGraph } from '../object-graph.ts';
import type { CollectionRecord } from '../rows.ts';
import { listCreate } from '../collections/list.ts';
import { mapCreate } from '../collections/map.ts';
import { encodeData, encodeScalar, refused, rejectUnstorableMembers, rejectSubclass } from './storable.ts';
import { WeakReference } from '../weak-reference.ts';

const maxDepth = 1000;

export function adopt(objects: ObjectGraph, space: string, value: unknown, path: string): Encoded {
  if (typeof value !== 'object' && typeof value !== 'function') return encodeScalar(value, path);
  return adoptAll(objects, space, [value], () => path)[0] as Encoded;
}

/** Converts several values atomically; shared parts stay shared. */
export function adoptAll(
  objects: ObjectGraph,
  space: string,
  values: readonly unknown[],
  pathOf: (index: number) => string,
): Encoded[] {
  const isScalar = (value: unknown): boolean => typeof value !== 'object' && typeof value !== 'function';
  if (values.every(isScalar)) return values.map((value, index) => encodeScalar(value, pathOf(index)));
  const transaction = objects.transactionNow();
  const savepoint = transaction.savepoint();
  try {
    const adoption = new Adoption(objects, space);
    return values.map((value, index) => adoption.value(value, pathOf(index), 0));
  } catch (error) {
    transaction.rollbackTo(savepoint);
    throw error;
  }
}

class Adoption {
  readonly #objects: ObjectGraph;
  readonly #space: string;
  /** The plain collections converted so far, to preserve shared and circular references. */
  readonly #adopted = new Map<object, Reference>();

  constructor(objects: ObjectGraph, space: string) {
    this.#objects = objects;
    this.#space = space;
  }

  value(value: unknown, path: string, depth: number): Encoded {
    if (value === null) return null;
    if (typeof value !== 'object' && typeof value !== 'function') return encodeScalar(value, path);
    const node = nodeOf(value);
    if (node !== undefined) {
      if (node.objects === this.#objects) {
        // References across spaces are always weak and may dangle.
        if (node.space === this.#space) checkExists(node);
        return referenceTo(node, this.#space);
      }
      throw refused(path, 'an object of another kit', 'Store its id, or copy its data');
    }
    if (value instanceof EnumMember) return ['enum', value.enumeration, value.name];
    if (value instanceof WeakReference) {
      const target = nodeOf(WeakReference.targetOf(value as WeakReference));
      if (target === undefined || target.objects !== this.#objects)
        throw refused(path, 'a weak reference to an object of another kit', 'Store its id');
      return ['weak', ...referenceTo(target, this.#space)];
    }
    return encodeData(value, path) ?? this.#adopted.get(value) ?? this.#collection(value, path, depth);
  }

  #collection(value: object, path: string, depth: number): Reference {
    if (depth > maxDepth)
      throw refused(path, `nested more than ${maxDepth} levels deep`, 'Store its parts in separate objects');
    if (Array.isArray(value) || value instanceof Map || value instanceof Set) rejectSubclass(value, path);
    if (Array.isArray(value)) {
      return this.#make('array', value, (id) => {
        const items: Encoded[] = [];
        for (let index = 0; index < value.length; index++) {
          if (!(index in value)) throw refused(`${path}[${index}]`, 'a hole in an array', 'Use undefined or null');
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
    rejectUnstorableMembers(value, path);
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

function entry(given: Encoded, value: Encoded): readonly [string, Encoded, Encoded] {
  const key = asKey(given);
  return [keyTextOf(key), key, value];
}
