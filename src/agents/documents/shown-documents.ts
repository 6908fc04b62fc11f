// Documents as a model lists, names and reads them, wherever they are kept.
import { didYouMean } from '../../base/closest.ts';
import { StatekError } from '../../base/error.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { lookUp } from '../wording/lookup.ts';
import type { Document } from './document.ts';

/** There is no such document for this role, or several. */
export class DocumentNotFoundError extends StatekError {
  readonly code = 'DOCUMENT_NOT_FOUND';
}

export interface ShowDocumentOptions {
  /** Only among the documents of this topic. */
  readonly topic?: string | undefined;
  /** The first line, counted from 1. */
  readonly startFrom?: number | undefined;
  /** How many lines; default: 200. */
  readonly limit?: number | undefined;
}

export interface SearchDocumentsOptions {
  /** Only among the documents of this topic. */
  readonly topic?: string | undefined;
  /** How many documents; default: 5, 50 at most. */
  readonly limit?: number | undefined;
}

interface Part {
  readonly from: number;
  readonly limit: number;
}

export const nothingFound = 'No document has these words. listOfDocuments() lists those there are.';

/** Those a role may read, of a topic if one is named: by topic, number and title. */
export function documentsFor(documents: readonly Document[], role: string, topic?: string): Document[] {
  const found = documents.filter(({ audience }) => audience?.includes(role) !== false);
  const wanted = topic === undefined ? found : found.filter((document) => isAbout(document, topic));
  if (topic !== undefined && wanted.length === 0) {
    const topics = [...new Set(found.map((document) => document.topic))].filter((name) => name !== '').toSorted();
    throw new DocumentNotFoundError(
      `There are no documents on '${topic}'.${didYouMean(topic, topics)} ${topics.length === 0 ? 'There are no topics.' : `Topics are ${topics.join(', ')}.`}`,
      { topic, topics },
    );
  }
  const last = Number.POSITIVE_INFINITY;
  return wanted.toSorted(
    (a, b) => compare(a.topic, b.topic) || compare(a.number ?? last, b.number ?? last) || compare(a.title, b.title),
  );
}

export function isAbout(document: Document, topic: string): boolean {
  return folded(document.topic) === folded(topic);
}

/** @param documents in the order of `documentsFor` */
export function listText(documents: readonly Document[]): string {
  const lines: string[] = [];
  let heading = '';
  for (const document of documents) {
    if (document.topic !== heading) lines.push(`${document.topic}:`);
    heading = document.topic;
    lines.push(`${document.number === undefined ? '-' : `${document.number}.`} ${document.title}`);
  }
  return lines.length === 0 ? 'There are no documents.' : lines.join('\n');
}

export function nameText({ title, topic }: Document): string {
  return topic === '' ? `'${title}'` : `'${title}' (${topic})`;
}

/** The document that is meant: by number, exact title, a fragment only one has, or the nearest title. */
export function meantBy(key: string | number, documents: readonly Document[]): Document {
  const result = lookUp(key, documents);
  if ('found' in result) return result.found;
  const titles = result.candidates.map((document) => `'${document.title}' (${document.topic})`);
  throw new DocumentNotFoundError(
    titles.length > 0
      ? `Several documents come near '${key}': ${titles.join(', ')}. Give a whole title, or the topic too.`
      : `There is no document '${key}'. listOfDocuments() lists those there are.`,
    { key, candidates: titles },
  );
}

export function partOf(options: ShowDocumentOptions): Part {
  refuseUnknownOptions('showDocument', options, { topic: true, startFrom: true, limit: true });
  const most = Number.MAX_SAFE_INTEGER;
  return {
    from: wholeNumberOption('showDocument', 'startFrom', options.startFrom ?? 1, 1, most),
    limit: wholeNumberOption('showDocument', 'limit', options.limit ?? 200, 1, most),
  };
}

export function partText({ title, text }: Document, { from, limit }: Part): string {
  const lines = text.split('\n');
  const shown = lines.slice(from - 1, from - 1 + limit);
  const end = from - 1 + shown.length;
  const rest =
    end < lines.length
      ? [`… ${lines.length - end} more lines of ${lines.length}; startFrom: ${end + 1} shows them`]
      : [];
  if (shown.length === 0) return `'${title}' has ${lines.length} lines.`;
  return [...shown, ...rest].join('\n');
}

export function searchLimit(options: SearchDocumentsOptions): number {
  refuseUnknownOptions('searchDocuments', options, { topic: true, limit: true });
  return wholeNumberOption('searchDocuments', 'limit', options.limit ?? 5, 1, 50);
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}

function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
