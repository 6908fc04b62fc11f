// The read side: a connection on the caller's thread, so that reads are synchronous and never wait for a commit.
import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../collection.ts';
import type { EnginePage, EngineScan, KnownCollection } from '../engine/engine.ts';
import type { Bounds } from '../range.ts';
import type { CollectionId, StoredEntry, StoredLease, StoredValue } from '../engine/stored.ts';
import { StoreCorruptError } from '../errors.ts';
import { checkLogStart, checkRevision } from '../engine/horizon.ts';
import { keyBytes, keyFromBytes, type EncodedKey } from '../key.ts';
import type { LogRow } from '../engine/log.ts';
import type { Revision } from '../store.ts';
import { openReader, type DatabaseSettings } from './database.ts';
import { storeFailure } from './failure.ts';
import { knownCollections } from './known-collections.ts';
import { entryFromRow, logFromRow, stateFromRow, type EntryRow, type StoreState } from './row.ts';
import {
  collectionSql,
  prepareLazily,
  storeSql,
  type CollectionStatements,
  type StoreStatements,
} from './statements.ts';

// A corrupt index can return valid rows in the wrong place.
function checkOrder(
  { definition }: KnownCollection,
  { key }: StoredEntry,
  last: StoredEntry | undefined,
  reverse: boolean,
): void {
  if (last === undefined || (reverse ? key < last.key : key > last.key)) return;
  throw new StoreCorruptError(
    `The collection ${definition.name} is damaged: its entries are not in order. Restore the store from a backup.`,
    { collection: definition.name },
  );
}

// Rows arrive as arrays, because objects take SQLite's binding half as long again.
function rowFrom(columns: unknown): EntryRow | undefined {
  if (columns === undefined) return undefined;
  const [key, revision, checksum, value] = columns as [Uint8Array, number, number, StoredValue];
  return { key, revision, checksum, value };
}

function leaseFrom(collection: CollectionId, columns: unknown): StoredLease {
  const [key, owner, token, expiresAt] = columns as [Uint8Array, string, number, number];
  return { collection, key: keyFromBytes(key), owner, token, expiresAt };
}

function ownerFrom(columns: unknown): string {
  const [owner] = columns as [string];
  return owner;
}

// A read transaction that is held for long keeps the write-ahead log from being used again.
const maxUses = 1000;

export class Reader {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #store: StoreStatements;
  readonly #collections = new Map<string, CollectionStatements>();
  /** A snapshot shared by reads at a revision until the current code yields, because opening one costs more than a read. */
  #snapshot: { readonly state: StoreState; uses: number } | undefined;

  constructor(settings: DatabaseSettings) {
    this.#file = settings.file;
    this.#database = openReader(settings);
    this.#store = prepareLazily(this.#database, storeSql);
  }

