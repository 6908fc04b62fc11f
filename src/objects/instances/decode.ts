// Converts stored values to what application code sees.
import { enumMember } from '../enumeration.ts';
import { isCollectionKind, type Encoded, type Mark } from './encoded.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { placeOf } from '../node.ts';
import { WeakReference } from '../weak-reference.ts';

/** Decodes a value stored in an object of `space`. */
export function decode(objects: ObjectGraph, space: string, value: Encoded): unknown {
  if (!Array.isArray(value)) return value;
  const mark = value as Mark;
  switch (mark[0]) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(mark[1]);
    case 'bigint':
      return BigInt(mark[1]);
    case 'date':
      return dateOf(mark);
    case 'bytes':
      // A copy: bytes are values, and stored values change only by assignment.
      return new Uint8Array(Buffer.from(mark[1], 'base64'));
    case 'enum':
      return enumMember(mark[1], mark[2]);
    case 'weak': {
      const [, ...reference] = mark;
      return new WeakReference(decode(objects, space, reference) as object);
    }
    case 'ref': {
      const place = placeOf(mark[1], space);
      return objects.handleFor(place.space, place.id, mark[2]);
    }
    default: {
      const [kind, id] = mark;
      const place = placeOf(id, space);
      return objects.handleFor(place.space, place.id, isCollectionKind(kind) ? kind : 'object');
    }
  }
}

const dates = new WeakMap<object, StoredDate>();

function dateOf(mark: readonly ['date', string | null]): StoredDate {
  let date = dates.get(mark);
  if (date === undefined) dates.set(mark, (date = new StoredDate(mark[1] ?? Number.NaN)));
  return date;
}

/** A date read from a durable object. Changing it in place would not change the stored value, so its setters throw. */
class StoredDate extends Date {
  static get [Symbol.species](): DateConstructor {
    return Date;
  }
}

for (const name of Object.getOwnPropertyNames(Date.prototype)) {
  if (!name.startsWith('set')) continue;
  Object.defineProperty(StoredDate.prototype, name, {
    value: () => {
      throw new TypeError(`${name} would only change a copy of a stored date. Assign a new date to the field instead.`);
    },
    configurable: true,
  });
}
// Reports itself as a Date.
Object.defineProperty(StoredDate.prototype, 'constructor', { value: Date, configurable: true });
