// Live arrays, maps and sets: what a guest's collection handle may do to the host's collection.
import { refuseOtherThanMember } from './enum-fields.ts';
import type { Exposure } from './exposed.ts';
import type { Access } from './access.ts';
import { WireDamagedError } from '../wire/errors.ts';

const maxPage = 1000;

const looks: ReadonlySet<string> = new Set(['size', 'at', 'page', 'get', 'has']);

export function changeCollection(
  target: object,
  { form, name, readonly }: Exposure,
  change: string,
  parameters: readonly unknown[],
): unknown {
  if (readonly === true && !looks.has(change)) throw new TypeError(`${name} is read-only.`);
  switch (form) {
    case 'array':
      return onArray(target as unknown[], change, parameters);
    case 'map':
      return onMap(target as Map<unknown, unknown>, change, parameters);
    case 'set':
      return onSet(target as Set<unknown>, change, parameters);
    default:
      throw new TypeError('This object of the application is not a collection.');
  }
}

/** A record: any names, in a plain object or in an object of a durable class, of which `access` tells what is withheld. */
export function changeRecord(
  target: object,
  name: string,
  access: Access | undefined,
  change: string,
  [first]: readonly unknown[],
): unknown {
  const member = String(first);
  switch (change) {
    case 'has':
      return hasMember(target, member, access);
    case 'names':
      return Object.keys(target).filter((candidate) => access?.sees(candidate) ?? true);
    case 'delete':
      refuseWrite(name, access, member);
      return Reflect.deleteProperty(target, member);
    default:
      throw unknown(change);
  }
}

export function readRecord(target: object, access: Access | undefined, member: string): unknown {
  return hasMember(target, member, access) ? (target as Record<string, unknown>)[member] : undefined;
}

export function writeRecord(
  target: object,
  name: string,
  access: Access | undefined,
  member: string,
  value: unknown,
): void {
  refuseWrite(name, access, member);
  refuseOtherThanMember(target, member, value, name);
  (target as Record<string, unknown>)[member] = value;
}

function refuseWrite(name: string, access: Access | undefined, member: string): void {
  if (access === undefined) return;
  if (!access.sees(member)) throw new TypeError(`${name} has no field '${member}'.`);
  if (!access.writes(member)) throw new TypeError(`The field '${member}' of ${name} is read-only.`);
}

/** Of an object of a class, its accessors count too; of a plain one, what every object inherits does not. */
function hasMember(target: object, member: string, access: Access | undefined): boolean {
  if (access?.sees(member) === false) return false;
  if (Object.hasOwn(target, member)) return true;
  return access !== undefined && member in target && !(member in Object.prototype);
}

function onArray(target: unknown[], change: string, [first, second, third]: readonly unknown[]): unknown {
  switch (change) {
    case 'size':
      return target.length;
    case 'at':
      return target[index(first)];
    case 'page':
      return target.slice(index(first), index(first) + pageSize(second));
    case 'splice': {
      const [start, count, items] = [index(first), index(second), third];
      if (!Array.isArray(items) || start > target.length) throw unknown(change);
      return target.splice(start, count, ...(items as unknown[]));
    }
    case 'put':
      if (index(first) > target.length)
        throw new RangeError('An array of the application has no holes: append at its end.');
      target[index(first)] = second;
      return undefined;
    case 'resize':
      if (index(first) > target.length)
        throw new RangeError('An array of the application has no holes: append at its end.');
      target.length = index(first);
      return undefined;
    default:
      throw unknown(change);
  }
}

function onMap(target: Map<unknown, unknown>, change: string, [first, second]: readonly unknown[]): unknown {
  switch (change) {
    case 'get':
      return target.get(first);
    case 'set':
      target.set(first, second);
      return undefined;
    default:
      return onKeyed(target, change, first, second);
  }
}

function onSet(target: Set<unknown>, change: string, [first, second]: readonly unknown[]): unknown {
  if (change === 'add') {
    target.add(first);
    return undefined;
  }
  return onKeyed(target, change, first, second);
}

function onKeyed(
  target: Map<unknown, unknown> | Set<unknown>,
  change: string,
  first: unknown,
  second: unknown,
): unknown {
  switch (change) {
    case 'size':
      return target.size;
    case 'has':
      return target.has(first);
    case 'delete':
      return target.delete(first);
    case 'clear':
      target.clear();
      return undefined;
    case 'page':
      return page(target, index(first), pageSize(second));
    default:
      throw unknown(change);
  }
}

function page(target: Iterable<unknown>, start: number, count: number): unknown[] {
  const items: unknown[] = [];
  let position = 0;
  for (const item of target) {
    if (items.length === count) break;
    if (position++ >= start) items.push(item);
  }
  return items;
}

function index(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffffff)
    throw new RangeError('An index must be a whole number from 0.');
  return value;
}

function pageSize(value: unknown): number {
  return Math.min(index(value), maxPage);
}

function unknown(change: string): WireDamagedError {
  return new WireDamagedError(`A collection has no '${change}'.`);
}
