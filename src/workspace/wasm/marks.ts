// Marks of memory that was written to: a byte for each block, in a memory of its own that is no part of an image. The engines mark
// with every store they execute; the host marks what it writes itself.

export class Marks {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #blockShift: number;

  /** A block has two to the power of `blockShift` bytes. */
  constructor(buffer: ArrayBuffer, blockShift: number) {
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#blockShift = blockShift;
  }

  /** Marks what the host is about to write. */
  add(start: number, length: number): void {
    if (length > 0) this.#bytes.fill(1, start >>> this.#blockShift, ((start + length - 1) >>> this.#blockShift) + 1);
  }

  /**
   * What may have been written to in so many bytes of memory: start, end, start, end …, ascending, `end` not included. A mark stands
   * for its block and the next one.
   */
  runs(memoryBytes: number): number[] {
    const count = memoryBytes >>> this.#blockShift;
    const runs: number[] = [];
    let end = -1;
    for (let word = 0; word < count >>> 2; word++) {
      if (this.#words[word] === 0) continue;
      for (let block = word * 4; block < word * 4 + 4; block++) {
        if (this.#bytes[block] === 0) continue;
        if (block > end) runs.push(block, block + 2);
        else runs[runs.length - 1] = block + 2;
        end = block + 2;
      }
    }
    if (end > count) runs[runs.length - 1] = count;
    return runs.map((block) => block * 2 ** this.#blockShift);
  }

  /** From here on, marks show what differs from what so many bytes of memory hold now. */
  clear(memoryBytes: number): void {
    this.#bytes.fill(0, 0, memoryBytes >>> this.#blockShift);
  }
}
