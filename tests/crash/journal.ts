// What a load is about to do and what it was told, in a file that outlives the process: a line is written, with one
// system call, before each call of the store and after each answer. A last line cut short never happened.
import { openSync, readFileSync, writeSync } from 'node:fs';
import type { Key } from '../../src/store/key.ts';

export interface JournalWrite {
  readonly kind: 'put' | 'remove';
  readonly collection: string;
  readonly key: Key;
}

export type JournalCheck =
  | { readonly kind: 'revision'; readonly collection: string; readonly key: Key; readonly revision: number }
  | { readonly kind: 'absent'; readonly collection: string; readonly key: Key }
  | { readonly kind: 'unchanged'; readonly collection: string; readonly prefix: Key; readonly since: number };

export interface JournalLease {
  readonly key: Key;
  readonly token: number;
  readonly owner: string;
  readonly expiresAt: number;
  /** It cannot run out while the test lasts. */
  readonly long: boolean;
}

export interface JournalTransaction {
  readonly name: string;
  readonly writes: readonly JournalWrite[];
  readonly checks: readonly JournalCheck[];
  readonly lease: (JournalLease & { readonly afterwards: 'keep' | 'release' }) | undefined;
}

/** What is about to be asked of the store. */
export type JournalCall =
  | { readonly verb: 'commit'; readonly transactions: readonly JournalTransaction[] }
  | { readonly verb: 'claim'; readonly long: boolean }
  | { readonly verb: 'renew' | 'release'; readonly leases: readonly JournalLease[] }
  | { readonly verb: 'prune'; readonly before: number };

/** What the store answered. */
export type JournalAnswer =
  /** The revision of each transaction; null where there was a conflict. */
  | { readonly verb: 'commit'; readonly revisions: readonly (number | null)[] }
  | { readonly verb: 'claim'; readonly claims: readonly { readonly revision: number; readonly lease: JournalLease }[] }
  | { readonly verb: 'renew'; readonly renewed: readonly boolean[] }
  | { readonly verb: 'release' }
  | { readonly verb: 'prune'; readonly horizon: number };

type JournalLine =
  | { readonly id: number; readonly call: JournalCall }
  | { readonly id: number; readonly answer: JournalAnswer }
  | { readonly id: number; readonly failure: JournalFailure }
  /** The load itself noticed that something is wrong. */
  | { readonly id: number; readonly wrong: string };

export interface JournalFailure {
  readonly code: string;
  readonly message: string;
}

export class JournalWriter {
  readonly #file: number;
  readonly #answered: () => void;
  #lastId = 0;

  constructor(path: string, answered: () => void) {
    this.#file = openSync(path, 'a');
    this.#answered = answered;
  }

  call(call: JournalCall): number {
    const id = ++this.#lastId;
    this.#write({ id, call });
    return id;
  }

  answer(id: number, answer: JournalAnswer): void {
    this.#write({ id, answer });
    this.#answered();
  }

  failure(id: number, failure: JournalFailure): void {
    this.#write({ id, failure });
    this.#answered();
  }

  wrong(wrong: string): void {
    this.#write({ id: 0, wrong });
  }

  #write(line: JournalLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** One call with how it ended; neither answer nor failure if the process died first. */
export interface JournalEntry {
  readonly call: JournalCall;
  answer?: JournalAnswer;
  failure?: JournalFailure;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  readonly wrong: readonly string[];
}

export function readJournal(path: string): Journal {
  return parseJournal(readFileSync(path, 'utf8'));
}

export function parseJournal(text: string): Journal {
  const entries = new Map<number, JournalEntry>();
  const wrong: string[] = [];
  // What follows the last line end was cut short.
  for (const line of text.split('\n').slice(0, -1)) {
    const parsed = JSON.parse(line) as JournalLine;
    const entry = entries.get(parsed.id);
    if ('call' in parsed) entries.set(parsed.id, { call: parsed.call });
    else if ('wrong' in parsed) wrong.push(parsed.wrong);
    else if (entry !== undefined && 'answer' in parsed) entry.answer = parsed.answer;
    else if (entry !== undefined && 'failure' in parsed) entry.failure = parsed.failure;
  }
  return { entries: [...entries.values()], wrong };
}
