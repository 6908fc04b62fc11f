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
  const bytes: number[] = [];
  const give = (given: number): void => {
    let value = given;
    for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  };
  let before = -1;
  for (const { offset, count, lengthCode: code } of postings) {
    give(offset - before);
    give(Math.min(count, 0xffff));
    bytes.push(code);
    before = offset;
  }
  return Uint8Array.from(bytes);
}
