// A sorted set of keys for the memory engine: a list of short sorted chunks, so that an insert or delete moves few keys.

const maxChunk = 512;

export class SortedKeys<Key extends string> {
  #chunks: Key[][] = [];

  add(key: Key): void {
    const chunk = this.#chunks[this.#chunkOf(key)];
    if (chunk === undefined) {
      this.#chunks.push([key]);
      return;
    }
    const position = firstAtLeast(chunk, key);
    if (chunk[position] === key) return;
    chunk.splice(position, 0, key);
    if (chunk.length > maxChunk) {
      this.#chunks.splice(this.#chunks.indexOf(chunk) + 1, 0, chunk.splice(maxChunk / 2));
    }
  }

  delete(key: Key): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return;
    const position = firstAtLeast(chunk, key);
    if (chunk[position] !== key) return;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** The keys from `lower` (inclusive) to `upper` (exclusive). The set must not change during iteration. */
  *between(lower: Key, upper: Key, reverse: boolean): Generator<Key, void, undefined> {
    if (lower >= upper || this.#chunks.length === 0) return;
    const step = reverse ? -1 : 1;
    for (let index = this.#chunkOf(reverse ? upper : lower); index >= 0 && index < this.#chunks.length; index += step) {
      const chunk = this.#chunks[index] as Key[];
      const start = firstAtLeast(chunk, lower);
      const end = firstAtLeast(chunk, upper);
      for (let offset = 0; offset < end - start; offset++) {
        yield chunk[reverse ? end - 1 - offset : start + offset] as Key;
      }
      const past = reverse ? (chunk[0] as Key) < lower : (chunk.at(-1) as Key) >= upper;
      if (past) return;
    }
  }

  /** The last chunk that starts at or before `key`, or the first chunk. */
  #chunkOf(key: Key): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.[0] as Key) <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

function firstAtLeast(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
