// Reads and writes the binary parts of packs: numbers as LEB128, byte strings with a length prefix.

export class BinaryWriter {
  #bytes: Uint8Array;
  #length = 0;

  /** @param room how many bytes are expected; there may be more */
  constructor(room = 4096) {
    this.#bytes = new Uint8Array(room);
  }

  get length(): number {
    return this.#length;
  }

  number(value: number): void {
    if (this.#length + 10 > this.#bytes.length) this.#grow(10);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  raw(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  counted(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  text(value: string): void {
    this.counted(Buffer.from(value, 'utf8'));
  }

  /** The written bytes, without copying. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(room: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + room));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

/** Every read checks the bounds; out of bounds it calls `fail`, which must throw. */
export class BinaryReader {
  readonly #bytes: Uint8Array;
  readonly #fail: (why: string) => never;
  #position = 0;

  constructor(bytes: Uint8Array, fail: (why: string) => never) {
    this.#bytes = bytes;
    this.#fail = fail;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) return this.#fail('it ends inside a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    return Number.isSafeInteger(value) ? value : this.#fail('a number is too large');
  }

  raw(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) return this.#fail('it is too short');
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }

  counted(): Uint8Array {
    return this.raw(this.number());
  }

  text(): string {
    return Buffer.from(this.counted()).toString('utf8');
  }

  end(): void {
    if (this.#position !== this.#bytes.length) this.#fail('it is too long');
  }
}
