// Records are JSON. Values that JSON would silently change or drop (undefined, NaN, dates, class instances, cycles …) are
// rejected with their path, so that every record reads back exactly as written.
import { StoreArgumentError } from './errors.ts';

const maxDepth = 200;

/** The JSON text of a record. */
export function encodeJson(value: unknown, where: string): string {
  check(value, where, 0);
  return JSON.stringify(value);
}

function check(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return;
      throw refused(path, Object.is(value, -0) ? 'minus zero' : String(value), 'JSON has no such number');
    case 'object':
      break;
    default:
      throw refused(
        path,
        typeof value,
        typeof value === 'bigint' ? 'store it as a string' : 'leave it out or use null',
      );
  }
  if (value === null) return;
  // This also catches cycles.
  if (depth >= maxDepth)
    throw refused(
      `${path.slice(0, 100)}…`,
      'a nested value',
      `it is nested more than ${maxDepth} levels deep, or contains itself`,
    );
  if (value instanceof Date) throw refused(path, 'a Date', 'store its toISOString() or getTime()');
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
    throw refused(path, 'an object with toJSON', 'call it first');
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype)
      throw refused(path, className(value), 'only plain objects and arrays are JSON');
    for (let index = 0; index < value.length; index++) {
      if (!(index in value)) throw refused(`${path}[${index}]`, 'a hole in an array', 'use null');
      check(value[index], `${path}[${index}]`, depth + 1);
    }
    if (Object.keys(value).length > value.length) throw refused(path, 'an array with named members', 'use an object');
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refused(path, className(value), 'only plain objects and arrays are JSON');
  }
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw refused(path, 'an object with symbol members', 'use string names');
  for (const [name, member] of Object.entries(value)) {
    check(member, `${path}.${name}`, depth + 1);
  }
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object with its own prototype';
}

function refused(path: string, what: string, advice: string): StoreArgumentError {
  return new StoreArgumentError(`${path} is ${what}, which cannot be stored in a record: ${advice}.`, { path, what });
}
