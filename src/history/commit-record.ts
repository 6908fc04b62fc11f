// The stored record of a commit. Its hash covers the parent, the metadata and the pack, and through the pack every byte of
// the image.
import { hashJson } from './canonical-json.ts';
import { damaged } from './envelope.ts';
import { HistoryNewerError } from './errors.ts';
import type { BootHash, Commit, CommitHash, Json } from './history.ts';
import { readPath, sameAddress, type Address, type StoredPath } from './images/path.ts';

const recordVersion = 1;

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

/** Returns the record if it is the one committed at this place; throws otherwise. */
export function verifyRecord(record: CommitRecord, place: Address): CommitRecord {
  const where = sentenceStart(describeCommit(place));
  const { hash, ...content } = record;
  if (typeof content.version === 'number' && content.version > recordVersion) {
    throw new HistoryNewerError(
      `${where} has format ${content.version}; this version of Statek supports up to ${recordVersion}. Upgrade Statek.`,
      { ...place, version: content.version },
    );
  }
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
