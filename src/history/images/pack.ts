// A pack turns one image into a later one. It contains the new values of the changed words, so it can be made without the
// bytes of the earlier image, and several packs can be replaced by one.
//
// Packs are parts of at most 4 MiB of words; all but the largest have one. A part is an envelope (envelope.ts) around
//
//   part 0 only: level, base, keep, pages, header, number of further parts and the SHA-256 of each
//   every part:  number of runs, then (gap, length) of each, in words, then the words of all runs
//
// The hash of a pack is that of part 0, which names its base by hash too: one hash binds an image down to its boot image.
import { hash } from 'node:crypto';
import { BinaryReader, BinaryWriter } from './binary.ts';
import { damaged, checkForeign, unwrap, wrap } from '../envelope.ts';
import { wordsOf } from './image-check.ts';
import { maxPartWords, pageBytes, pageWords, wordBytes, type HistoryLimits } from '../limits.ts';
import type { Level } from './lineage.ts';
import type { Runs } from './measure-change.ts';
import { pagesOf, type Pages } from './pages.ts';
import type { Address } from './path.ts';

/** What a pack applies to: nothing, a boot image, or the image of another pack. */
export type PackBase =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'boot'; readonly hash: string }
  | { readonly kind: 'pack'; readonly address: Address; readonly hash: string };

export interface PackContents {
  readonly level: Level;
  readonly base: PackBase;
  /** The base is truncated to this many pages … */
  readonly keep: number;
  /** … and then extended with zeros to this many. */
  readonly pages: number;
  readonly header: Uint8Array;
  readonly runs: Runs;
}

export interface EncodedPack {
  readonly hash: string;
  readonly parts: readonly Uint8Array[];
  /** The words of all parts, before compression. */
  readonly wordBytes: number;
  readonly storedBytes: number;
}

export interface DecodedPart {
  readonly runs: Runs;
  readonly words: Uint8Array;
}

export interface DecodedPack extends Omit<PackContents, 'runs'> {
  readonly first: DecodedPart;
  /** The SHA-256 of the parts after the first. */
  readonly furtherParts: readonly string[];
}

const baseKinds = ['nothing', 'boot', 'pack'] as const;
const sha256Bytes = 32;
/** Most runs are a few words long; a loop copies those several times faster than a view and a call. */
const shortRun = 16;
// A few unchanged words between two runs cost less than another run. In small packs every byte counts; in large ones the
// number of runs determines the time, and compression absorbs the extra words.
const joinedGap = (words: number): number => (words < 16 * 1024 ? 1 : 16);

/** @param image the image the runs refer to */
export function encodePack(contents: PackContents, image: Uint8Array | Pages, effort: number): EncodedPack {
  const pages = pagesOf(image);
  const joined = joinRuns(contents.runs);
  const [first = [], ...further] = splitRuns(joined);
  const furtherParts: Uint8Array[] = [];
  for (const runs of further) {
    const writer = new BinaryWriter();
    writeRuns(writer, runs, pages);
    furtherParts.push(wrap(writer.bytes(), effort));
  }
  const writer = new BinaryWriter();
  writePreamble(writer, contents, furtherParts);
  writeRuns(writer, first, pages);
  const parts = [wrap(writer.bytes(), effort), ...furtherParts];
  const storedBytes = parts.reduce((sum, part) => sum + part.length, 0);
  return { hash: hashOf(parts[0] as Uint8Array), parts, wordBytes: wordsIn(joined) * wordBytes, storedBytes };
}

/** Decodes part 0 after verifying its hash. */
export function decodePack(part: Uint8Array, expectedHash: string, where: string, limits: HistoryLimits): DecodedPack {
  const contents = openPart(part, expectedHash, where);
  const fail = (why: string): never => {
    throw damaged(where, why);
  };
  const reader = new BinaryReader(contents, fail);
  const level = reader.number() as Level;
  if (level > 3) fail(`its level ${level} does not exist`);
  const base = readBase(reader, fail);
  const keep = reader.number();
  const pages = reader.number();
  if (keep > pages || pages * pageBytes > limits.imageBytes) {
    fail(`its image has ${pages} pages, of which ${keep} are kept; the limit is ${limits.imageBytes} bytes`);
  }
  const header = new Uint8Array(reader.counted());
  const furtherCount = reader.number();
  if (furtherCount > pages) fail(`it claims ${furtherCount} further parts`);
  const furtherParts = Array.from({ length: furtherCount }, () => hex(reader.raw(sha256Bytes)));
  const first = readRuns(reader, pages, fail);
  return { level, base, keep, pages, header, furtherParts, first };
}

export function decodeFurtherPart(part: Uint8Array, expectedHash: string, where: string, pages: number): DecodedPart {
  const fail = (why: string): never => {
    throw damaged(where, why);
  };
  return readRuns(new BinaryReader(openPart(part, expectedHash, where), fail), pages, fail);
}

