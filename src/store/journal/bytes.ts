// Numbers, texts and byte strings, one after another in a buffer.
import { StoreCorruptError } from '../errors.ts';

export class ByteWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written so far; valid until more is written. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53 - 1: seven bits in each byte, lowest first. */
  number(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  text(value: string, encoding: 'latin1' | 'utf8'): void {
    const length = Buffer.byteLength(value, encoding);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#buffer.write(value, this.#length, encoding);
  }

  byteString(value: Uint8Array): void {
    this.number(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

export class ByteReader {
  readonly #buffer: Buffer;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#buffer.length;
  }

  byte(): number {
    return this.#take(1)[0] as number;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new StoreCorruptError('A journal is damaged: a number in it is too long.');
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  text(encoding: 'latin1' | 'utf8'): string {
    return this.byteString().toString(encoding);
  }

  byteString(): Buffer {
    return this.#take(this.number());
  }

  #take(count: number): Buffer {
    if (this.#position + count > this.#buffer.length)
      throw new StoreCorruptError('A journal is damaged: something in it is longer than the rest.');
    this.#position += count;
    return this.#buffer.subarray(this.#position - count, this.#position);
  }
}
