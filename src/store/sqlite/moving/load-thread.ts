// Fills an empty file in one transaction, on a connection and a thread of its own: either all of it is there, or nothing.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Collection } from '../../collection.ts';
import { notEmpty } from '../../engine/empty.ts';
import type { KnownCollection } from '../../engine/engine.ts';
import { encodeChanges, type LogRow } from '../../engine/log.ts';
import type { SnapshotItem, SnapshotState, StoredVersion } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import { keyBytes } from '../../key.ts';
import { openWriter, type DatabaseSettings } from '../database.ts';
import { storeFailure } from '../failure.ts';
import { addCollection, knownCollections } from '../known-collections.ts';
import { checksumOf, logChecksum, stateChecksum, stateFromRow } from '../row.ts';
import {
  collectionSql,
  createCollection,
  prepareLazily,
  storeSql,
  type CollectionStatements,
  type StoreStatements,
} from '../statements.ts';
import { serveCalls } from './thread-calls.ts';

class FileLoading {
  readonly #database: DatabaseSync;
  readonly #store: StoreStatements;
  readonly #tables = new Map<CollectionId, CollectionStatements>();

  constructor(settings: DatabaseSettings) {
    this.#database = openWriter(settings, 'without checkpoints');
    try {
      this.#database.exec(`PRAGMA busy_timeout = ${settings.busyMilliseconds}`);
      this.#store = prepareLazily(this.#database, storeSql);
      this.#database.exec('BEGIN IMMEDIATE');
      const { head } = stateFromRow(this.#store('state').get());
      if (head > 0) throw notEmpty(head);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  declare(collections: readonly Collection[]): readonly KnownCollection[] {
    const existing = knownCollections(this.#store);
    const names = new Set(existing.map(({ definition }) => definition.name));
    let id = existing.at(-1)?.id ?? 0;
    for (const collection of collections) {
      if (names.has(collection.name)) continue;
      addCollection(this.#store, ++id, collection);
      this.#database.exec(createCollection(collection));
    }
    const known = knownCollections(this.#store);
    for (const { id: number, definition } of known)
      if (!this.#tables.has(number))
        this.#tables.set(number, prepareLazily(this.#database, collectionSql(definition.name)));
    return collections.map(
      ({ name }) => known.find(({ definition }) => definition.name === name) as (typeof known)[number],
    );
  }

  add(items: readonly SnapshotItem[]): void {
    for (const item of items) {
      switch (item.kind) {
        case 'entry':
          this.#putEntry(item.collection, item.entry);
          break;
        case 'version':
          this.#putVersion(item.collection, item.version);
          break;
        case 'removed':
          this.#statements(item.collection)('remove').run(keyBytes(item.key));
          break;
        case 'logged':
          this.#putLog(item.row);
          break;
      }
    }
  }

  finish({ horizon, token }: SnapshotState): void {
    this.#store('dropLog').run(horizon);
    for (const { id, definition } of knownCollections(this.#store))
      if (definition.keeps === 'versions') this.#statements(id)('dropAllPast').run(horizon);
    this.#store('setState').run(horizon, token, stateChecksum(horizon, token));
    this.#database.exec('COMMIT');
    try {
      // The write-ahead log is as large as the file now, and would stay that large.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Everything is in the log; a later checkpoint empties it.
    }
  }

  close(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
  }

  #putEntry(collection: CollectionId, { key, revision, value }: StoredEntry): void {
    const bytes = keyBytes(key);
    this.#statements(collection)('put').run(bytes, revision, checksumOf(collection, bytes, revision, value), value);
  }

  #putVersion(collection: CollectionId, { key, revision, until, value }: StoredVersion): void {
    const bytes = keyBytes(key);
    const checksum = checksumOf(collection, bytes, revision, value);
    this.#statements(collection)('addPast').run(bytes, until, revision, checksum, value);
  }

  #putLog({ revision, changes }: LogRow): void {
    const bytes = encodeChanges(changes);
    this.#store('addLog').run(revision, logChecksum(revision, bytes), bytes);
  }

  #statements(id: CollectionId): CollectionStatements {
    return this.#tables.get(id) as CollectionStatements;
  }
}

const settings = workerData as DatabaseSettings;
if (parentPort !== null)
  serveCalls(
    parentPort,
    () => new FileLoading(settings),
    (error) => storeFailure(error, settings.file),
  );
