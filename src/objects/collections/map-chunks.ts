// A map in parts: a doubly linked list of chunks with entries in insertion order, and one small part per key with the
// number of its chunk. Parts do not grow with the map, so a change touches only a few of them.
import { hash } from 'node:crypto';
import { damaged, readPart } from './parts.ts';
import type { PartKey, Parts } from './parts.ts';
import { packElements, partCapacity, partMinimum, totalWeight } from './weight.ts';

/** Sequence numbers grow and are never reused, so that an iteration knows which entries it has visited. */
export type Entry = readonly [sequence: number, text: string, key: unknown, value: unknown];

export interface Chunk {
  readonly previous: number | null;
  readonly next: number | null;
  /** Never empty. */
  readonly entries: readonly Entry[];
}

export interface ChunkedMap {
  readonly size: number;
  /** The next sequence or chunk number; both share one counter. */
  readonly next: number;
  /** The first and the last chunk. */
  readonly first: number;
  readonly last: number;
}

const maxTextLength = 200;

export function chunkKey(chunk: number): PartKey {
  return ['c', chunk];
}

/** The part with the chunk number of a key: named by its text, or by a hash if the text is unsuitable as a store key. */
export function indexKey(text: string): PartKey {
  if (text.length <= maxTextLength && text.isWellFormed()) return ['k', text];
  // Not UTF-8, which maps all lone surrogates to the same bytes.
  return ['h', hash('sha256', Buffer.from(text, 'utf16le'), 'hex')];
}

export function readChunk(parts: Parts, number: number): Chunk {
  const chunk = readPart(parts, chunkKey(number)) as Chunk | null;
  if (!Array.isArray(chunk?.entries) || chunk.entries.length === 0) throw damaged(chunkKey(number), 'has no entries');
  return chunk;
}

/** The position of the entry of a key. */
export function findEntry(
  parts: Parts,
  text: string,
): { number: number; chunk: Chunk; index: number; entry: Entry } | undefined {
  const number = parts.read(indexKey(text)) as number | undefined;
  if (number === undefined) return undefined;
  const chunk = readChunk(parts, number);
  const index = chunk.entries.findIndex((candidate) => candidate[1] === text);
  const entry = chunk.entries[index];
  // A hash collision also ends here, instead of returning a wrong value.
  if (entry === undefined) throw damaged(indexKey(text), `refers to chunk ${number}, which does not have the key`);
  return { number, chunk, index, entry };
}

/** Every chunk in order, with its number. */
export function* chunksOf(parts: Parts, root: ChunkedMap): Generator<readonly [number: number, chunk: Chunk]> {
  for (let number: number | null = root.first; number !== null;) {
    const chunk = readChunk(parts, number);
    yield [number, chunk];
    number = chunk.next;
  }
}

export function destroyChunks(parts: Parts, root: ChunkedMap): void {
  for (const [number, chunk] of chunksOf(parts, root)) {
    for (const [, text] of chunk.entries) parts.remove(indexKey(text));
    parts.remove(chunkKey(number));
  }
}

/** Moves entries that no longer fit into one record into chunks. */
export function buildChunks(parts: Parts, entries: readonly Entry[], next: number): ChunkedMap {
  const pieces = packElements([...entries], 'even') as Entry[][];
  const last = next + pieces.length - 1;
  pieces.forEach((piece, index) => {
    const number = next + index;
    const links = { previous: index === 0 ? null : number - 1, next: number === last ? null : number + 1 };
    parts.write(chunkKey(number), { ...links, entries: piece });
    for (const [, text] of piece) parts.write(indexKey(text), number);
  });
  return { size: entries.length, next: last + 1, first: next, last };
}

/** One change of a map in chunks: writes parts and tracks the numbers of the new root. */
export class ChunkEdit {
  readonly #parts: Parts;
  size: number;
  next: number;
  first: number | null;
  last: number | null;

  constructor(parts: Parts, root: ChunkedMap) {
    this.#parts = parts;
    ({ size: this.size, next: this.next, first: this.first, last: this.last } = root);
  }

