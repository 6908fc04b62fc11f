// Turns a change, a fork or a rollback into the writes and checks of one transaction.
import { encodeJson, type Check, type Revision, type TransactionPart, type Write } from '../store/door.ts';
import { ChainHead } from './chain-head.ts';
import { chooseLevel } from './images/choose-level.ts';
import { chains, commits, hashes, packs, type ChainRecord } from './collections.ts';
import { commitOf, commitRecord, indexKey, storedRecord, type CommitRecord } from './commit-record.ts';
import { HistoryArgumentError } from './errors.ts';
import type { Head, ImageChange, Json, PreparedChange, PreparedCommit } from './history.ts';
import { checkHeader, checkLimit, checkSize } from './images/image.ts';
import { ImageCheck } from './images/image-check.ts';
import type { Level, Lineage, PathEntry } from './images/lineage.ts';
import { pageBytes, wordBytes, type HistoryLimits } from './limits.ts';
import type { FoundCommit } from './lookup.ts';
import { measureChange, type MeasuredChange } from './images/measure-change.ts';
import { encodePack, type EncodedPack, type PackBase } from './images/pack.ts';
import { pagesOf, type Pages } from './images/pages.ts';
import { storePath } from './images/path.ts';
import { seal } from './seal.ts';

export interface PrepareOptions {
  readonly limits: HistoryLimits;
  readonly time: number;
  readonly verifyDirtyPages: boolean;
}

// Commits must be fast; larger packs are rare and read by many restores.
const effortOf = (level: Level): number => (level === 0 ? 1 : 3);

export function prepareChange(
  head: Head,
  change: ImageChange,
  metadata: Json,
  { limits, time, verifyDirtyPages }: PrepareOptions,
): PreparedChange {
  const { record: parent, header: headerBefore, lineage, isNew } = ChainHead.state(head);
  checkChange(change, parent, limits);
  checkMetadata(metadata, limits);
  const measured = measureChange(change, ImageCheck.parse(parent.check), verifyDirtyPages);
  const header = new Uint8Array(change.header);
  const same = measured.words === 0 && measured.pages === parent.pages && Buffer.compare(header, headerBefore) === 0;
  const place = { chain: parent.chain, sequence: parent.sequence + 1 };
  const made = same ? undefined : makePack(lineage, measured, header, change.current, parent.boot);
  const entry: PathEntry | undefined = made && {
    address: place,
    hash: made.pack.hash,
    level: made.level,
    wordBytes: made.pack.wordBytes,
    pages: measured.pages,
  };
  const before = made?.before ?? lineage.path;
  const record = commitRecord({
    ...place,
    parent: parent.hash,
    time,
    metadata,
    boot: parent.boot,
    pack: entry?.hash ?? parent.pack,
    path: storePath([...before, ...(entry ? [entry] : [])].map(({ address }) => address)),
    pages: measured.pages,
    check: measured.check.toString(),
    changed: { pages: measured.changedPages.length, bytes: measured.words * wordBytes },
    storedBytes: made?.pack.storedBytes ?? 0,
    parts: made?.pack.parts.length ?? 0,
  });
  const parts = made?.pack.parts ?? [];
  const spent = (more: { readonly isNew?: true }, revision: Revision): Head => {
    ChainHead.spend(head);
    if (made !== undefined && entry !== undefined) lineage.append(entry, measured, made.pack.end);
    return new ChainHead({ record, header, lineage, ...more }, revision);
  };
  return {
    hash: record.hash,
    commit: commitOf(record),
    checks: isNew === true ? [] : follows({ record: parent, revision: head.revision }),
    writes: [
      ...writesOf(record),
      ...parts.map((value, part): Write => ({
        kind: 'put',
        collection: packs,
        key: [place.chain, place.sequence, part],
        value,
      })),
    ],
    changedPages: measured.changedPages,
    committed: (revision) => spent({}, revision),
    together: () => spent({ isNew: true }, 0),
  };
}

