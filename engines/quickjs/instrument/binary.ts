// Reads and writes the parts of a WASM file that adding fuel touches: numbers, sections and vectors.
// A rewriter that only inserts keeps the compiler's own code byte for byte, which a round trip through an optimiser would not.

/** Walks through bytes; every read moves `at`. */
export class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new Error(`the WASM file ends too early, at byte ${this.at - 1}`);
    return value;
  }

  /** An unsigned number in LEB128 form. */
  unsigned(): number {
    let result = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      result += (byte & 127) * scale;
      if (byte < 128) return result;
    }
  }

  /** A signed number of at most 32 bits in LEB128 form. */
  signed(): number {
    let result = 0;
    for (let shift = 0; ;) {
      const byte = this.byte();
      result |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) return shift < 32 && (byte & 64) !== 0 ? result | (-1 << shift) : result;
    }
  }

  /** Steps over a number of any width and sign. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length) throw new Error(`the WASM file ends too early, at byte ${this.bytes.length}`);
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  vector<T>(readItem: () => T): T[] {
    return Array.from({ length: this.unsigned() }, readItem);
  }
}

/** Bytes of an unsigned number in LEB128 form. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low + 128 : low);
  } while (rest > 0);
  return bytes;
}

/** Bytes of a signed number in LEB128 form. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt(value); ;) {
    const low = Number(rest & 127n);
    rest >>= 7n;
    const last = (rest === 0n && low < 64) || (rest === -1n && low >= 64);
    bytes.push(last ? low : low + 128);
    if (last) return bytes;
  }
}

export function name(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  return [...unsigned(bytes.length), ...bytes];
}

export function concat(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A section of the file, known by its number. */
export interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

export const sectionId = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  element: 9,
  code: 10,
} as const;

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export function readSections(file: Uint8Array): Section[] {
  const reader = new Reader(file);
  if (!header.every((byte) => reader.byte() === byte)) throw new Error('this is no WASM file of version 1');
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, content: reader.take(reader.unsigned()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array {
  return concat([header, ...sections.flatMap(({ id, content }) => [[id, ...unsigned(content.length)], content])]);
}
