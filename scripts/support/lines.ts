// Forwards the output of a program line by line, so that concurrent programs never share a line.

/** Printed by tests that could not run; repeated above the summary, where it is not overlooked. */
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
