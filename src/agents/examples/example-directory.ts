// A folder of examples: `<folder>/<role>/**/*.md`, in the order of their numbers.
import { join } from 'node:path';
import { refuseUnknownOptions } from '../../base/options.ts';
import { ParsedFiles } from '../files/parsed-files.ts';
import { shownPath } from '../files/shown-path.ts';
import { diskFiles, type TextFiles } from '../files/text-files.ts';
import { checkRole, type DirectoryOptions } from '../prompts/prompt-directory.ts';
import { lookUp } from '../wording/lookup.ts';
import { ExampleFileError, ExampleNotFoundError } from './errors.ts';
import type { Example } from './example.ts';
import { parseExample } from './example-text.ts';

export interface ExampleList {
  readonly examples: readonly Example[];
  /** How many there are in all. */
  readonly total: number;
  /** As a model reads it. */
  readonly text: string;
}

const usualLimit = 20;

export class ExampleDirectory {
  readonly directory: string;
  readonly #files: TextFiles;
  readonly #parsed: ParsedFiles<Example>;

  constructor(directory: string, options: DirectoryOptions = {}) {
    refuseUnknownOptions('ExampleDirectory', options, { files: true, clock: true });
    this.directory = directory;
    this.#files = options.files ?? diskFiles;
    this.#parsed = new ParsedFiles(this.#files, (text, path) => parseExample(text, path, nameOf(path)), {
      clock: options.clock,
    });
  }

  /** The examples of a role, by number, then by path. */
  all(role: string): Example[] {
    checkRole(role);
    const folder = join(this.directory, role);
    const found = this.#files
      .list(folder)
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => {
        const example = this.#parsed.get(join(folder, path));
        return example === undefined ? [] : [{ path, example }];
      });
    const byNumber = new Map<number, string>();
    for (const { path, example } of found) {
      if (example.number === undefined) continue;
      const other = byNumber.get(example.number);
      if (other !== undefined)
        throw new ExampleFileError(
          `${shownPath(join(folder, path))} has the seq_id ${example.number} of ${shownPath(join(folder, other))}.`,
          {
            path,
            other,
          },
        );
      byNumber.set(example.number, path);
    }
    const last = Number.POSITIVE_INFINITY;
    return found.map(({ example }) => example).toSorted((a, b) => (a.number ?? last) - (b.number ?? last) || 0);
  }

  /** `listOfExamples(start, limit)`: so many from that place on, counted from 0. */
  list(role: string, start = 0, limit = usualLimit): ExampleList {
    const all = this.all(role);
    const from = Math.max(0, Math.floor(start));
    const examples = all.slice(from, from + Math.max(1, Math.floor(limit)));
    const end = from + examples.length;
    const lines = examples.map(
      ({ name, number, difficulty }) =>
        `${number === undefined ? '-' : `${number}.`} ${name}${difficulty === undefined ? '' : ` (${difficulty})`}`,
    );
    if (end < all.length) lines.push(`… ${all.length - end} more of ${all.length}, from ${end} on`);
    return { examples, total: all.length, text: lines.length === 0 ? 'There are no examples.' : lines.join('\n') };
  }

  /** `showExample(id)`: by number or name, whole or in part. */
  find(role: string, id: string | number): Example {
    const all = this.all(role);
    const result = lookUp(
      id,
      all.map((example) => ({ number: example.number, title: example.name, example })),
    );
    if ('found' in result) return result.found.example;
    const names = result.candidates.map(({ example }) => `'${example.name}'`);
    throw new ExampleNotFoundError(
      names.length > 0
        ? `Several examples come near '${id}': ${names.join(', ')}. Give one of the names or its number.`
        : `There is no example '${id}'. listOfExamples() lists the ${all.length} there are.`,
      { id, candidates: names },
    );
  }
}

function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? path).replace(/\.md$/, '').replaceAll('_', ' ');
}
