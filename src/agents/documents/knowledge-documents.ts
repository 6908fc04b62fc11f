// Documents agents may read that are items of a knowledge base: they are listed, shown and searched in its index, the same that the
// application searches. What files say in headers, items say in their metadata: `topic`, `ord_no` and `audience`.
import type { Document } from './document.ts';
import {
  documentsFor,
  isAbout,
  listText,
  meantBy,
  nameText,
  nothingFound,
  partOf,
  partText,
  searchLimit,
  type SearchDocumentsOptions,
  type ShowDocumentOptions,
} from './shown-documents.ts';

/** What an index says of an item. */
export interface IndexedItem {
  readonly sourceId: string;
  readonly itemId: string;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The index of a knowledge base. */
export interface KnowledgeIndex {
  /** Its first items with their texts, and whether these are all. */
  documents(limit: number): Promise<{
    readonly documents: readonly (IndexedItem & { readonly text: string })[];
    readonly isComplete: boolean;
  }>;
  /** The best for a query, best first. */
  search(
    query: string,
    limit: number,
  ): Promise<readonly (IndexedItem & { readonly text: string; readonly snippet: string })[]>;
}

/** So many are listed; others are found by their words. */
const maxListed = 500;
const maxSearched = 1000;
/** A title that is not among those listed is looked up by its words. */
const maxByTitle = 20;

export class KnowledgeDocuments {
  readonly base: string;
  #open: ((base: string) => KnowledgeIndex) | undefined;

  constructor(base: string) {
    this.base = base;
  }

  /** Where knowledge bases are: known when the kit is open. */
  readFrom(open: (base: string) => KnowledgeIndex): void {
    this.#open = open;
  }

  /** `listOfDocuments(topic?)`, as a model reads it. */
  async list(role: string, topic?: string): Promise<string> {
    const { documents, isComplete } = await this.#index.documents(maxListed);
    const text = listText(documentsFor(documents.map(documentOf), role, topic));
    return isComplete ? text : `${text}\n… and others, which searchDocuments() finds.`;
  }

  /** `showDocument(key, { topic, startFrom, limit })`, as a model reads it. */
  async show(role: string, key: string | number, options: ShowDocumentOptions = {}): Promise<string> {
    const part = partOf(options);
    const { documents, isComplete } = await this.#index.documents(maxListed);
    const others = isComplete ? [] : await this.#index.search(String(key), maxByTitle);
    const all = new Map([...documents, ...others].map((item) => [JSON.stringify([item.sourceId, item.itemId]), item]));
    return partText(meantBy(key, documentsFor([...all.values()].map(documentOf), role, options.topic)), part);
  }

  /** `searchDocuments(query, { topic, limit })`, as a model reads it: the documents that fit best, with the part that fits. */
  async search(role: string, query: string, options: SearchDocumentsOptions = {}): Promise<string> {
    const limit = searchLimit(options);
    const { topic } = options;
    // Those for others are left out, so there may have to be more.
    for (let most = 4 * limit; ; most = Math.min(4 * most, maxSearched)) {
      const found = await this.#index.search(query, most);
      const wanted = found
        .map((item) => ({ document: documentOf(item), snippet: item.snippet }))
        .filter(({ document: { audience } }) => audience?.includes(role) !== false)
        .filter(({ document }) => topic === undefined || isAbout(document, topic));
      if (wanted.length < limit && found.length === most && most < maxSearched) continue;
      if (wanted.length === 0) return nothingFound;
      return wanted
        .slice(0, limit)
        .map(({ document, snippet }) => `${nameText(document)}: ${snippet}`)
        .join('\n');
    }
  }

  get #index(): KnowledgeIndex {
    if (this.#open === undefined) throw new Error('The kit is not open yet.');
    return this.#open(this.base);
  }
}

function documentOf({ sourceId, itemId, title, metadata, text }: IndexedItem & { readonly text: string }): Document {
  const { topic, ord_no: number, audience } = metadata;
  return {
    path: `${sourceId}/${itemId}`,
    ...(typeof number === 'number' && Number.isInteger(number) ? { number } : {}),
    topic: typeof topic === 'string' ? topic : sourceId,
    title: title ?? itemId,
    ...(audience === undefined ? {} : audienceOf(audience)),
    text,
  };
}

/** What is neither a text nor a list is for nobody: a mistake must not open a document to all. */
function audienceOf(audience: unknown): { readonly audience?: readonly string[] } {
  const given = typeof audience === 'string' ? audience.split(',') : Array.isArray(audience) ? audience : [];
  const roles = given.filter((role) => typeof role === 'string').map((role) => role.trim());
  return roles.some((role) => role === '*' || role.toLowerCase() === 'all') ? {} : { audience: roles };
}
