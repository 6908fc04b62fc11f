// What comes in bursts is handed on together: a page that draws for each of a thousand events does nothing else.

export class Bursts<Item> {
  readonly #listeners = new Set<(items: readonly Item[]) => void>();
  #waiting: Item[] = [];

  listen(listener: (items: readonly Item[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(item: Item): void {
    if (this.#waiting.push(item) > 1) return;
    setTimeout(() => {
      const burst = this.#waiting;
      this.#waiting = [];
      for (const listener of this.#listeners) listener(burst);
    }, 16);
  }
}