/** Writes the words of a part into an image. */
export function applyPart({ runs, words }: DecodedPart, image: Uint8Array): void {
  let from = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const start = (runs[run] as number) * wordBytes;
    const end = (runs[run + 1] as number) * wordBytes;
    const to = from + end - start;
    if (to - from <= shortRun * wordBytes) for (let at = start; at < end; at++) image[at] = words[from++] as number;
    else image.set(words.subarray(from, to), start);
    from = to;
  }
}

function writePreamble(writer: BinaryWriter, contents: PackContents, furtherParts: readonly Uint8Array[]): void {
  const { base } = contents;
  writer.number(contents.level);
  writer.number(baseKinds.indexOf(base.kind));
  if (base.kind !== 'nothing') writer.raw(Buffer.from(base.hash, 'hex'));
  if (base.kind === 'pack') {
    writer.text(base.address.chain);
    writer.number(base.address.sequence);
  }
  writer.number(contents.keep);
  writer.number(contents.pages);
  writer.counted(contents.header);
  writer.number(furtherParts.length);
  for (const part of furtherParts) writer.raw(Buffer.from(hashOf(part), 'hex'));
}

function readBase(reader: BinaryReader, fail: (why: string) => never): PackBase {
  const kind = baseKinds[reader.number()];
  switch (kind) {
    case 'nothing':
      return { kind };
    case 'boot':
      return { kind, hash: hex(reader.raw(sha256Bytes)) };
    case 'pack': {
      const packHash = hex(reader.raw(sha256Bytes));
      return { kind, hash: packHash, address: { chain: reader.text(), sequence: reader.number() } };
    }
    default:
      return fail('its base has an unknown kind');
  }
}

function writeRuns(writer: BinaryWriter, runs: Runs, image: Pages): void {
  writer.number(runs.length / 2);
  let last = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const start = runs[run] as number;
    const end = runs[run + 1] as number;
    writer.number(start - last);
    writer.number(end - start);
    last = end;
  }
  writer.raw(collect(runs, image));
}

/** The words of all runs, one after the other. */
function collect(runs: Runs, image: Pages): Uint8Array {
  const collected = new Int32Array(wordsIn(runs));
  let words = noWords;
  let first = 0;
  let to = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const end = runs[run + 1] as number;
    for (let start = runs[run] as number; start < end;) {
      if (start < first || start >= first + words.length) {
        const page = Math.floor(start / pageWords);
        words = wordsOf(image.page(page));
        first = page * pageWords;
      }
      const stop = Math.min(end, first + pageWords);
      if (stop - start <= shortRun) for (let at = start; at < stop; at++) collected[to++] = words[at - first] as number;
      else {
        collected.set(words.subarray(start - first, stop - first), to);
        to += stop - start;
      }
      start = stop;
    }
  }
  return new Uint8Array(collected.buffer);
}

const noWords: Int32Array = new Int32Array(0);

function readRuns(reader: BinaryReader, pages: number, fail: (why: string) => never): DecodedPart {
  const count = reader.number();
  const runs: Runs = [];
  let last = 0;
  let words = 0;
  for (let run = 0; run < count; run++) {
    const start = last + reader.number();
    last = start + reader.number();
    if (last > pages * pageWords) fail('it writes outside its image');
    runs.push(start, last);
    words += last - start;
  }
  const part = { runs, words: reader.raw(words * wordBytes) };
  reader.end();
  return part;
}

function joinRuns(runs: Runs): Runs {
  const gap = joinedGap(wordsIn(runs));
  const joined: Runs = [];
  let last = -Infinity;
  for (let run = 0; run < runs.length; run += 2) {
    const start = runs[run] as number;
    const end = runs[run + 1] as number;
    if (start - last <= gap) joined[joined.length - 1] = end;
    else joined.push(start, end);
    last = end;
  }
  return joined;
}

function splitRuns(runs: Runs): Runs[] {
  const parts: Runs[] = [];
  let part: Runs = [];
  let room = maxPartWords;
  for (let run = 0; run < runs.length; run += 2) {
    let start = runs[run] as number;
    const end = runs[run + 1] as number;
    while (start < end) {
      const stop = Math.min(end, start + room);
      part.push(start, stop);
      room -= stop - start;
      start = stop;
      if (room === 0) {
        parts.push(part);
        part = [];
        room = maxPartWords;
      }
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

function wordsIn(runs: Runs): number {
  let words = 0;
  for (let run = 0; run < runs.length; run += 2) words += (runs[run + 1] as number) - (runs[run] as number);
  return words;
}

function openPart(part: Uint8Array, expectedHash: string, where: string): Uint8Array {
  checkForeign(part, where);
  if (hashOf(part) !== expectedHash) throw damaged(where, 'its bytes differ from what was committed');
  return unwrap(part, where);
}

function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
