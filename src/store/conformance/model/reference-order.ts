// A reference implementation of key order and ranges, on tuples without encoding, to compare encoded keys with.
import type { Key, KeyPart } from '../../key.ts';
import type { Range } from '../../range.ts';

/** Negative, zero or positive, as the first key sorts before, with or after the second. */
export function compareKeys(a: Key, b: Key): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareParts(a[index] as KeyPart, b[index] as KeyPart);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function inRange(key: Key, { prefix = [], startsWith, from, to }: Range): boolean {
  if (key.length < prefix.length || compareKeys(key.slice(0, prefix.length), prefix) !== 0) return false;
  if (startsWith !== undefined) {
    const part = key[prefix.length];
    if (typeof part !== 'string') return false;
    const points = Array.from(part);
    if (Array.from(startsWith).some((point, index) => points[index] !== point)) return false;
  }
  if (from !== undefined && compareKeys(key, from) < 0) return false;
  return to === undefined || compareKeys(key, to) < 0;
}

function compareParts(a: KeyPart, b: KeyPart): number {
  const kinds = rank(a) - rank(b);
  if (kinds !== 0) return kinds;
  if (typeof a === 'string' && typeof b === 'string')
    return compareLists(
      Array.from(a, (point) => point.codePointAt(0) ?? 0),
      Array.from(b, (point) => point.codePointAt(0) ?? 0),
    );
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareLists([...a], [...b]);
  return compareScalars(a instanceof Date ? a.getTime() : a, b instanceof Date ? b.getTime() : b);
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareScalars(a[index], b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareScalars<Scalar>(a: Scalar, b: Scalar): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(part: KeyPart): number {
  if (part === null) return 0;
  if (part instanceof Date) return 4;
  if (part instanceof Uint8Array) return 6;
  return { boolean: 1, number: 2, bigint: 3, string: 5 }[typeof part as 'boolean' | 'number' | 'bigint' | 'string'];
}
