// The read side: a connection on the caller's thread, so that reads answer at once and never wait for a commit.
import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../collection.ts';
import type { EnginePage, EngineScan, KnownCollection } from '../engine.ts';
import type { StoredEntry } from '../stored.ts';
import { StoreCorruptError } from '../errors.ts';
import { refuseLogBeforeHorizon, refuseRevision } from '../horizon.ts';
import { keyBytes, type EncodedKey } from '../key.ts';
import type { LogRow } from '../log.ts';
import type { Revision } from '../store.ts';
import { openReader, type DatabaseSettings } from './database.ts';
import { storeFailure } from './failure.ts';
import { knownCollections } from './known-collections.ts';
import { entryFromRow, logFromRow, stateFromRow, type EntryRow, type LogTableRow, type StoreState } from './row.ts';
import {
  collectionSql,
  prepareLazily,
  storeSql,
  type CollectionStatements,
  type StoreStatements,
} from './statements.ts';

// An index that leads to the wrong page shows sound rows in the wrong place.
function refuseDisorder(
  { definition }: KnownCollection,
  { key }: StoredEntry,
  last: StoredEntry | undefined,
  reverse: boolean,
): void {
  if (last === undefined || (reverse ? key < last.key : key > last.key)) return;
  throw new StoreCorruptError(
    `The collection ${definition.name} is damaged: its entries are not in order. Restore the store from a copy.`,
    { collection: definition.name },
  );
}

export class Reader {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #store: StoreStatements;
  readonly #collections = new Map<string, CollectionStatements>();

  constructor(settings: DatabaseSettings) {
    this.#file = settings.file;
    this.#database = openReader(settings);
    this.#store = prepareLazily(this.#database, storeSql);
  }

  revision(): Revision {
    return this.#answer(() => this.#state().head);
  }

  collections(): KnownCollection[] {
    return this.#answer(() => knownCollections(this.#store));
  }

  read(
    known: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    const statements = this.#statementsOf(known.definition);
    if (at === undefined) {
      const get = (key: EncodedKey): StoredEntry | undefined => this.#get(statements, known, key, undefined);
      return keys.length === 1 ? this.#answer(() => keys.map(get)) : this.#snapshot(() => keys.map(get));
    }
    return this.#snapshot(() => {
      const { head, horizon } = this.#state();
      refuseRevision(at, head, horizon);
      return keys.map((key) => this.#get(statements, known, key, at));
    });
  }

  scan(known: KnownCollection, { bounds, reverse, limit, maxBytes, at }: EngineScan): EnginePage {
    const statements = this.#statementsOf(known.definition);
    const lower = keyBytes(bounds.lower);
    const upper = keyBytes(bounds.upper);
    return this.#snapshot(() => {
      const { head, horizon } = this.#state();
      if (at !== undefined) refuseRevision(at, head, horizon);
      // One row more than asked for tells whether the range goes on.
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
        const entry = entryFromRow(known, row as unknown as EntryRow);
        refuseDisorder(known, entry, entries.at(-1), reverse);
        entries.push(entry);
        bytes += entry.value.length;
      }
      return { entries, more, revision: at ?? head };
    });
  }

  readLog(after: Revision, limit: number): readonly LogRow[] {
    return this.#snapshot(() => {
      refuseLogBeforeHorizon(after, this.#state().horizon);
      return this.#store('readLog')
        .all(after, limit)
        .map((row) => logFromRow(row as unknown as LogTableRow));
    });
  }

  close(): void {
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
    let row = statements('get').get(key) as EntryRow | undefined;
    if (at !== undefined && (row === undefined || row.revision > at))
      row = statements('getAt').get(key, at) as EntryRow | undefined;
    return row && entryFromRow(known, row);
  }

  #statementsOf({ name }: Collection): CollectionStatements {
    let statements = this.#collections.get(name);
    if (statements === undefined) {
      statements = prepareLazily(this.#database, collectionSql(name));
      this.#collections.set(name, statements);
    }
    return statements;
  }

  /** Several statements that see one moment. */
  #snapshot<Result>(read: () => Result): Result {
    return this.#answer(() => {
      this.#database.exec('BEGIN');
      try {
        return read();
      } finally {
        this.#database.exec('COMMIT');
      }
    });
  }

  #answer<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw storeFailure(error, this.#file);
    }
  }
}
