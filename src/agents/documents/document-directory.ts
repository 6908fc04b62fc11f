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
import { refuseUnknownOptions } from '../../base/options.ts';
import { takeHeaders } from '../files/headers.ts';
import { ParsedFiles } from '../files/parsed-files.ts';
import { shownPath } from '../files/shown-path.ts';
import { diskFiles, type TextFiles } from '../files/text-files.ts';
import type { DirectoryOptions } from '../prompts/prompt-directory.ts';
import type { Document } from './document.ts';
import { DocumentSearch } from './document-search.ts';
import {
  documentsFor,
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

/** A document's file cannot be used. */
export class DocumentFileError extends StatekError {
  readonly code = 'DOCUMENT_FILE';
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
        if (document === undefined) return [];
        return [{ ...document, topic: document.topic ?? path.split('/').slice(0, -1).join(' / ') }];
      });
    return documentsFor(found, role, topic);
  }

  /** `listOfDocuments(topic?)`, as a model reads it. */
  list(role: string, topic?: string): string {
    return listText(this.all(role, topic));
  }

  /** `searchDocuments(query, { topic, limit })`, as a model reads it: the documents that fit best, with the line that fits. */
  search(role: string, query: string, options: SearchDocumentsOptions = {}): string {
    const limit = searchLimit(options);
    const found = this.#search.find(this.all(role, options.topic), query, limit);
    if (found.length === 0) return nothingFound;
    return found.map(({ document, line, excerpt }) => `${nameText(document)}, line ${line}: ${excerpt}`).join('\n');
  }

  /** `showDocument(key, { topic, startFrom, limit })`, as a model reads it. */
  show(role: string, key: string | number, options: ShowDocumentOptions = {}): string {
    const part = partOf(options);
    return partText(meantBy(key, this.all(role, options.topic)), part);
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
