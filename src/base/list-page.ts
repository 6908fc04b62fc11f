// Lists that are read from the store page by page, however long they are: lines of a console, calls, events, a conversation. A page
// reads as many rows as it needs, and a search looks through so many and then says where to go on.
import { choiceOption, InvalidOptionError, wholeNumberOption, type OptionNames } from './options.ts';

/** Which part of a list. */
export interface ListPageOptions {
  /** How many items at most; default: 100. */
  readonly limit?: number | undefined;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
  /** Default: the oldest first. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Only items that contain this text, in upper or lower case. */
  readonly text?: string | undefined;
}

/** One page of a list; give `cursor` to the next call until it is undefined. A page may be short, or empty, and still have one. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
}

export const listPageNames: OptionNames<ListPageOptions> = { limit: true, cursor: true, order: true, text: true };

/** Where a list stands: numbers that mean something to the list alone. */
export type ListPlace = readonly number[];

/** Something that was looked at on the way, with the place after it; not everything is an item of the list. */
export interface LookedAt<Item> {
  readonly item: Item | undefined;
  readonly after: ListPlace;
}

export interface ListStart {
  readonly isReverse: boolean;
  /** Undefined: from the beginning, or from the end in reverse. */
  readonly after: ListPlace | undefined;
}

/** What one page of a search looks through. */
const maxLookedAt = 5000;
const maxLimit = 1000;

/** @param where whose options they are, for error messages */
export async function listPage<Item>(
  where: string,
  { limit: given = 100, cursor, order = 'oldest', text }: ListPageOptions,
  list: (start: ListStart) => AsyncIterable<LookedAt<Item>>,
): Promise<ListPage<Item>> {
  const limit = wholeNumberOption(where, 'limit', given, 1, maxLimit);
  choiceOption(where, 'order', order, ['newest', 'oldest']);
  const wanted = text?.toLowerCase();
  const items: Item[] = [];
  let place: ListPlace | undefined;
  let looked = 0;
  for await (const { item, after } of list({ isReverse: order === 'newest', after: placeOf(where, cursor) })) {
    // There is more, as has been seen now.
    if (place !== undefined && (items.length >= limit || looked >= maxLookedAt))
      return { items, cursor: JSON.stringify(place) };
    looked++;
    if (item !== undefined && (wanted === undefined || hasText(item, wanted))) items.push(item);
    place = after;
  }
  return { items, cursor: undefined };
}

/** The last items of a list, oldest first, read from its end. */
export async function lastItems<Item>(
  limit: number,
  page: (options: ListPageOptions) => Promise<ListPage<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const next = await page({ order: 'newest', limit: Math.min(maxLimit, limit - items.length), cursor });
    items.push(...next.items);
    ({ cursor } = next);
  } while (cursor !== undefined && items.length < limit);
  return items.toReversed();
}

function placeOf(where: string, cursor: string | undefined): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  try {
    const place: unknown = JSON.parse(cursor);
    if (Array.isArray(place) && place.every((one) => Number.isSafeInteger(one) && one >= 0)) return place as number[];
  } catch {
    // Refused below.
  }
  throw new InvalidOptionError(`${where}: this cursor is not one of this list. Begin without one.`, { name: 'cursor' });
}

/** Whether a text in lower case is somewhere in a value, whatever its case there. */
export function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value === 'number') return String(value).includes(text);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => hasText(member, text));
}
