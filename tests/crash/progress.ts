// A line on the terminal that shows how far a long run is; nothing where there is no terminal.

export class Progress {
  readonly #total: number;
  readonly #shown = process.stderr.isTTY;

  constructor(total: number) {
    this.#total = total;
  }

  show(done: number, words: string): void {
    if (!this.#shown) return;
    const filled = Math.round((done / this.#total) * 30);
    const bar = '█'.repeat(filled).padEnd(30, '░');
    process.stderr.write(`\r\u001B[K${bar} ${done}/${this.#total}  ${words}`);
  }

  end(): void {
    if (this.#shown) process.stderr.write('\r\u001B[K');
  }
}
