// A backup as a file: pieces with a checksum each, the first says what is in it, the last has the number of items and a checksum of
// the whole. It is written and read piece by piece, so its size does not matter. A file gets its name when it is complete and synced.
import { createHash, randomBytes, type Hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
// Imported as a whole: named imports would fail on an old Node before the version check can run.
import zlib from 'node:zlib';
import { StatekError } from '../../base/error.ts';
import { ArchiveDamagedError } from '../archive/archive.ts';
import type { SnapshotItem } from '../engine/snapshot.ts';
import { WindowSource } from '../file/frame-file.ts';
import { frameAt, frameOf } from '../journal/frame.ts';
import { readSnapshotItems, writeSnapshotItem } from '../journal/items.ts';
import { ByteWriter } from '../journal/bytes.ts';
import { maxValueBytes } from '../value.ts';
import type { BackupHeader } from './backup-header.ts';
import { BackupExistsError } from './errors.ts';

const compress = promisify(zlib.zstdCompress);
const decompress = promisify(zlib.zstdDecompress);

const mark = 'STATEKB';
const format = 1;
const seedAt = mark.length + 1;
const firstPiece = seedAt + 4;

/** Pieces are of about this size, or as long as one value. */
const pieceBytes = 1024 * 1024;
/** A character takes up to three bytes. More than this is damage or an attack. */
const maxPieceBytes = 4 * maxValueBytes;

/** The first byte of a piece. */
const kinds = { header: 1, items: 2, end: 3 } as const;

interface BackupEnd {
  readonly items: number;
  readonly sha256: string;
}

/** Writes a file beside the one it becomes. */
export class BackupWriter {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #seed = randomBytes(4).readUInt32LE(0);
  readonly #hash = createHash('sha256');
  readonly #descriptor: number;
  #gathered = new ByteWriter();
  #items = 0;
  #pieces = 0;
  #bytes = 0;

  constructor(path: string) {
    this.#path = resolve(path);
    this.#unfinished = `${this.#path}.part`;
    refuseExisting(this.#path);
    this.#descriptor = openSync(this.#unfinished, 'w');
    const start = Buffer.alloc(firstPiece);
    start.write(mark, 'latin1');
    start[mark.length] = format;
    start.writeUInt32LE(this.#seed, seedAt);
    this.#write(start);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async begin(header: BackupHeader): Promise<void> {
    await this.#piece(kinds.header, Buffer.from(JSON.stringify(header)));
  }

  async add(items: readonly SnapshotItem[]): Promise<void> {
    for (const item of items) {
      writeSnapshotItem(this.#gathered, item, { format: 'json', compression: 'none' });
      this.#items++;
      if (this.#gathered.length >= pieceBytes) await this.#flush();
    }
  }

  /** Completes the file, reads it again to be sure, and gives it its name. */
  async finish(): Promise<void> {
    await this.#flush();
    const end: BackupEnd = { items: this.#items, sha256: this.#hash.copy().digest('hex') };
    await this.#piece(kinds.end, Buffer.from(JSON.stringify(end)));
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    const reader = new BackupReader(this.#unfinished);
    try {
      for await (const _items of reader.items());
    } finally {
      reader.close();
    }
    refuseExisting(this.#path);
    renameSync(this.#unfinished, this.#path);
    syncFolder(dirname(this.#path));
  }

  abandon(): void {
    try {
      closeSync(this.#descriptor);
    } catch {
      // It was closed to be read again.
    }
    rmSync(this.#unfinished, { force: true });
  }

  async #flush(): Promise<void> {
    if (this.#gathered.length === 0) return;
    const { bytes } = this.#gathered;
    this.#gathered = new ByteWriter();
    await this.#piece(kinds.items, bytes);
  }

  async #piece(kind: number, contents: Uint8Array): Promise<void> {
    const payload = Buffer.concat([Buffer.of(kind), await compress(contents)]);
    this.#write(frameOf(this.#seed, this.#pieces++, payload));
  }

  #write(bytes: Uint8Array): void {
    let written = 0;
    while (written < bytes.length)
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#bytes + written);
    this.#bytes += bytes.length;
    this.#hash.update(bytes);
  }
}

/** Reads a file that a `BackupWriter` wrote, and throws `ArchiveDamagedError` at the first thing that is wrong with it. */
export class BackupReader {
  readonly path: string;
  readonly size: number;
  readonly #descriptor: number;
  readonly #source: WindowSource;
  readonly #seed: number;
  readonly #hash: Hash = createHash('sha256');
  #position = firstPiece;
  #pieces = 0;
  #header: BackupHeader | undefined;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'r');
    try {
      this.size = statSync(path).size;
      this.#source = new WindowSource(this.#descriptor);
      const start = Buffer.alloc(firstPiece);
      const count = readSync(this.#descriptor, start, 0, firstPiece, 0);
      if (count < firstPiece || start.toString('latin1', 0, mark.length) !== mark)
        throw damaged(path, 'it does not begin as one');
      if (start[mark.length] !== format)
        throw new ArchiveDamagedError(
          `${path} has format ${start[mark.length]}; this version of Statek reads format ${format}. Use the version that wrote it.`,
          { file: path, format: start[mark.length] },
        );
      this.#seed = start.readUInt32LE(seedAt);
      this.#hash.update(start);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** How much of the file was read. */
  get position(): number {
    return this.#position;
  }

  async header(): Promise<BackupHeader> {
    if (this.#header !== undefined) return this.#header;
    const { kind, contents } = await this.#next();
    const header = kind === kinds.header ? (this.#parsed(contents) as BackupHeader) : undefined;
    if (header?.statek !== 'backup') throw damaged(this.path, 'it does not begin as one');
    return (this.#header = header);
  }

  /** The items, once. What was read is whole only if the iteration ends without an error. */
  async *items(): AsyncGenerator<readonly SnapshotItem[], void, undefined> {
    await this.header();
    let count = 0;
    for (;;) {
      const sha256 = this.#hash.copy().digest('hex');
      const { kind, contents } = await this.#next();
      if (kind === kinds.end) {
        const end = this.#parsed(contents) as BackupEnd;
        if (end.items !== count || end.sha256 !== sha256)
          throw damaged(this.path, 'its contents do not match its checksum');
        if (this.#position !== this.#source.size) throw damaged(this.path, 'something follows its end');
        return;
      }
      if (kind !== kinds.items) throw damaged(this.path, `it has a piece of the unknown kind ${kind}`);
      const items = this.#decoded(contents);
      count += items.length;
      yield items;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  async #next(): Promise<{ readonly kind: number; readonly contents: Buffer }> {
    if (this.#position >= this.#source.size) throw damaged(this.path, 'its end is missing');
    const found = frameAt(this.#source, this.#position, this.#seed, this.#pieces);
    if (found.status !== 'whole') throw damaged(this.path, found.status === 'cut off' ? 'it is cut off' : found.why);
    this.#hash.update(this.#source.bytes(this.#position, found.end - this.#position));
    this.#position = found.end;
    this.#pieces++;
    const kind = found.payload[0] as number;
    try {
      return { kind, contents: await decompress(found.payload.subarray(1), { maxOutputLength: maxPieceBytes }) };
    } catch {
      throw damaged(this.path, 'a piece of it cannot be unpacked');
    }
  }

  #decoded(contents: Buffer): readonly SnapshotItem[] {
    try {
      return readSnapshotItems(contents);
    } catch (error) {
      throw damaged(this.path, error instanceof StatekError ? error.message : 'a piece of it cannot be read');
    }
  }

  #parsed(contents: Buffer): unknown {
    try {
      return JSON.parse(contents.toString()) as unknown;
    } catch {
      throw damaged(this.path, 'a piece of it is not JSON');
    }
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path))
    throw new BackupExistsError(`${path} exists already. Choose another name, or remove it first.`, { file: path });
}

// A new name survives a power failure only if its folder is synced too.
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function damaged(path: string, why: string): ArchiveDamagedError {
  return new ArchiveDamagedError(
    `${path} is not a backup of Statek, or it is damaged: ${why}. Nothing was changed; use another backup.`,
    { file: path, why },
  );
}
