// Reads typed or piped lines, with a prompt and history on a terminal.
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface LineOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly isTerminal: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  readonly onInterrupt: () => void;
}

export class Lines {
  readonly #reader: Interface;
  readonly #waiting: string[] = [];
  readonly #isTerminal: boolean;
  #wake: () => void = () => undefined;
  #isClosed = false;

  constructor({ input, output, isTerminal, history, onInterrupt }: LineOptions) {
    this.#isTerminal = isTerminal;
    this.#reader = createInterface({
      input,
      ...(isTerminal ? { output } : {}),
      terminal: isTerminal,
      history: [...history],
      historySize: 1000,
      removeHistoryDuplicates: true,
    });
    this.#reader.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake();
    });
    this.#reader.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
    this.#reader.on('SIGINT', onInterrupt);
  }

  /** The next line; undefined when there are no more. */
  async next(prompt: string): Promise<string | undefined> {
    if (this.#isTerminal && this.#waiting.length === 0) {
      this.#reader.setPrompt(prompt);
      this.#reader.prompt();
    }
    while (this.#waiting.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#waiting.shift();
  }

  /** Discards the typed part of a line and shows the prompt again. */
  dropLine(prompt: string): void {
    if (!this.#isTerminal) return;
    this.#reader.write(null, { ctrl: true, name: 'u' });
    this.#reader.write(null, { ctrl: true, name: 'k' });
    process.stdout.write('\n');
    this.#reader.setPrompt(prompt);
    this.#reader.prompt();
  }

  close(): void {
    this.#reader.close();
  }
}
