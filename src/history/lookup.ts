// Finds chains and commits. In a fork, it also finds the earlier commits of the chain it was forked from.
import type { Entry, Key, Store } from '../store/door.ts';
import { chains, commits, hashes, type ChainRecord } from './collections.ts';
import { commitOf, indexKey, indexKeys, verifyRecord, type CommitRecord, type StoredRecord } from './commit-record.ts';
import { damaged } from './envelope.ts';
import { HistoryArgumentError, HistoryUnknownChainError, HistoryUnknownCommitError } from './errors.ts';
import type { Commit, CommitPage, ListOptions } from './history.ts';
import { checkName } from './names.ts';
import { unseal, type Sealed } from './seal.ts';

export interface FoundChain {
  readonly record: ChainRecord;
  readonly revision: number;
}

export interface FoundCommit {
  readonly record: CommitRecord;
  readonly revision: number;
}

/** A commit with its entry in the index. */
export interface IndexedCommit extends FoundCommit {
  readonly index: Key;
}

const defaultListLimit = 100;
const maxListLimit = 1000;

export class Lookup {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The chain, including one that is being removed; undefined if missing. */
  async chainIfAny(chain: string): Promise<FoundChain | undefined> {
    const [entry] = await this.#store.read(chains, [[checkName('A chain name', chain)]]);
    return entry && { record: readChain(entry), revision: entry.revision };
  }

  async chain(chain: string): Promise<FoundChain> {
    const found = await this.chainIfAny(chain);
    if (found === undefined || found.record.removed) throw unknownChain(chain);
    return found;
  }

  async head(chain: string): Promise<FoundCommit> {
    const [, page] = await Promise.all([
      this.chain(chain),
      this.#store.scan(commits, { prefix: [chain] }, { reverse: true, limit: 1 }),
    ]);
    const entry = page.entries[0];
    if (entry === undefined) throw damaged(`Chain '${chain}'`, 'it has no commits');
    return readCommit(entry);
  }

  async find(chain: string, hash: string): Promise<FoundCommit> {
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      throw new HistoryArgumentError(
        `'${hash.slice(0, 80)}' is not a commit hash; it must have 64 hexadecimal digits.`,
      );
    }
    let place: { chain: string; before: number } | undefined = { chain, before: Infinity };
    let record = (await this.chain(chain)).record;
    for (;;) {
      const found = await this.#findIn(place.chain, hash);
      if (found !== undefined && found.record.sequence < place.before) return found;
      place = record.origin === null ? undefined : { chain: record.origin.chain, before: record.origin.sequence + 1 };
      const next: FoundChain | undefined = place && (await this.chainIfAny(place.chain));
      if (place === undefined || next === undefined) throw unknownCommit(chain, hash);
      record = next.record;
    }
  }

  /** Uses the index entry, which is written once; the commit record itself may be rewritten when others are dropped. */
  async revisionOf(chain: string, hash: string): Promise<number> {
    const index = await this.#indexed(chain, hash);
    if (index === undefined) throw unknownCommit(chain, hash);
    return index.revision;
  }

  /** Whether the commit still exists: it may be dropped while it is being read. */
  async isThere({ record, revision }: FoundCommit): Promise<boolean> {
    const [entry] = await this.#store.read(commits, [[record.chain, record.sequence]]);
    return entry?.revision === revision;
  }

  async list(chain: string, { limit = defaultListLimit, cursor, before = Infinity }: ListOptions): Promise<CommitPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > maxListLimit) {
      throw new HistoryArgumentError(`limit must be a whole number from 1 to ${maxListLimit}, not ${limit}.`);
    }
    let { record } = await this.chain(chain);
    let place = cursor === undefined ? { chain, before } : readCursor(cursor);
    if (place.chain !== chain) record = (await this.chainIfAny(place.chain))?.record ?? record;
    const listed: Commit[] = [];
    for (;;) {
      const range = { prefix: [place.chain], to: [place.chain, place.before] };
      const page = await this.#store.scan(commits, range, { reverse: true, limit: limit - listed.length });
      for (const entry of page.entries) listed.push(commitOf(readCommit(entry).record));
      const last = listed.at(-1);
      if (page.cursor !== undefined && last !== undefined) {
        place = { chain: last.chain, before: last.sequence };
        if (listed.length >= limit) return { commits: listed, cursor: writeCursor(place) };
        continue;
      }
      if (record.origin === null || record.chain !== place.chain) return { commits: listed, cursor: undefined };
      place = { chain: record.origin.chain, before: Math.min(before, record.origin.sequence + 1) };
      const next = await this.chainIfAny(place.chain);
      if (next === undefined) return { commits: listed, cursor: undefined };
      record = next.record;
      if (listed.length >= limit) return { commits: listed, cursor: writeCursor(place) };
    }
  }

  async #findIn(chain: string, hash: string): Promise<FoundCommit | undefined> {
    const index = await this.#indexed(chain, hash);
    if (index === undefined) return undefined;
    const where = `The index entry of commit ${hash.slice(0, 12)} in chain '${chain}'`;
    if (!Number.isInteger(index.value)) throw damaged(where, 'it is not a number');
    const [entry] = await this.#store.read(commits, [[chain, index.value]]);
    if (entry === undefined) {
      // Dropped between the two reads, or a dangling entry.
      if ((await this.#indexed(chain, hash)) === undefined) return undefined;
      throw damaged(where, `there is no commit ${index.value}`);
    }
    const found = readCommit(entry);
    if (found.record.hash !== hash) throw damaged(where, `commit ${index.value} has another hash`);
    return found;
  }

  async #indexed(chain: string, hash: string): Promise<Entry<number> | undefined> {
    const found = await this.#store.read(hashes, indexKeys(chain, hash));
    return found.find((entry) => entry !== undefined);
  }
}

export function readCommit({ key, value, revision }: Entry<StoredRecord>): IndexedCommit {
  const [chain, sequence] = key as [string, number];
  const record = verifyRecord(value, { chain, sequence });
  return { record, revision, index: indexKey(value, record) };
}

export function readChain({ key, value }: Entry<Sealed<ChainRecord>>): ChainRecord {
  const chain = key[0] as string;
  const record = unseal<ChainRecord>(value, `The record of chain '${chain}'`);
  if (record.chain !== chain) throw damaged(`The record of chain '${chain}'`, `it belongs to chain '${record.chain}'`);
  return record;
}

function unknownChain(chain: string): HistoryUnknownChainError {
  return new HistoryUnknownChainError(`Chain '${chain}' does not exist. Create it first, or check the name.`, {
    chain,
  });
}

export function unknownCommit(chain: string, hash: string): HistoryUnknownCommitError {
  return new HistoryUnknownCommitError(
    `Chain '${chain}' has no commit ${hash.slice(0, 12)}…: it never existed, or retention dropped it. List the commits of the chain, and tag those to keep.`,
    { chain, hash },
  );
}

function writeCursor(place: { chain: string; before: number }): string {
  return Buffer.from(JSON.stringify([place.chain, place.before])).toString('base64url');
}

function readCursor(cursor: string): { chain: string; before: number } {
  try {
    const [chain, before] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (typeof chain === 'string' && typeof before === 'number') return { chain, before };
  } catch {
    // Throws below.
  }
  throw new HistoryArgumentError(`'${cursor.slice(0, 80)}' is not a cursor. Pass the cursor of the previous page.`);
}
