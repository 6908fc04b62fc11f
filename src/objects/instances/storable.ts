// What can be kept and what cannot: scalars in their kept form, and why everything else is refused.
import type { Encoded } from './encoded.ts';
import { NotStorableError } from '../errors.ts';

/** The longest text and the most bytes in one place: a record must hold them. */
const longest = 16 * 1024 * 1024;

export function encodeScalar(value: unknown, path: string): Encoded {
  switch (typeof value) {
    case 'string':
      refuseLong(value.length, path);
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
    refuseMembers(value, path);
    return ['date', Number.isNaN(value.getTime()) ? null : value.toISOString()];
  }
  if (value instanceof Uint8Array) {
    refuseLong(value.byteLength, path);
    return ['bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')];
  }
  return undefined;
}

/** Refuses arrays, maps and sets that are more than that: what is stored would be less than what was given. */
export function refuseOwnKind(value: object, path: string): void {
  const base = Array.isArray(value) ? Array : value instanceof Map ? Map : Set;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    prototype === base.prototype ||
    (prototype as { constructor?: { name?: unknown } } | null)?.constructor?.name === base.name;
  if (!isPlain) throw refused(path, describe(value), `Store a plain ${base.name} of what is in it`);
  refuseMembers(value, path);
}

/** Refuses what a plain object may have and a stored one cannot. */
export function refuseOddMembers(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refused(path, describe(value), advice(value));
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') throw refused(path, 'an object with a symbol for a name', 'Use strings');
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || 'value' in descriptor) {
      if (descriptor?.enumerable === false)
        throw refused(`${path}.${key}`, 'hidden: it is not enumerable', 'Define it like any other member');
    } else throw refused(`${path}.${key}`, 'a getter or setter', 'Store its value');
  }
}

export function refused(path: string, what: string, instead: string): NotStorableError {
  return new NotStorableError(`${path} cannot be stored: it is ${what}. ${instead}.`, { path });
}

// Members beside the elements would be lost without a word.
function refuseMembers(value: object, path: string): void {
  // Indices come before all other names.
  if (Array.isArray(value) && isIndex(Object.keys(value).at(-1) ?? '0')) return;
  const member = Array.isArray(value) ? Object.keys(value).find((name) => !isIndex(name)) : Reflect.ownKeys(value)[0];
  if (member === undefined) return;
  throw refused(`${path}.${String(member)}`, 'a member beside the contents', 'Use an object with both in it');
}

function isIndex(name: string): boolean {
  return /^\d+$/.test(name);
}

function refuseLong(length: number, path: string): void {
  if (length > longest) throw refused(path, `longer than ${longest} characters or bytes`, 'Keep it in several pieces');
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
