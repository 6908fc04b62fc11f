// Passes on a program's output line by line, so that two programs running side by side never share a line.

/** What a test prints when it could not run; repeated above the summary, where nobody overlooks it. */
export const loudLines = /^\s*SKIPPED\b/;

export class LineWriter {
  #rest = '';
  readonly #take: (line: string) => void;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#rest !== '') this.#take(this.#rest);
    this.#rest = '';
  }
}
