// The record of a commit. Its hash covers the parent, the metadata and the pack, and through the pack every byte of the image. It is
// stored in fewer bytes than it has: every step writes one.
import type { Key } from '../store/door.ts';
import { hashJson } from './canonical-json.ts';
import { damaged } from './envelope.ts';
import { HistoryNewerError } from './errors.ts';
import type { BootHash, Commit, CommitHash, Json } from './history.ts';
import { readPath, sameAddress, type Address, type StoredPath } from './images/path.ts';

/** Of what is hashed. */
const recordVersion = 1;
/** Of what is stored. Records of version 1 were stored as they are. */
const storedVersion = 2;

export interface CommitRecord {
  readonly version: number;
  readonly hash: CommitHash;
  readonly parent: CommitHash | null;
  readonly chain: string;
  readonly sequence: number;
  readonly time: number;
  readonly metadata: Json;
  readonly boot: BootHash;
  /** The hash of the last pack on the path; null if the image is the boot image itself. */
  readonly pack: string | null;
  readonly path: StoredPath;
  readonly pages: number;
  /** The ImageCheck of the image. */
  readonly check: string;
  readonly changed: { readonly pages: number; readonly bytes: number };
  readonly storedBytes: number;
  /** The number of parts of this commit's own pack; 0 if it has none. */
  readonly parts: number;
}

export function commitRecord(fields: Omit<CommitRecord, 'version' | 'hash'>): CommitRecord {
  const content = { version: recordVersion, ...fields };
  return { ...content, hash: hashJson(content) as CommitHash };
}

/** A record without what its key says, with hashes in base64url, and numbers without names. */
interface ShortRecord {
  readonly version: typeof storedVersion;
  readonly hash: string;
  readonly parent: string | null;
  readonly time: number;
  readonly metadata: Json;
  readonly boot: string;
  readonly pack: string | null;
  /** The chain itself has no name in it. */
  readonly path: StoredPath;
  readonly image: readonly [pages: number, check: string];
  readonly changed: readonly [pages: number, bytes: number, storedBytes: number, parts: number];
}

export type StoredRecord = CommitRecord | ShortRecord;

/** The record as it is stored. */
export function storedRecord(record: CommitRecord): StoredRecord {
  const { hash, parent, chain, time, metadata, boot, pack, path, pages, check, changed, storedBytes, parts } = record;
  return {
    version: storedVersion,
    hash: shortHash(hash),
    parent: parent && shortHash(parent),
    time,
    metadata,
    boot: shortHash(boot),
    pack: pack && shortHash(pack),
    path: path.map(([name, ...runs]) => [name === chain ? '' : name, ...runs]),
    image: [pages, check],
    changed: [changed.pages, changed.bytes, storedBytes, parts],
  };
}

/** Which is under this key; not verified. */
export function readRecord(stored: StoredRecord, place: Address): CommitRecord {
  if (stored.version !== storedVersion) return stored as CommitRecord;
  const where = sentenceStart(describeCommit(place));
  const { hash, parent, time, metadata, boot, pack, path, image, changed } = stored as ShortRecord;
  const [pages, check] = listIn(image, where) as ShortRecord['image'];
  const [changedPages, bytes, storedBytes, parts] = listIn(changed, where) as ShortRecord['changed'];
  return {
    version: recordVersion,
    hash: longHash(hash, where) as CommitHash,
    parent: parent === null ? null : (longHash(parent, where) as CommitHash),
    ...place,
    time,
    metadata,
    boot: longHash(boot, where) as BootHash,
    pack: pack === null ? null : longHash(pack, where),
    path: (listIn(path, where) as StoredPath).map((segment) => {
      const [name, ...runs] = listIn(segment, where) as StoredPath[number];
      return [name === '' ? place.chain : name, ...runs];
    }),
    pages,
    check,
    changed: { pages: changedPages, bytes },
    storedBytes,
    parts,
  };
}

/** The entry of the index that leads from a commit's hash to its place. */
export function indexKey(stored: StoredRecord, { chain, hash }: CommitRecord): Key {
  return stored.version === storedVersion ? shortIndexKey(chain, hash) : [chain, hash];
}

/** Where the index may have it: with as much of the hash as is needed, or, from earlier versions, all of it. */
export function indexKeys(chain: string, hash: string): readonly [Key, Key] {
  return [shortIndexKey(chain, hash), [chain, hash]];
}

function shortIndexKey(chain: string, hash: string): Key {
  return [chain, Buffer.from(hash.slice(0, indexedDigits), 'hex').toString('base64url')];
}

/** 128 bits. */
const indexedDigits = 32;
const hashBytes = 32;

function shortHash(hash: string): string {
  return Buffer.from(hash, 'hex').toString('base64url');
}

function longHash(short: unknown, where: string): string {
  const bytes = Buffer.from(String(short), 'base64url');
  // Several texts stand for the same bytes; only one of them was written.
  if (bytes.length !== hashBytes || bytes.toString('base64url') !== short) throw damaged(where, 'it has no valid hash');
  return bytes.toString('hex');
}

function listIn(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged(where, 'a list is missing in it');
  return value;
}

/** Returns the record if it is the one committed at this place; throws otherwise. */
export function verifyRecord(stored: StoredRecord, place: Address): CommitRecord {
  const where = sentenceStart(describeCommit(place));
  if (typeof stored.version === 'number' && stored.version > storedVersion) {
    throw new HistoryNewerError(
      `${where} has format ${stored.version}; this version of Statek supports up to ${storedVersion}. Upgrade Statek.`,
      { ...place, version: stored.version },
    );
  }
  const record = readRecord(stored, place);
  const { hash, ...content } = record;
  if (hashJson(content) !== hash) throw damaged(where, 'its contents do not match its hash');
  if (!sameAddress(record, place)) throw damaged(where, `it belongs to ${describeCommit(record)}`);
  return record;
}

/** The public view of a record. */
export function commitOf(record: CommitRecord): Commit {
  const { hash, parent, chain, sequence, time, metadata, boot, pages, changed, storedBytes } = record;
  return { hash, parent, chain, sequence, time, metadata, boot, pages, changed, storedBytes };
}

/** The address of the commit's own pack; undefined if its image is an older one. */
export function ownPack(record: CommitRecord): Address | undefined {
  const last = readPath(record.path).at(-1);
  return last !== undefined && sameAddress(last, record) ? last : undefined;
}

export function describeCommit({ chain, sequence }: Address): string {
  return `commit ${sequence} of chain '${chain}'`;
}

export function sentenceStart(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
