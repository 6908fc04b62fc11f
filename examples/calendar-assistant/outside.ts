// The world outside of the store, as files: a mail server and Ann's chat window. What is written here has left the house,
// whatever becomes of the process that wrote it.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mail {
  readonly key: string;
  readonly to: readonly string[];
  readonly text: string;
}

export interface Line {
  readonly text: string;
  readonly time: number;
}

export class Outside {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'outside');
    mkdirSync(this.#folder, { recursive: true });
  }

  /** A mail server that knows idempotency keys: a second request with the same key delivers nothing. */
  deliver(mail: Mail): void {
    this.#append('mail-requests', { key: mail.key, process: process.pid });
    if (!this.mails().some(({ key }) => key === mail.key)) this.#append('mails', mail);
  }

  mails(): readonly Mail[] {
    return this.#lines('mails') as Mail[];
  }

  /** How often the server was asked to deliver, by key. */
  requests(key: string): number {
    return (this.#lines('mail-requests') as Mail[]).filter((request) => request.key === key).length;
  }

  show(text: string): void {
    this.#append('chat', { text, time: Date.now() } satisfies Line);
  }

  chat(): readonly Line[] {
    return this.#lines('chat') as Line[];
  }

  #append(name: string, value: unknown): void {
    appendFileSync(join(this.#folder, `${name}.jsonl`), `${JSON.stringify(value)}\n`);
  }

  #lines(name: string): unknown[] {
    const file = join(this.#folder, `${name}.jsonl`);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as unknown);
  }
}
