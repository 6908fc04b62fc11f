// Reads a file again when it has changed, and only then: new jobs get the new text, and asking costs a look at its date.
import { createHash } from 'node:crypto';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { TextFiles } from './text-files.ts';

export interface ParsedFilesOptions {
  readonly clock?: Clock | undefined;
}

interface Known<Parsed> {
  readonly modified: number;
  readonly size: number;
  readonly hash: string;
  /** When the file was looked at. */
  readonly seen: number;
  readonly result: { readonly parsed: Parsed } | { readonly error: unknown };
}

/** Some file systems keep dates in steps this large: a younger file may change again without a new date. */
const dateStep = 2000;

export class ParsedFiles<Parsed> {
  readonly #files: TextFiles;
  readonly #parse: (text: string, path: string, hash: string) => Parsed;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known<Parsed>>();

  constructor(
    files: TextFiles,
    parse: (text: string, path: string, hash: string) => Parsed,
    options: ParsedFilesOptions = {},
  ) {
    this.#files = files;
    this.#parse = parse;
    this.#clock = options.clock ?? systemClock;
  }

  /** What the file says now; undefined if there is none. A file that cannot be parsed throws the same error each time. */
  get(path: string): Parsed | undefined {
    const state = this.#files.stat(path);
    if (state === undefined) {
      this.#known.delete(path);
      return undefined;
    }
    let known = this.#known.get(path);
    const isSame = known !== undefined && known.modified === state.modified && known.size === state.size;
    if (known === undefined || !isSame || known.seen - state.modified < dateStep) {
      known = this.#look(path, state.modified, state.size, known);
      this.#known.set(path, known);
    }
    if ('error' in known.result) throw known.result.error;
    return known.result.parsed;
  }

  #look(path: string, modified: number, size: number, before: Known<Parsed> | undefined): Known<Parsed> {
    const seen = this.#clock.now();
    const text = this.#files.read(path);
    const hash = hashOf(text);
    if (before?.hash === hash) return { ...before, modified, size, seen };
    try {
      return { modified, size, hash, seen, result: { parsed: this.#parse(text, path, hash) } };
    } catch (error) {
      return { modified, size, hash, seen, result: { error } };
    }
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
