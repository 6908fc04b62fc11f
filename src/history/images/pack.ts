// A pack turns one image into a later one. It contains the new values of the changed words, so it can be made without the
// bytes of the earlier image, and several packs can be replaced by one.
//
// Packs are parts of at most 4 MiB of words; all but the largest have one. A part is an envelope (envelope.ts) around
//
//   part 0 only, in clear: level, base, keep, pages
//   part 0 only: the header or that it is the one of the base, number of further parts and the SHA-256 of each
//   every part:  number of runs, then (gap, length) of each, in words, then the words of all runs
//
// The hash of a pack is that of part 0, which names its base by hash too: one hash binds an image down to its boot image. Steps
// resemble each other, so the contents of the base are the dictionary of the compressor; what names the base is in clear.
import { hash } from 'node:crypto';
import { BinaryReader, BinaryWriter } from './binary.ts';
import { damaged, checkForeign, open, wrap, type Envelope } from '../envelope.ts';
import { wordsOf } from './image-check.ts';
import { maxPartWords, pageBytes, pageWords, wordBytes, type HistoryLimits } from '../limits.ts';
import type { Level, PackEnd } from './lineage.ts';
import type { Runs } from './measure-change.ts';
import { pagesOf, type Pages } from './pages.ts';

/** What a pack applies to: nothing, a boot image, or the image of another pack. */
export type PackBase =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'boot'; readonly hash: string }
  | { readonly kind: 'pack'; readonly hash: string };

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
  readonly end: PackEnd;
}

export interface DecodedPart {
  readonly runs: Runs;
  readonly words: Uint8Array;
}

export interface DecodedPack {
  readonly end: PackEnd;
  readonly first: DecodedPart;
  /** The SHA-256 of the parts after the first. */
  readonly furtherParts: readonly string[];
}

/** A pack whose hash was verified; what is compressed with the help of its base is still to be read. */
export interface OpenedPack extends Pick<PackContents, 'level' | 'base' | 'keep' | 'pages'> {
  /** @param before the end of its base; undefined if that is nothing */
  decode(before: PackEnd | undefined): DecodedPack;
}

const baseKinds = ['nothing', 'boot', 'pack'] as const;
const sha256Bytes = 32;
const maxDictionaryBytes = 8 * 1024;
/** Most runs are a few words long; a loop copies those several times faster than a view and a call. */
const shortRun = 16;
// A few unchanged words between two runs cost less than another run. In small packs every byte counts; in large ones the
// number of runs determines the time, and compression absorbs the extra words.
const joinedGap = (words: number): number => (words < 16 * 1024 ? 1 : 16);

/**
 * @param image the image the runs refer to
 * @param before the end of the base; undefined if that is nothing
 */
export function encodePack(
  contents: PackContents,
  image: Uint8Array | Pages,
  effort: number,
  before?: PackEnd,
): EncodedPack {
  const pages = pagesOf(image);
  const joined = joinRuns(contents.runs);
  const [first = [], ...further] = splitRuns(joined);
  const furtherParts: Uint8Array[] = [];
  for (const runs of further) {
    const writer = new BinaryWriter();
    writeRuns(writer, runs, pages);
    furtherParts.push(wrap(writer.bytes(), { effort }));
  }
  const writer = new BinaryWriter();
  writeHeader(writer, contents.header, before);
  writer.number(furtherParts.length);
  for (const part of furtherParts) writer.raw(Buffer.from(hashOf(part), 'hex'));
  writeRuns(writer, first, pages);
  const options = { clear: clearOf(contents), effort, dictionary: before?.dictionary };
  const parts = [wrap(writer.bytes(), options), ...furtherParts];
  const storedBytes = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    hash: hashOf(parts[0] as Uint8Array),
    parts,
    wordBytes: wordsIn(joined) * wordBytes,
    storedBytes,
    end: endOf(contents.header, writer.bytes()),
  };
}

