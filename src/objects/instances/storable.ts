// Encodes scalars, and rejects values that cannot be stored, with advice.
import type { Encoded } from './encoded.ts';
import { NotStorableError } from '../errors.ts';

/** Maximum length of a string or byte array: it must fit into a record. */
const maxLength = 16 * 1024 * 1024;

export function encodeScalar(value: unknown, path: string): Encoded {
  switch (typeof value) {
    case 'string':
      rejectLong(value.length, path);
      return value;
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

/** Dates and bytes; undefined for other objects. */
export function encodeData(value: object, path: string): Encoded | undefined {
  if (value instanceof Date) {
    rejectExtraMembers(value, path);
    return ['date', Number.isNaN(value.getTime()) ? null : value.toISOString()];
  }
  if (value instanceof Uint8Array) {
    rejectLong(value.byteLength, path);
    return ['bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')];
  }
  return undefined;
}

/** Rejects subclasses of arrays, maps and sets, of which only the contents would be stored. */
export function rejectSubclass(value: object, path: string): void {
  const base = Array.isArray(value) ? Array : value instanceof Map ? Map : Set;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    prototype === base.prototype ||
    (prototype as { constructor?: { name?: unknown } } | null)?.constructor?.name === base.name;
  if (!isPlain) throw refused(path, describe(value), `Store its contents as a plain ${base.name}`);
  rejectExtraMembers(value, path);
}

/** Rejects plain objects with members that cannot be stored. */
export function rejectUnstorableMembers(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refused(path, describe(value), advice(value));
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') throw refused(path, 'an object with a member named by a symbol', 'Use strings');
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || 'value' in descriptor) {
      if (descriptor?.enumerable === false)
        throw refused(`${path}.${key}`, 'a non-enumerable member', 'Define it as an ordinary member');
    } else throw refused(`${path}.${key}`, 'a getter or setter', 'Store its value');
  }
}

export function refused(path: string, what: string, instead: string): NotStorableError {
  return new NotStorableError(`${path} cannot be stored: it is ${what}. ${instead}.`, { path });
}

// Extra properties would be lost silently.
function rejectExtraMembers(value: object, path: string): void {
  // Indices come before all other names.
  if (Array.isArray(value) && isIndex(Object.keys(value).at(-1) ?? '0')) return;
  const member = Array.isArray(value) ? Object.keys(value).find((name) => !isIndex(name)) : Reflect.ownKeys(value)[0];
  if (member === undefined) return;
  throw refused(
    `${path}.${String(member)}`,
    'an extra member besides the elements',
    'Use an object that contains both',
  );
}

function isIndex(name: string): boolean {
  return /^\d+$/.test(name);
}

function rejectLong(length: number, path: string): void {
  if (length > maxLength) throw refused(path, `longer than ${maxLength} characters or bytes`, 'Split it');
}

function describe(value: object): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object with its own prototype';
}

function advice(value: object): string {
  if (typeof value === 'function') return 'Make it a method of the class';
  if (value instanceof Promise) return 'Await it and store the result';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'Store a Uint8Array of its bytes';
  return 'Let its class extend Durable and register it, or store plain data';
}