  /** Appends an entry for a new key. */
  append(text: string, key: unknown, value: unknown): void {
    const entry: Entry = [this.next++, text, key, value];
    const last = this.last as number;
    const chunk = readChunk(this.#parts, last);
    const entries = [...chunk.entries, entry];
    let number = last;
    if (totalWeight(entries) <= partCapacity) {
      this.#write(last, { ...chunk, entries });
    } else {
      number = this.next++;
      this.#write(last, { ...chunk, next: number });
      this.#write(number, { previous: last, next: null, entries: [entry] });
      this.last = number;
    }
    this.#parts.write(indexKey(text), number);
    this.size++;
  }

  /** Replaces the entries of a chunk, possibly with none or too many for it; `lighter` if they weigh less than before. */
  replace(number: number, chunk: Chunk, entries: readonly Entry[], lighter: boolean): void {
    const pieces = packElements(entries, 'even') as Entry[][];
    if (pieces.length === 0) {
      this.#parts.remove(chunkKey(number));
      this.#link(chunk.previous, chunk.next);
      this.#mend(chunk.previous);
    } else if (pieces.length === 1) {
      this.#write(number, { ...chunk, entries });
      if (lighter) this.#mend(number);
    } else {
      const numbers = this.#split(number, chunk, pieces);
      this.#mend(numbers[0] as number);
      this.#mend(numbers.at(-1) as number);
    }
  }

  // The piece with the most entries stays in place, because each moved entry costs a write of its index part.
  #split(number: number, chunk: Chunk, pieces: readonly Entry[][]): readonly number[] {
    const most = Math.max(...pieces.map((piece) => piece.length));
    const kept = pieces.findIndex((piece) => piece.length === most);
    const numbers = pieces.map((_, index) => (index === kept ? number : this.next++));
    pieces.forEach((entries, index) => {
      const at = numbers[index] as number;
      const links = { previous: numbers[index - 1] ?? chunk.previous, next: numbers[index + 1] ?? chunk.next };
      this.#write(at, { ...links, entries });
      if (at !== number) this.#point(entries, at);
    });
    this.#link(chunk.previous, numbers[0] as number);
    this.#link(numbers.at(-1) as number, chunk.next);
    return numbers;
  }

  // Merges a chunk that is less than a quarter full into a neighbour with room.
  #mend(start: number | null): void {
    for (let number = start; number !== null && this.#parts.read(chunkKey(number)) !== undefined;) {
      const chunk = readChunk(this.#parts, number);
      const weight = totalWeight(chunk.entries);
      if (weight >= partMinimum) return;
      const target = [chunk.previous, chunk.next].find(
        (side) => side !== null && weight + totalWeight(readChunk(this.#parts, side).entries) <= partCapacity,
      );
      if (target === undefined || target === null) return;
      const into = readChunk(this.#parts, target);
      this.#parts.remove(chunkKey(number));
      this.#write(
        target,
        target === chunk.previous
          ? { ...into, entries: [...into.entries, ...chunk.entries] }
          : { ...into, entries: [...chunk.entries, ...into.entries] },
      );
      this.#point(chunk.entries, target);
      this.#link(chunk.previous, chunk.next);
      number = target;
    }
  }

  // Links two chunks; if one is null, the other becomes the first or last.
  #link(left: number | null, right: number | null): void {
    if (left === null) this.first = right;
    else this.#relink(left, 'next', right);
    if (right === null) this.last = left;
    else this.#relink(right, 'previous', left);
  }

  #relink(number: number, side: 'previous' | 'next', other: number | null): void {
    const chunk = readChunk(this.#parts, number);
    if (chunk[side] !== other) this.#write(number, { ...chunk, [side]: other });
  }

  #point(entries: readonly Entry[], number: number): void {
    for (const [, text] of entries) this.#parts.write(indexKey(text), number);
  }

  #write(number: number, chunk: Chunk): void {
    this.#parts.write(chunkKey(number), chunk);
  }
}
