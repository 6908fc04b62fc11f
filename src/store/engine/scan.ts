// Turns a range and scan options into an engine's scan.
import type { EngineScan } from './engine.ts';
import { StoreArgumentError } from '../errors.ts';
import { decodeKey, type EncodedKey } from '../key.ts';
import { after, boundsOf, within, type Range } from '../range.ts';
import type { ScanOptions } from '../store.ts';

const defaultLimit = 1000;
const maxLimit = 10_000;
const maxPageBytes = 16 * 1024 * 1024;

export function scanOf(range: Range, options: ScanOptions): Omit<EngineScan, 'at'> {
  const { reverse = false, limit = defaultLimit, cursor } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new StoreArgumentError(`A scan's limit must be a whole number from 1 to ${maxLimit}, not ${limit}.`, {
      limit,
    });
  }
  let bounds = boundsOf(range);
  if (cursor !== undefined) {
    const last = keyOfCursor(cursor);
    if (last === undefined || !within(last, bounds))
      throw new StoreArgumentError(
        'The cursor does not belong to this range. Pass the cursor of the previous page, with the same range.',
        { cursor },
      );
    bounds = reverse ? { ...bounds, upper: last } : { ...bounds, lower: after(last) };
  }
  return { bounds, reverse, limit, maxBytes: maxPageBytes };
}

/** The cursor after an entry. */
export function cursorAfter(key: EncodedKey): string {
  return Buffer.from(key, 'latin1').toString('base64url');
}

/** The key in a cursor; undefined if it is not a valid cursor. */
function keyOfCursor(cursor: unknown): EncodedKey | undefined {
  if (typeof cursor !== 'string') return undefined;
  const key = Buffer.from(cursor, 'base64url').toString('latin1') as EncodedKey;
  if (cursorAfter(key) !== cursor) return undefined;
  try {
    decodeKey(key);
    return key;
  } catch {
    return undefined;
  }
}
