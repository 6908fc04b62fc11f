// An inverted index in ordinary rows, written in the commit of the items it covers: it is the same on every store and never behind.
// docs/decisions/0014-search-in-rows.md explains why it is not an index of the database.
import type { Key, Store, Write } from '../../store/door.ts';
import {
  appendPostings,
  chunkSize,
  codedLengths,
  decodePostings,
  encodePostings,
  lengthCode,
  type Posting,
} from './postings.ts';
import type { SearchResult, SearchResults } from './records.ts';
import { documentRows, postingRows, runRows } from './rows.ts';
import { countWords, wordsOf } from '../../base/words.ts';

/** A document that enters or leaves the index. */
export interface IndexChange {
  readonly kind: 'add' | 'remove';
  /** Its number in the source. */
  readonly number: number;
  readonly words: IndexedWords;
}

export type IndexedWords = ReturnType<typeof countWords>;

/** The longest queries are cut. */
const maxQueryWords = 32;
/** Rows read for one word: about a million documents in which it occurs. */
const maxChunks = 256;
const readAtOnce = 2000;
const snippetLength = 160;

/** The words that a document has in the index. */
export function indexedWords(title: string | undefined, text: string): IndexedWords {
  return countWords(title === undefined ? text : `${title}\n${text}`);
}

/** The writes that bring the index of a source up to date with these changes. */
export async function indexWrites(
  store: Store,
  place: { readonly prefix: string; readonly base: string; readonly source: string },
  changes: readonly IndexChange[],
): Promise<Write[]> {
  const { prefix, base, source } = place;
  const edits = new Map<string, { readonly key: Key; readonly remove: Set<number>; readonly add: Posting[] }>();
  for (const {
    kind,
    number,
    words: { counts, total },
  } of changes) {
    const length = lengthCode(total);
    const chunk = Math.floor(number / chunkSize);
    for (const [word, count] of counts) {
      const name = `${chunk} ${word}`;
      let edit = edits.get(name);
      if (edit === undefined) {
        edit = { key: [prefix, base, word, source, chunk], remove: new Set(), add: [] };
        edits.set(name, edit);
      }
      const offset = number % chunkSize;
      if (kind === 'remove') edit.remove.add(offset);
      else edit.add.push({ offset, count, lengthCode: length });
    }
  }
  const writes: Write[] = [];
  const all = [...edits.values()];
  for (let from = 0; from < all.length; from += readAtOnce) {
    const some = all.slice(from, from + readAtOnce);
    const rows = await store.read(
      postingRows,
      some.map(({ key }) => key),
    );
    for (const [index, { key, remove, add }] of some.entries()) {
      const before = rows[index];
      const value = changed(before?.value, remove, add);
      if (value.length > 0) writes.push({ kind: 'put', collection: postingRows, key, value });
      else if (before !== undefined) writes.push({ kind: 'remove', collection: postingRows, key });
    }
  }
  return writes;
}

function changed(before: Uint8Array | undefined, remove: ReadonlySet<number>, add: readonly Posting[]): Uint8Array {
  const added = add.toSorted((a, b) => a.offset - b.offset);
  const appended = remove.size === 0 ? appendPostings(before ?? new Uint8Array(0), added) : undefined;
  if (appended !== undefined) return appended;
  const kept = before === undefined ? [] : decodePostings(before).filter(({ offset }) => !remove.has(offset));
  return encodePostings([...kept, ...added].toSorted((a, b) => a.offset - b.offset));
}

const frequencyWeight = 1.2;
const lengthWeight = 0.75;

/** A document that fits, with its whole text. */
export type FoundDocument = SearchResult & { readonly text: string };