/** A commit with the image of an older one: a rollback, or the first commit of a fork. */
export function prepareReference(
  image: FoundCommit,
  after: FoundCommit,
  chain: string,
  metadata: Json,
  { limits, time }: PrepareOptions,
): PreparedCommit & { readonly record: CommitRecord } {
  checkMetadata(metadata, limits);
  const record = commitRecord({
    chain,
    sequence: after.record.sequence + 1,
    parent: after.record.hash,
    time,
    metadata,
    boot: image.record.boot,
    pack: image.record.pack,
    path: image.record.path,
    pages: image.record.pages,
    check: image.record.check,
    changed: { pages: 0, bytes: 0 },
    storedBytes: 0,
    parts: 0,
  });
  const stillThere = [image, after].filter(({ record: a }, index) => index === 0 || a.hash !== image.record.hash);
  return {
    record,
    hash: record.hash,
    commit: commitOf(record),
    checks: [...stillThere.map(isAt), isFree(record)],
    writes: writesOf(record),
  };
}

export function checkMetadata(metadata: Json, limits: HistoryLimits): void {
  const text = encodeJson(metadata, 'The metadata of a commit');
  checkLimit('The metadata of a commit', 'metadataBytes', Buffer.byteLength(text), limits);
}

export function writesOf(record: CommitRecord): Write[] {
  const { chain, sequence } = record;
  const stored = storedRecord(record);
  return [
    { kind: 'put', collection: commits, key: [chain, sequence], value: stored },
    { kind: 'put', collection: hashes, key: indexKey(stored, record), value: sequence },
  ];
}

export function newChain(record: ChainRecord): TransactionPart {
  return {
    checks: [{ kind: 'absent', collection: chains, key: [record.chain] }],
    writes: [{ kind: 'put', collection: chains, key: [record.chain], value: seal(record) }],
  };
}

/** Makes two commits on one head conflict: the parent must be unchanged, and have no successor. */
function follows(parent: FoundCommit): Check[] {
  const { chain, sequence } = parent.record;
  return [isAt(parent), isFree({ chain, sequence: sequence + 1 })];
}

function isAt({ record, revision }: FoundCommit): Check {
  return { kind: 'revision', collection: commits, key: [record.chain, record.sequence], revision };
}

function isFree({ chain, sequence }: { readonly chain: string; readonly sequence: number }): Check {
  return { kind: 'absent', collection: commits, key: [chain, sequence] };
}

interface MadePack {
  readonly pack: EncodedPack;
  readonly level: Level;
  /** The packs before it. */
  readonly before: readonly PathEntry[];
}

function makePack(
  lineage: Lineage,
  measured: MeasuredChange,
  header: Uint8Array,
  image: Uint8Array | Pages,
  boot: string,
): MadePack {
  const level = chooseLevel(lineage, measured);
  const before = lineage.before(level);
  const last = before.at(-1);
  const base: PackBase = last === undefined ? { kind: 'boot', hash: boot } : { kind: 'pack', hash: last.hash };
  const changed = level === 0 ? undefined : lineage.changedWith(level, measured);
  const runs = changed?.runs() ?? measured.runs;
  const keep = changed?.keep ?? measured.keep;
  const contents = { level, base, keep, pages: measured.pages, header, runs };
  const pack = encodePack(contents, image, effortOf(level), lineage.end(level));
  return { pack, level, before };
}

function checkChange({ previous, current, header }: ImageChange, parent: CommitRecord, limits: HistoryLimits): void {
  if (current instanceof Uint8Array) checkSize('The current image', current);
  if (previous instanceof Uint8Array) checkSize('The previous image', previous);
  checkLimit('The current image', 'imageBytes', pagesOf(current).pageCount * pageBytes, limits);
  checkHeader('The current image', header, limits);
  const { pageCount } = pagesOf(previous);
  if (pageCount !== parent.pages) {
    throw new HistoryArgumentError(
      `The previous image has ${pageCount} pages; that of commit ${parent.hash.slice(0, 12)} has ${parent.pages}. Pass the image of the head.`,
      { pages: pageCount, expected: parent.pages },
    );
  }
}
