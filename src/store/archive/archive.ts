// Rows as a file: one line of JSON for each, the first says what is in it, the last has the number of rows and a checksum; all of
// it compressed. A file that was cut off or changed is refused, and nothing of it is used before its end was read.
import { createHash, type Hash } from 'node:crypto';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { StatekError } from '../../base/error.ts';
import type { Key } from '../key.ts';

/** A row of a collection, by the collection's name. */
export interface ArchivedRow {
  readonly collection: string;
  readonly key: Key;
  /** JSON, or the bytes of a collection of bytes. */
  readonly value: unknown;
}

/** The file is not an archive, was cut off, or was changed. */
export class ArchiveDamagedError extends StatekError {
  readonly code = 'ARCHIVE_DAMAGED';
}

const format = 1;
/** A line holds one row, and no row is larger. */
const maxLine = 64 * 1024 * 1024;

/** The bytes of an archive. */
export async function* writeArchive(
  about: Readonly<Record<string, unknown>>,
  rows: AsyncIterable<ArchivedRow> | Iterable<ArchivedRow>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* through(Readable.from(lines(about, rows)), createGzip({ level: 6 }));
}

async function* lines(
  about: Readonly<Record<string, unknown>>,
  rows: AsyncIterable<ArchivedRow> | Iterable<ArchivedRow>,
): AsyncGenerator<string, void, undefined> {
  const hash = createHash('sha256');
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  yield line({ statek: 'archive', format, about });
  let count = 0;
  for await (const { collection, key, value } of rows) {
    count++;
    yield line([
      collection,
      key,
      value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : { value },
    ]);
  }
  yield `${JSON.stringify({ rows: count, sha256: hash.digest('hex') })}\n`;
}

/** What an archive contains. */
export interface Archive {
  readonly about: Readonly<Record<string, unknown>>;
  readonly rows: readonly ArchivedRow[];
}

/** Reads an archive whole, and throws if it is not what was written; `maxBytes` bounds what it may unpack to. */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  { maxBytes = 2 ** 31 }: { readonly maxBytes?: number } = {},
): Promise<Archive> {
  const hash = createHash('sha256');
  let about: Readonly<Record<string, unknown>> | undefined;
  const rows: ArchivedRow[] = [];
  let isEnded = false;
  for await (const line of unpackedLines(source, maxBytes)) {
    if (isEnded) throw damaged('something follows its end');
    const value = parsed(line);
    if (about === undefined) about = headerOf(value);
    else if (Array.isArray(value)) rows.push(rowOf(value));
    else {
      checkEnd(value, rows.length, hash);
      isEnded = true;
    }
    if (!isEnded) hash.update(`${line}\n`);
  }
  if (about === undefined) throw damaged('it is empty');
  if (!isEnded) throw damaged('its end is missing');
  return { about, rows };
}

async function* unpackedLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const unpacked = through(Readable.from(source), createGunzip());
  let rest: Buffer[] = [];
  let restBytes = 0;
  let total = 0;
  try {
    for await (const chunk of unpacked) {
      total += chunk.length;
      if (total > maxBytes) throw damaged(`it unpacks to more than ${maxBytes} bytes`);
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString();
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      rest.push(chunk.subarray(start));
      restBytes += chunk.length - start;
      if (restBytes > maxLine) throw damaged('a line of it is too long');
    }
  } catch (error) {
    if (error instanceof StatekError) throw error;
    const { code } = error as { code?: unknown };
    throw typeof code === 'string' && code.startsWith('Z_') ? damaged('it cannot be unpacked') : error;
  }
  if (restBytes > 0) throw damaged('its end is missing');
}

/** What comes out of a stream; what goes wrong on the way into it ends it, too. */
function through(source: Readable, packing: Transform): AsyncIterable<Buffer> {
  pipeline(source, packing, () => undefined);
  return packing as AsyncIterable<Buffer>;
}

function headerOf(value: unknown): Readonly<Record<string, unknown>> {
  const header = value as { statek?: unknown; format?: unknown; about?: unknown } | null;
  if (header?.statek !== 'archive' || typeof header.about !== 'object' || header.about === null)
    throw damaged('it does not begin as one');
  if (header.format !== format)
    throw new ArchiveDamagedError(
      `This archive has format ${String(header.format)}; this version of Statek reads format ${format}. Use the version that wrote it.`,
      { format: header.format },
    );
  return header.about as Readonly<Record<string, unknown>>;
}

function rowOf([collection, key, contents]: readonly unknown[]): ArchivedRow {
  if (typeof collection !== 'string' || !Array.isArray(key) || typeof contents !== 'object' || contents === null)
    throw damaged('one of its lines is not a row');
  const { bytes, value } = contents as { bytes?: unknown; value?: unknown };
  return {
    collection,
    key: key as Key,
    value: typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64')) : value,
  };
}

function checkEnd(value: unknown, rows: number, hash: Hash): void {
  const end = value as { rows?: unknown; sha256?: unknown } | null;
  if (end?.rows !== rows || end.sha256 !== hash.digest('hex')) throw damaged('its contents do not match its checksum');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw damaged('a line of it is not JSON');
  }
}

function damaged(why: string): ArchiveDamagedError {
  return new ArchiveDamagedError(`This is not an archive of Statek, or it is damaged: ${why}. Export it again.`);
}
