// Lines and columns: finding them in a text, and carrying a place in generated code back to the author's text.
// The engine counts columns in bytes of UTF-8 and takes \n, \r\n and \r for line ends; authors see UTF-16 columns.

/** Counted from 1, as editors and stack traces do; `column` in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the line and column of offsets in a text. */
export class LineIndex {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get starts(): readonly number[] {
    if (this.#starts !== undefined) return this.#starts;
    const starts = [0];
    for (const match of this.#text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
    this.#starts = starts;
    return starts;
  }

  positionOf(offset: number): Position {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** The text of a line, without its line end. */
  lineText(line: number): string | undefined {
    const start = this.starts[line - 1];
    if (start === undefined) return undefined;
    return this.#text.slice(start, this.starts[line] ?? this.#text.length).replace(/[\r\n]+$/, '');
  }
}

/**
 * How generated code came about: four numbers for each place where it stops following the author's text.
 * Line (from 1) and column (bytes, from 0) in the generated code, offset in the author's text, 1 if the author's
 * text is copied from there on or 0 if everything up to the next place was put in for that offset. Plain data, so
 * that it can be stored beside a step and used by any later version. Generated code is one line and then the author's.
 */
export type CellMap = readonly number[];

const entrySize = 4;
const linesAhead = 1;

/** Carries places in one cell's generated code back to the author's text. */
export class CellPositions {
  readonly #source: string;
  readonly #map: CellMap;
  readonly #lines: LineIndex;

  constructor(source: string, map: CellMap) {
    this.#source = source;
    this.#map = map;
    this.#lines = new LineIndex(source);
  }

  /** The author's place for a line and column the engine reported (from 1, the column in bytes). */
  originalPosition(line: number, column: number): Position | undefined {
    const lineStart = line === 1 ? 0 : this.#lines.starts[line - 1 - linesAhead];
    if (lineStart === undefined || column < 1) return undefined;
    const bytes = column - 1;
    const entry = this.#entryBefore(line, bytes);
    if (entry === undefined || this.#map[entry] !== line) {
      return this.#lines.positionOf(this.#advance(lineStart, bytes));
    }
    const from = this.#map[entry + 2] ?? 0;
    const copied = this.#map[entry + 3] === 1;
    return this.#lines.positionOf(copied ? this.#advance(from, bytes - (this.#map[entry + 1] ?? 0)) : from);
  }

  /** The last entry at or before a place, as an index into the map. */
  #entryBefore(line: number, bytes: number): number | undefined {
    const map = this.#map;
    let low = 0;
    let high = map.length / entrySize - 1;
    let found: number | undefined;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const index = middle * entrySize;
      const entryLine = map[index] ?? 0;
      if (entryLine < line || (entryLine === line && (map[index + 1] ?? 0) <= bytes)) {
        found = index;
        low = middle + 1;
      } else high = middle - 1;
    }
    return found;
  }

  /** The offset so many bytes of UTF-8 after another, staying on its line. */
  #advance(offset: number, bytes: number): number {
    let left = bytes;
    let at = offset;
    while (left > 0 && at < this.#source.length) {
      const character = this.#source.codePointAt(at) ?? 0;
      if (character === 10 || character === 13) break;
      left -= bytesOf(character);
      if (left < 0) break;
      at += character > 0xffff ? 2 : 1;
    }
    return at;
  }
}

/** Bytes of UTF-8 for a code point; a lone surrogate is sent as U+FFFD, three bytes as well. */
export function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