  revision(): Revision {
    // The next reads are usually at this revision.
    return this.#mapErrors(() => {
      this.#releaseSnapshot();
      return this.#openSnapshot().head;
    });
  }

  collections(): KnownCollection[] {
    return this.#snapshotAt(undefined, () => knownCollections(this.#store));
  }

  holders(known: KnownCollection, { lower, upper }: Bounds): readonly StoredLease[] {
    return this.#mapErrors(() => {
      this.#releaseSnapshot();
      const rows = this.#statementsOf(known.definition)('holders').all(keyBytes(lower), keyBytes(upper));
      return rows.map((row) => leaseFrom(known.id, row));
    });
  }

  owners(known: KnownCollection): readonly string[] {
    return this.#mapErrors(() => {
      this.#releaseSnapshot();
      const rows = this.#statementsOf(known.definition)('owners').all();
      return rows.map(ownerFrom);
    });
  }

  read(
    known: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    const statements = this.#statementsOf(known.definition);
    if (at === undefined) {
      const get = (key: EncodedKey): StoredEntry | undefined => this.#get(statements, known, key, undefined);
      if (keys.length > 1) return this.#snapshotAt(undefined, () => keys.map(get));
      // A single statement is a snapshot by itself.
      return this.#mapErrors(() => {
        this.#releaseSnapshot();
        return keys.map(get);
      });
    }
    return this.#snapshotAt(at, ({ head, horizon }) => {
      checkRevision(at, head, horizon);
      return keys.map((key) => this.#get(statements, known, key, at));
    });
  }

  scan(known: KnownCollection, { bounds, reverse, limit, maxBytes, at }: EngineScan): EnginePage {
    const statements = this.#statementsOf(known.definition);
    const lower = keyBytes(bounds.lower);
    const upper = keyBytes(bounds.upper);
    return this.#snapshotAt(at, ({ head, horizon }) => {
      if (at !== undefined) checkRevision(at, head, horizon);
      // One extra row shows whether there are more.
      const rows =
        at === undefined || at === head
          ? statements(reverse ? 'scanReverse' : 'scan').iterate(lower, upper, limit + 1)
          : statements(reverse ? 'scanAtReverse' : 'scanAt').iterate(lower, upper, at, limit + 1);
      const entries: StoredEntry[] = [];
      let bytes = 0;
      let more = false;
      for (const row of rows) {
        more = entries.length === limit || bytes >= maxBytes;
        if (more) break;
        const entry = entryFromRow(known, rowFrom(row) as EntryRow);
        checkOrder(known, entry, entries.at(-1), reverse);
        entries.push(entry);
        bytes += entry.value.length;
      }
      return { entries, more, revision: at ?? head };
    });
  }

  readLog(after: Revision, limit: number, until?: Revision): readonly LogRow[] {
    return this.#snapshotAt(until, ({ head, horizon }) => {
      checkLogStart(after, horizon);
      return this.#store('readLog')
        .all(after, Math.min(limit, (until ?? head) - after))
        .map((row) => logFromRow(row));
    });
  }

  close(): void {
    this.#releaseSnapshot();
    this.#database.close();
  }

  #state(): StoreState {
    return stateFromRow(this.#store('state').get());
  }

  #get(
    statements: CollectionStatements,
    known: KnownCollection,
    encoded: EncodedKey,
    at: Revision | undefined,
  ): StoredEntry | undefined {
    const key = keyBytes(encoded);
    let row = rowFrom(statements('get').get(key));
    if (at !== undefined && (row === undefined || row.revision > at)) row = rowFrom(statements('getAt').get(key, at));
    return row && entryFromRow(known, row);
  }

  #statementsOf({ name }: Collection): CollectionStatements {
    let statements = this.#collections.get(name);
    if (statements === undefined) {
      statements = prepareLazily(this.#database, collectionSql(name), 'arrays');
      this.#collections.set(name, statements);
    }
    return statements;
  }

  /** Runs statements on one snapshot: the current one or, to read at a revision, any that contains it. */
  #snapshotAt<Result>(at: Revision | undefined, read: (state: StoreState) => Result): Result {
    return this.#mapErrors(() => {
      const snapshot = this.#snapshot;
      const isUsable =
        snapshot !== undefined && at !== undefined && at <= snapshot.state.head && snapshot.uses++ < maxUses;
      if (isUsable) return read(snapshot.state);
      this.#releaseSnapshot();
      return read(this.#openSnapshot());
    });
  }

  #openSnapshot(): StoreState {
    this.#store('begin').run();
    let state: StoreState;
    try {
      state = this.#state();
    } catch (error) {
      this.#endTransaction();
      throw error;
    }
    const snapshot = { state, uses: 0 };
    this.#snapshot = snapshot;
    queueMicrotask(() => {
      if (this.#snapshot === snapshot) this.#releaseSnapshot();
    });
    return state;
  }

  #releaseSnapshot(): void {
    if (this.#snapshot === undefined) return;
    this.#snapshot = undefined;
    this.#endTransaction();
  }

  #endTransaction(): void {
    try {
      // A failed statement may have ended it already.
      if (this.#database.isTransaction) this.#store('rollback').run();
    } catch {
      // Nothing was written, so nothing is lost; the next read reports the problem.
    }
  }

  #mapErrors<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw storeFailure(error, this.#file);
    }
  }
}
