// Where a word occurs, as bytes: for each document its number in the chunk, how often the word is in it, and how long it is.

/** Documents of a source are numbered, and each chunk covers so many numbers. */
export const chunkSize = 4096;

export interface Posting {
  /** The number of the document in the chunk. */
  readonly offset: number;
  readonly count: number;
  /** The length of the document, about. */
  readonly lengthCode: number;
}

/** Lengths only weigh a little, so one byte is enough: within 5 %. */
export function lengthCode(words: number): number {
  return Math.min(255, Math.round(8 * Math.log2(words + 1)));
}

export const codedLengths: readonly number[] = Array.from({ length: 256 }, (_, code) => 2 ** (code / 8) - 1);

export function decodePostings(bytes: Uint8Array): Posting[] {
  const postings: Posting[] = [];
  let at = 0;
  let offset = -1;
  const take = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    offset += take();
    const count = take();
    postings.push({ offset, count, lengthCode: bytes[at++] as number });
  }
  return postings;
}

/** @param postings in the order of their offsets */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  return encodeAfter(-1, new Uint8Array(0), postings);
}

/**
 * Postings that come behind those that are encoded already, without taking these apart: most documents are new ones, with the highest
 * numbers so far. Undefined if one of them does not come behind.
 * @param added in the order of their offsets
 */
export function appendPostings(before: Uint8Array, added: readonly Posting[]): Uint8Array | undefined {
  const last = lastOffset(before);
  const [first] = added;
  if (first === undefined) return before;
  return first.offset > last ? encodeAfter(last, before, added) : undefined;
}

/** An offset of a chunk and a count take at most so many bytes, with the length. */
const maxPostingBytes = 8;

function encodeAfter(last: number, before: Uint8Array, postings: readonly Posting[]): Uint8Array {
  const bytes = new Uint8Array(before.length + postings.length * maxPostingBytes);
  bytes.set(before);
  let at = before.length;
  const give = (given: number): void => {
    let value = given;
    for (; value >= 0x80; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
    bytes[at++] = value;
  };
  let previous = last;
  for (const { offset, count, lengthCode: code } of postings) {
    give(offset - previous);
    give(Math.min(count, 0xffff));
    bytes[at++] = code;
    previous = offset;
  }
  return bytes.slice(0, at);
}

function lastOffset(bytes: Uint8Array): number {
  let offset = -1;
  for (let at = 0; at < bytes.length;) {
    let difference = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      difference |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    offset += difference;
    while ((bytes[at++] as number) >= 0x80);
    at++;
  }
  return offset;
}