/** Opens part 0 after verifying its hash. */
export function openPack(part: Uint8Array, expectedHash: string, where: string, limits: HistoryLimits): OpenedPack {
  const fail = (why: string): never => {
    throw damaged(where, why);
  };
  const envelope = openPart(part, expectedHash, where);
  // Before version 2 nothing was in clear, no base was needed, and every pack had its header.
  const contents = envelope.clear === undefined ? envelope.contents() : undefined;
  const reader = new BinaryReader(envelope.clear ?? contents ?? noBytes, fail);
  const level = reader.number() as Level;
  if (level > 3) fail(`its level ${level} does not exist`);
  const base = readBase(reader, contents !== undefined, fail);
  const keep = reader.number();
  const pages = reader.number();
  if (keep > pages || pages * pageBytes > limits.imageBytes) {
    fail(`its image has ${pages} pages, of which ${keep} are kept; the limit is ${limits.imageBytes} bytes`);
  }
  if (contents === undefined) reader.end();
  return {
    level,
    base,
    keep,
    pages,
    decode: (before) => {
      const bytes = contents ?? envelope.contents(before?.dictionary);
      const rest = contents === undefined ? new BinaryReader(bytes, fail) : reader;
      const header = contents === undefined ? readHeader(rest, before, fail) : new Uint8Array(rest.counted());
      const furtherCount = rest.number();
      if (furtherCount > pages) fail(`it claims ${furtherCount} further parts`);
      const furtherParts = Array.from({ length: furtherCount }, () => hex(rest.raw(sha256Bytes)));
      const first = readRuns(rest, pages, fail);
      return { end: endOf(header, bytes), furtherParts, first };
    },
  };
}

export function decodeFurtherPart(part: Uint8Array, expectedHash: string, where: string, pages: number): DecodedPart {
  const fail = (why: string): never => {
    throw damaged(where, why);
  };
  return readRuns(new BinaryReader(openPart(part, expectedHash, where).contents(), fail), pages, fail);
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

/** What must be known before the base is: which one it is. */
function clearOf({ level, base, keep, pages }: PackContents): Uint8Array {
  const writer = new BinaryWriter(64);
  writer.number(level);
  writer.number(baseKinds.indexOf(base.kind));
  if (base.kind !== 'nothing') writer.raw(Buffer.from(base.hash, 'hex'));
  writer.number(keep);
  writer.number(pages);
  return writer.bytes();
}

function readBase(reader: BinaryReader, hasAddress: boolean, fail: (why: string) => never): PackBase {
  const kind = baseKinds[reader.number()];
  switch (kind) {
    case 'nothing':
      return { kind };
    case 'boot':
      return { kind, hash: hex(reader.raw(sha256Bytes)) };
    case 'pack': {
      const base = { kind, hash: hex(reader.raw(sha256Bytes)) };
      if (hasAddress) {
        reader.text();
        reader.number();
      }
      return base;
    }
    default:
      return fail('its base has an unknown kind');
  }
}

function endOf(header: Uint8Array, contents: Uint8Array): PackEnd {
  return { header, dictionary: new Uint8Array(contents.subarray(0, maxDictionaryBytes)) };
}

/** The length and one more, so that zero says that it is the header of the base. */
function writeHeader(writer: BinaryWriter, header: Uint8Array, before: PackEnd | undefined): void {
  if (before !== undefined && Buffer.compare(header, before.header) === 0) return writer.number(0);
  writer.number(header.length + 1);
  writer.raw(header);
}

function readHeader(reader: BinaryReader, before: PackEnd | undefined, fail: (why: string) => never): Uint8Array {
  const length = reader.number() - 1;
  if (length >= 0) return new Uint8Array(reader.raw(length));
  return before?.header ?? fail('its header is that of a base it does not have');
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
const noBytes: Uint8Array = new Uint8Array(0);

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

function openPart(part: Uint8Array, expectedHash: string, where: string): Envelope {
  checkForeign(part, where);
  if (hashOf(part) !== expectedHash) throw damaged(where, 'its bytes differ from what was committed');
  return open(part, where);
}

function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
