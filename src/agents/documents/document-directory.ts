// Documents agents may read: `<folder>/**/*.md` and `*.txt`, with headers that say where each belongs and who may read it:
//
//     # ord_no: 3
//     # topic: Travel
//     # title: Booking trains
//     # audience: travel_agent, clerk
//
//     The text.
//
// Without headers a document is called after its first heading or its file, belongs to the topic of its folder, and is for every role.
import { join } from 'node:path';
import { StatekError } from '../../base/error.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { takeHeaders } from '../files/headers.ts';
import { ParsedFiles } from '../files/parsed-files.ts';
import { shownPath } from '../files/shown-path.ts';
import { diskFiles, type TextFiles } from '../files/text-files.ts';
import type { DirectoryOptions } from '../prompts/prompt-directory.ts';
import { didYouMean } from '../../base/closest.ts';
import { lookUp } from '../wording/lookup.ts';
import type { Document } from './document.ts';
import { DocumentSearch } from './document-search.ts';

/** A document's file cannot be used. */
export class DocumentFileError extends StatekError {
  readonly code = 'DOCUMENT_FILE';
}

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

export class DocumentDirectory {
  readonly directory: string;
  readonly #files: TextFiles;
  readonly #search = new DocumentSearch();
  readonly #parsed: ParsedFiles<Omit<Document, 'topic'> & { readonly topic: string | undefined }>;

  constructor(directory: string, options: DirectoryOptions = {}) {
    refuseUnknownOptions('DocumentDirectory', options, { files: true, clock: true });
    this.directory = directory;
    this.#files = options.files ?? diskFiles;
    this.#parsed = new ParsedFiles(this.#files, parseDocument, { clock: options.clock });
  }

  /** The documents for a role: by topic, number and title. */
  all(role: string, topic?: string): Document[] {
    const found = this.#files
      .list(this.directory)
      .filter((path) => /\.(md|txt)$/.test(path))
      .flatMap((path): Document[] => {
        const document = this.#parsed.get(join(this.directory, path));
        if (document === undefined || document.audience?.includes(role) === false) return [];
        return [{ ...document, topic: document.topic ?? path.split('/').slice(0, -1).join(' / ') }];
      });
    const wanted = topic === undefined ? found : found.filter((document) => folded(document.topic) === folded(topic));
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

  /** `listOfDocuments(topic?)`, as a model reads it. */
  list(role: string, topic?: string): string {
    const lines: string[] = [];
    let heading = '';
    for (const document of this.all(role, topic)) {
      if (document.topic !== heading) lines.push(`${document.topic}:`);
      heading = document.topic;
      lines.push(`${document.number === undefined ? '-' : `${document.number}.`} ${document.title}`);
    }
    return lines.length === 0 ? 'There are no documents.' : lines.join('\n');
  }

  /** `searchDocuments(query, { topic, limit })`, as a model reads it: the documents that fit best, with the line that fits. */
  search(role: string, query: string, options: SearchDocumentsOptions = {}): string {
    refuseUnknownOptions('searchDocuments', options, { topic: true, limit: true });
    const limit = wholeNumberOption('searchDocuments', 'limit', options.limit ?? 5, 1, 50);
    const found = this.#search.find(this.all(role, options.topic), query, limit);
    if (found.length === 0) return 'No document has these words. listOfDocuments() lists those there are.';
    return found
      .map(({ document: { title, topic }, line, excerpt }) => {
        const place = topic === '' ? '' : ` (${topic})`;
        return `'${title}'${place}, line ${line}: ${excerpt}`;
      })
      .join('\n');
  }

  /** The document that is meant: by number, exact title, a fragment only one has, or the nearest title. */
  find(role: string, key: string | number, topic?: string): Document {
    const result = lookUp(key, this.all(role, topic));
    if ('found' in result) return result.found;
    const titles = result.candidates.map((document) => `'${document.title}' (${document.topic})`);
    throw new DocumentNotFoundError(
      titles.length > 0
        ? `Several documents come near '${key}': ${titles.join(', ')}. Give a whole title, or the topic too.`
        : `There is no document '${key}'. listOfDocuments() lists those there are.`,
      { key, candidates: titles },
    );
  }

  /** `showDocument(key, { topic, startFrom, limit })`, as a model reads it. */
  show(role: string, key: string | number, options: ShowDocumentOptions = {}): string {
    refuseUnknownOptions('showDocument', options, { topic: true, startFrom: true, limit: true });
    const most = Number.MAX_SAFE_INTEGER;
    const from = wholeNumberOption('showDocument', 'startFrom', options.startFrom ?? 1, 1, most);
    const limit = wholeNumberOption('showDocument', 'limit', options.limit ?? 200, 1, most);
    const { title, text } = this.find(role, key, options.topic);
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
}

type Parsed = Omit<Document, 'topic'> & { readonly topic: string | undefined };

function parseDocument(text: string, path: string): Parsed {
  const fail = (line: number, message: string): DocumentFileError =>
    new DocumentFileError(`${shownPath(path)}:${line} ${message}`, { path, line });
  const { headers, places, body } = takeHeaders(text, ['ord_no', 'topic', 'title', 'audience'], fail);
  const number = headers['ord_no'];
  if (number !== undefined && !/^\d{1,15}$/.test(number))
    throw fail(places['ord_no'] ?? 1, `ord_no is '${number}'; it must be a whole number.`);
  const audience = headers['audience']
    ?.split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
  // An empty list is for nobody: a mistake must not open a document to all.
  const isForAll = audience === undefined || audience.some((role) => role === '*' || role.toLowerCase() === 'all');
  const heading = /^#{1,6}\s+(.+)$/m.exec(body)?.[1];
  const file = (path.split(/[/\\]/).at(-1) ?? path).replace(/\.(md|txt)$/, '').replaceAll('_', ' ');
  return {
    path,
    ...(number === undefined ? {} : { number: Number(number) }),
    topic: headers['topic'],
    title: headers['title'] ?? (path.endsWith('.md') ? heading?.trim() : undefined) ?? file,
    ...(isForAll ? {} : { audience }),
    text: body,
  };
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}

function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
