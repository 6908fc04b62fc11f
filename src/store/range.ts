// Ranges of keys, and their encoded bounds.
import { StoreArgumentError } from './errors.ts';
import { encodeParts, encodeStringStart, type EncodedKey, type Key } from './key.ts';

/** Selects keys that meet all given conditions; without conditions, all keys. */
export interface Range {
  /** Keys that start with these parts, including the key of exactly these parts. */
  readonly prefix?: Key;
  /** Keys whose part after `prefix` is a string that starts with this text. */
  readonly startsWith?: string;
  /** Keys at or after this one. */
  readonly from?: Key;
  /** Keys before this one. */
  readonly to?: Key;
}

/** Encoded bounds: `lower` is inclusive, `upper` exclusive. */
export interface Bounds {
  readonly lower: EncodedKey;
  readonly upper: EncodedKey;
}

const aboveAll = '\xff' as EncodedKey;

export function boundsOf(range: Range): Bounds {
  for (const name of Object.keys(range)) {
    if (!['prefix', 'startsWith', 'from', 'to'].includes(name)) {
      throw new StoreArgumentError(`Unknown property '${name}' in a range. It has prefix, startsWith, from and to.`, {
        name,
      });
    }
  }
  let lower = '' as EncodedKey;
  let upper = aboveAll;
  if (range.prefix !== undefined || range.startsWith !== undefined) {
    lower = encodeParts(range.prefix ?? []);
    if (range.startsWith !== undefined) {
      lower = (lower + encodeStringStart(range.startsWith)) as EncodedKey;
      upper = afterPrefix(lower);
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

// The smallest byte string after all that start with `start`: increments the last byte below 0xff.
function afterPrefix(start: string): EncodedKey {
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
