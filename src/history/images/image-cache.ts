// An LRU cache of rebuilt images, bounded by bytes.

export class ImageCache<Image extends { readonly memoryBytes: number }> {
  readonly #entries = new Map<string, Image>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(name: string): Image | undefined {
    const value = this.#entries.get(name);
    if (value === undefined) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, value);
    return value;
  }

  set(name: string, value: Image): void {
    this.delete(name);
    if (value.memoryBytes > this.#limit) return;
    this.#entries.set(name, value);
    this.#bytes += value.memoryBytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#bytes -= this.#entries.get(name)?.memoryBytes ?? 0;
    this.#entries.delete(name);
  }
}
