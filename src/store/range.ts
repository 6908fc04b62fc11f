// Ranges of keys, and the encoded bounds the engines work with.
import { StoreArgumentError } from './errors.ts';
import { encodeParts, encodeStringStart, type EncodedKey, type Key } from './key.ts';

/** Which keys: all conditions given must hold; none given means every key. */
export interface Range {
  /** Keys that begin with these parts (the key that is exactly these parts included). */
  readonly prefix?: Key;
  /** The part after `prefix` is a string that begins with this text, taken literally. */
  readonly startsWith?: string;
  /** This key and those after it. */
  readonly from?: Key;
  /** The keys before this one. */
  readonly to?: Key;
}

/** Encoded bounds: `lower` is in the range, `upper` is not. */
export interface Bounds {
  readonly lower: EncodedKey;
  readonly upper: EncodedKey;
}

const aboveAll = '\xff' as EncodedKey;

export function boundsOf(range: Range): Bounds {
  for (const name of Object.keys(range)) {
    if (!['prefix', 'startsWith', 'from', 'to'].includes(name)) {
      throw new StoreArgumentError(`A range has no '${name}'; it takes prefix, startsWith, from and to.`, { name });
    }
  }
  let lower = '' as EncodedKey;
  let upper = aboveAll;
  if (range.prefix !== undefined || range.startsWith !== undefined) {
    lower = encodeParts(range.prefix ?? []);
    if (range.startsWith !== undefined) {
      lower = (lower + encodeStringStart(range.startsWith)) as EncodedKey;
      upper = afterAllBeginningWith(lower);
    } else {
      upper = (lower + aboveAll) as EncodedKey;
    }
  }
  if (range.from !== undefined) lower = later(lower, encodeParts(range.from));
  if (range.to !== undefined) upper = earlier(upper, encodeParts(range.to));
  return { lower, upper };
}

export function within(key: EncodedKey, { lower, upper }: Bounds): boolean {
  return key >= lower && key < upper;
}

/** The first possible key after `key`. */
export function after(key: EncodedKey): EncodedKey {
  return (key + '\0') as EncodedKey;
}

// The smallest byte string above every one that begins with `start`: the last byte that can grow is raised by one.
function afterAllBeginningWith(start: string): EncodedKey {
  let end = start.length;
  while (end > 0 && start.charCodeAt(end - 1) === 0xff) end--;
  return (start.slice(0, end - 1) + String.fromCharCode(start.charCodeAt(end - 1) + 1)) as EncodedKey;
}

function later(a: EncodedKey, b: EncodedKey): EncodedKey {
  return a > b ? a : b;
}

function earlier(a: EncodedKey, b: EncodedKey): EncodedKey {
  return a < b ? a : b;
}
