// Reads a file as it was at one revision, on a connection and a thread of its own. The write-ahead log cannot be emptied meanwhile,
// so it grows with what others write.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { KnownCollection } from '../../engine/engine.ts';
import type { LogRow } from '../../engine/log.ts';
import type { SnapshotOptions, SnapshotState, StoredVersion } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import { RowDecoder } from '../../engine/unless-damaged.ts';
import { keyBytes, type EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';
import { openReader, type DatabaseSettings } from '../database.ts';
import { storeFailure } from '../failure.ts';
import { knownCollections } from '../known-collections.ts';
import { entryFromRow, logFromRow, stateFromRow, type EntryRow } from '../row.ts';
import {
  collectionSql,
  prepareLazily,
  storeSql,
  type CollectionStatements,
  type StoreStatements,
} from '../statements.ts';
import { serveCalls } from './thread-calls.ts';

const pageRows = 1000;
const pageBytes = 4 * 1024 * 1024;

export interface SnapshotStart {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
}

interface Table {
  readonly known: KnownCollection;
  readonly statements: CollectionStatements;
}

class FileSnapshot {
  readonly #database: DatabaseSync;
  readonly #store: StoreStatements;
  readonly #tables = new Map<CollectionId, Table>();
  #decoder = new RowDecoder(false);

  constructor(settings: DatabaseSettings) {
    this.#database = openReader(settings);
    this.#database.exec('BEGIN');
    this.#store = prepareLazily(this.#database, storeSql);
  }

  /** The first read begins the snapshot. */
  start({ skipDamaged }: SnapshotOptions): SnapshotStart {
    this.#decoder = new RowDecoder(skipDamaged);
    const { head, horizon, token } = stateFromRow(this.#store('state').get());
    const collections = knownCollections(this.#store);
    for (const known of collections)
      this.#tables.set(known.id, {
        known,
        statements: prepareLazily(this.#database, collectionSql(known.definition.name)),
      });
    return { state: { revision: head, horizon, token }, collections };
  }

  count(): number {
    const counted = (row: Record<string, unknown> | undefined): number => Number(row?.['count'] ?? 0);
    let count = counted(this.#store('countLog').get());
    for (const { known, statements } of this.#tables.values()) {
      count += counted(statements('count').get());
      if (known.definition.keeps === 'versions') count += counted(statements('countPast').get());
    }
    return count;
  }

  log(after: Revision): readonly LogRow[] {
    return this.#store('readLog').all(after, pageRows).map(logFromRow);
  }

  entries(collection: CollectionId, after: EncodedKey | undefined): readonly StoredEntry[] {
    const { known, statements } = this.#table(collection);
    const rows = statements('page').iterate(keyBytes(after ?? ''));
    return this.#page(rows, (row) => entryFromRow(known, row as EntryRow));
  }

  versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): readonly StoredVersion[] {
    const { known, statements } = this.#table(collection);
    const rows = statements('pagePast').iterate(keyBytes(after?.key ?? ''), after?.until ?? 0);
    return this.#page(rows, (row) => versionFrom(known, row));
  }

  read(collection: CollectionId, keys: readonly EncodedKey[]): readonly StoredEntry[] {
    const { known, statements } = this.#table(collection);
    return keys.flatMap((key) => {
      const row = statements('get').get(keyBytes(key));
      return row === undefined ? [] : this.#decoder.decode(() => entryFromRow(known, row as EntryRow));
    });
  }

  readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): readonly StoredVersion[] {
    const { known, statements } = this.#table(collection);
    return replaced.flatMap(({ key, until }) => {
      const row = statements('getPast').get(keyBytes(key), until);
      return row === undefined ? [] : this.#decoder.decode(() => versionFrom(known, row));
    });
  }

  damaged(): readonly string[] {
    return this.#decoder.damaged();
  }

  close(): void {
    this.#database.close();
  }

  /** Empty only at the end. */
  #page<Row extends StoredEntry>(
    rows: Iterable<Record<string, unknown>>,
    decode: (row: Record<string, unknown>) => Row,
  ): Row[] {
    const found: Row[] = [];
    let bytes = 0;
    for (const row of rows) {
      for (const entry of this.#decoder.decode(() => decode(row))) {
        found.push(entry);
        bytes += entry.value.length;
      }
      if (found.length === pageRows || bytes >= pageBytes) break;
    }
    return found;
  }

  #table(id: CollectionId): Table {
    return this.#tables.get(id) as Table;
  }
}

function versionFrom(known: KnownCollection, row: Record<string, unknown>): StoredVersion {
  return { ...entryFromRow(known, row as EntryRow), until: Number(row['until']) };
}

const settings = workerData as DatabaseSettings;
if (parentPort !== null)
  serveCalls(
    parentPort,
    () => new FileSnapshot(settings),
    (error) => storeFailure(error, settings.file),
  );