/** The best documents for a query, ranked as BM25 does. */
export async function searchIndex(
  store: Store,
  { prefix, base }: { readonly prefix: string; readonly base: string },
  query: string,
  limit: number,
): Promise<Omit<SearchResults, 'results'> & { readonly results: readonly FoundDocument[] }> {
  const words = [...new Set([...wordsOf(query)].map(({ word }) => word))].slice(0, maxQueryWords);
  const { documents, mean } = await sizeOf(store, prefix, base);
  const sources: string[] = [];
  const numbers = new Map<string, number>();
  const scores = new Map<number, number>();
  let isPartial = false;
  for (const word of words) {
    const found: { readonly from: number; readonly postings: Posting[] }[] = [];
    let count = 0;
    const page = await store.scan(postingRows, { prefix: [prefix, base, word] }, { limit: maxChunks });
    for (const { key, value } of page.entries) {
      const source = key[3] as string;
      let number = numbers.get(source);
      if (number === undefined) {
        number = sources.push(source) - 1;
        numbers.set(source, number);
      }
      const postings = decodePostings(value);
      count += postings.length;
      found.push({ from: number * 2 ** 32 + (key[4] as number) * chunkSize, postings });
    }
    isPartial ||= page.cursor !== undefined;
    const rarity = Math.log(1 + (Math.max(documents, count) - count + 0.5) / (count + 0.5));
    for (const { from, postings } of found) {
      for (const { offset, count: frequency, lengthCode: code } of postings) {
        const length = (codedLengths[code] as number) / mean;
        const weight =
          (frequency * (frequencyWeight + 1)) /
          (frequency + frequencyWeight * (1 - lengthWeight + lengthWeight * length));
        const id = from + offset;
        scores.set(id, (scores.get(id) ?? 0) + rarity * weight);
      }
    }
  }
  const best = bestOf(scores, limit);
  const rows = await store.read(
    documentRows,
    best.map(([id]) => [prefix, base, sources[Math.floor(id / 2 ** 32)] as string, id % 2 ** 32]),
  );
  const results = best.flatMap(([id, score], index): FoundDocument[] => {
    const document = rows[index]?.value;
    if (document === undefined) return [];
    const { item, title, text, metadata } = document;
    const sourceId = sources[Math.floor(id / 2 ** 32)] as string;
    const snippet = snippetOf(text, new Set(words));
    return [{ knowledgeBaseId: base, sourceId, itemId: item, title, score, snippet, metadata, text }];
  });
  return { results, matches: scores.size, isPartial };
}

/** The highest scores, without sorting all of them. Equal ones in the order of their documents, so that answers repeat. */
function bestOf(scores: ReadonlyMap<number, number>, limit: number): readonly (readonly [id: number, score: number])[] {
  const best: [number, number][] = [];
  const isBefore = (a: readonly [number, number], b: readonly [number, number]): boolean =>
    a[1] > b[1] || (a[1] === b[1] && a[0] < b[0]);
  for (const entry of scores) {
    const last = best.at(-1);
    if (best.length === limit && last !== undefined && !isBefore(entry, last)) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(best[middle] as [number, number], entry)) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, entry);
    if (best.length > limit) best.pop();
  }
  return best;
}

/** How many documents a knowledge base has, and how long they are on average. */
async function sizeOf(
  store: Store,
  prefix: string,
  base: string,
): Promise<{ readonly documents: number; readonly mean: number }> {
  let documents = 0;
  let words = 0;
  const { entries } = await store.scan(runRows, { prefix: [prefix, base] }, { limit: 10_000 });
  for (const { value } of entries) {
    documents += value.sums.documents;
    words += value.sums.words;
  }
  return { documents, mean: Math.max(1, words / Math.max(1, documents)) };
}

function snippetOf(text: string, words: ReadonlySet<string>): string {
  let start = 0;
  for (const { word, at } of wordsOf(text)) {
    if (!words.has(word)) continue;
    start = Math.max(0, at - snippetLength / 4);
    break;
  }
  // Not in the middle of a word.
  if (start > 0) start = Math.max(start, text.indexOf(' ', start) + 1);
  const part = text
    .slice(start, start + snippetLength)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${start > 0 ? '… ' : ''}${part}${start + snippetLength < text.length ? ' …' : ''}`;
}
