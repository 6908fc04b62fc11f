// The write side: validates and writes groups of transactions, claims and renews leases, prunes. It owns a writing
// connection. One runs on its own thread, so that a slow sync does not block the caller's event loop; `caller-writer.ts`
// has the other one.
import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../../collection.ts';
import type { EngineClaim, EngineClaimed, KnownCollection } from '../../engine/engine.ts';
import type { CollectionId, StoredEntry, StoredLease } from '../../engine/stored.ts';
import { keyBytes, keyFromBytes } from '../../key.ts';
import { encodeChanges, type LoggedChange, type LogRow } from '../../engine/log.ts';
import {
  planGroup,
  type Facts,
  type Mutation,
  type Outcome,
  type PlainTransaction,
  type Plan,
} from '../../engine/plan.ts';
import { unlessDamaged } from '../../engine/unless-damaged.ts';
import { within } from '../../range.ts';
import type { Revision } from '../../store.ts';
import { openWriter, type Checkpoints, type DatabaseSettings } from '../database.ts';
import { addCollection, knownCollections } from '../known-collections.ts';
import { RecentLog } from '../recent-log.ts';
import {
  checksumOf,
  entryFromRow,
  logChecksum,
  logFromRow,
  stateChecksum,
  stateFromRow,
  type EntryRow,
  type StoreState,
} from '../row.ts';
import {
  collectionSql,
  createCollection,
  prepareLazily,
  storeSql,
  type CollectionStatements,
  type StoreStatements,
} from '../statements.ts';
import { WriteLock } from './write-lock.ts';

interface Table {
  readonly known: KnownCollection;
  readonly statements: CollectionStatements;
}

const pruneLogRows = 500;
const shrinkPages = 500;

export class Writer {
  readonly #database: DatabaseSync;
  readonly #lock: WriteLock;
  readonly #store: StoreStatements;
  readonly #tables = new Map<CollectionId, Table>();
  readonly #recentLog: RecentLog;

  constructor(settings: DatabaseSettings, checkpoints: Checkpoints = 'with checkpoints') {
    this.#database = openWriter(settings, checkpoints);
    this.#lock = new WriteLock(this.#database, settings);
    this.#store = prepareLazily(this.#database, storeSql);
    this.#recentLog = new RecentLog((after) => this.#store('readLog').all(after, -1).map(logFromRow));
  }

  declare(collections: readonly Collection[]): readonly KnownCollection[] {
    const found = this.#named(collections);
    if (found.length === collections.length) return found;
    return this.#lock.transaction(() => {
      const existing = knownCollections(this.#store);
      const names = new Set(existing.map(({ definition }) => definition.name));
      let id = existing.at(-1)?.id ?? 0;
      for (const collection of collections) {
        if (names.has(collection.name)) continue;
        addCollection(this.#store, ++id, collection);
        this.#database.exec(createCollection(collection));
        names.add(collection.name);
      }
      return this.#named(collections);
    });
  }

  commit(transactions: readonly PlainTransaction[]): readonly Outcome[] {
    return this.#committed(this.#lock.transaction(() => this.#write(transactions)));
  }

  /** Like `commit`, without waiting; undefined, without effect, if another process writes or waits to write. */
  commitIfFree(transactions: readonly PlainTransaction[]): readonly Outcome[] | undefined {
    const plan = this.#lock.transactionIfFree(() => this.#write(transactions));
    return plan && this.#committed(plan);
  }

  #write(transactions: readonly PlainTransaction[]): Plan {
    const plan = planGroup(transactions, this.#facts(this.#state()));
    for (const mutation of plan.mutations) this.#apply(mutation);
    for (const { collection, key, token } of plan.released)
      this.#table(collection).statements('unlease').run(keyBytes(key), token);
    for (const row of plan.log) this.#addLog(row);
    return plan;
  }

  #committed({ log, outcomes }: Plan): readonly Outcome[] {
    // Only after the commit, because a transaction that rolled back must not be in the log.
    for (const row of log) this.#recentLog.add(row);
    return outcomes;
  }

  claim(
    known: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
    now = Date.now(),
  ): readonly EngineClaimed[] {
    return this.#lock.transaction(() => {
      const { id } = known;
      const { statements } = this.#table(id);
      const lower = keyBytes(bounds.lower);
      const upper = keyBytes(bounds.upper);
      // Not limited by the statements: a damaged item is passed over.
      const found = (rows: Iterable<unknown>, takenOver: boolean): { entry: StoredEntry; takenOver: boolean }[] => {
        const items: { entry: StoredEntry; takenOver: boolean }[] = [];
        for (const row of rows) {
          const entry = unlessDamaged(() => entryFromRow(known, row as EntryRow));
          if (entry !== undefined) items.push({ entry, takenOver });
          if (items.length === limit) break;
        }
        return items;
      };
      const entries = [
        ...found(statements('free').iterate(lower, upper, -1), false),
        ...found(statements('expired').iterate(lower, upper, -1, now), true),
      ].toSorted((a, b) => (a.entry.key < b.entry.key ? -1 : 1));
      const { horizon, token: lastToken } = this.#state();
      let token = lastToken;
      const claims = entries.slice(0, limit).map(({ entry, takenOver }) => {
        const lease = { collection: id, key: entry.key, owner, token: ++token, expiresAt: now + leaseMilliseconds };
        statements('lease').run(owner, lease.token, lease.expiresAt, keyBytes(entry.key));
        return { entry, lease, takenOver };
      });
      if (claims.length > 0) this.#setState(horizon, token);
      return claims;
    });
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number, now = Date.now()): readonly (number | undefined)[] {
    return this.#lock.transaction(() =>
      leases.map(({ collection, key, token }) => {
        const expiresAt = now + leaseMilliseconds;
        const { changes } = this.#table(collection).statements('renew').run(expiresAt, keyBytes(key), token);
        return changes === 0 ? undefined : expiresAt;
      }),
    );
  }

  /** Expires the leases of these owners and logs that, so that waiting workers are woken. */
  expire({ id }: KnownCollection, owners: readonly string[]): void {
    this.#lock.transaction(() => {
      const changes: LoggedChange[] = [];
      for (const owner of owners)
        for (const row of this.#table(id).statements('expire').all(owner))
          changes.push({ kind: 'released', collection: id, key: keyFromBytes(row['key'] as Uint8Array) });
      if (changes.length > 0) this.#addLog({ revision: this.#state().head + 1, changes });
    });
  }

  release(leases: readonly StoredLease[]): void {
    this.#lock.transaction(() => {
      const changes: LoggedChange[] = [];
      for (const { collection, key, token } of leases) {
        const freed = this.#table(collection).statements('unlease').run(keyBytes(key), token).changes;
        if (freed !== 0) changes.push({ kind: 'released', collection, key });
      }
      if (changes.length > 0) this.#addLog({ revision: this.#state().head + 1, changes });
    });
  }

  /** Moves the horizon forward. Earlier revisions become unreadable; `pruneSome` removes them. */
  moveHorizon(before: Revision): Revision {
    return this.#lock.transaction(() => {
      const { head, horizon, token } = this.#state();
      const moved = Math.max(horizon, Math.min(before, head));
      if (moved > horizon) this.#setState(moved, token);
      return moved;
    });
  }

  /** Removes a bounded part of the data before the horizon, so that commits can run in between. True when all is removed. */
  pruneSome(): boolean {
    return this.#lock.transaction(() => {
      const { horizon } = this.#state();
      const rows = this.#store('oldLog').all(horizon, pruneLogRows).map(logFromRow);
      for (const { changes } of rows) {
        for (const { collection, key } of changes) {
          const { known, statements } = this.#table(collection);
          if (known.definition.keeps === 'versions') statements('dropPast').run(keyBytes(key), horizon);
        }
      }
      const last = rows.at(-1);
      if (last !== undefined) this.#store('dropLog').run(last.revision);
      return rows.length < pruneLogRows;
    });
  }

  /**
   * Gives a bounded number of unused pages back, so that commits can run in between. Returns how many bytes, 0 if no page is unused;
   * undefined if the file was made by a version whose files cannot become smaller.
   */
  shrinkSome(): number | undefined {
    if (this.#pragma('auto_vacuum') === 0) return undefined;
    return this.#lock.transaction(() => {
      const before = this.#pragma('page_count');
      this.#database.exec(`PRAGMA incremental_vacuum(${shrinkPages})`);
      return (before - this.#pragma('page_count')) * this.#pragma('page_size');
    });
  }

  /** Checkpoints the write-ahead log while no commit is waiting. */
  checkpoint(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The disk is full or failing, or the file is locked: the log keeps everything until a later checkpoint.
    }
  }

  close(): void {
    this.#lock.close();
    this.#database.close();
  }

  #pragma(name: 'auto_vacuum' | 'page_count' | 'page_size'): number {
    return Number(this.#database.prepare(`PRAGMA ${name}`).get()?.[name]);
  }

  #facts({ head, horizon }: StoreState): Facts {
    return {
      head,
      horizon,
      revisionOf: (collection, key) =>
        (this.#table(collection).statements('revisionOf').get(keyBytes(key))?.['revision'] as Revision | undefined) ??
        0,
      changedSince: (collection, bounds, since) =>
        this.#recentLog
          .after(since, head)
          .some(({ changes }) =>
            changes.some(
              (change) => change.collection === collection && change.kind !== 'released' && within(change.key, bounds),
            ),
          ),
      tokenOf: (collection, key) =>
        this.#table(collection).statements('tokenOf').get(keyBytes(key))?.['token'] as number | undefined,
      nameOf: (collection) => this.#table(collection).known.definition.name,
    };
  }

  #apply({ collection, key: encoded, versions, dropLease }: Mutation): void {
    const { known, statements } = this.#table(collection);
    const key = keyBytes(encoded);
    const first = versions[0];
    const last = versions.at(-1);
    if (first === undefined || last === undefined) return;
    if (known.definition.keeps === 'versions') {
      statements('retire').run(key, first.revision);
      // Versions superseded within this group must still be readable at their revisions.
      for (let index = 0; index + 1 < versions.length; index++) {
        const version = versions[index] as typeof first;
        const next = versions[index + 1] as typeof first;
        if (version.value !== null)
          statements('addPast').run(
            key,
            next.revision,
            version.revision,
            checksumOf(collection, key, version.revision, version.value),
            version.value,
          );
      }
    }
    if (last.value === null) {
      statements('remove').run(key);
      return;
    }
    statements('put').run(key, last.revision, checksumOf(collection, key, last.revision, last.value), last.value);
    if (dropLease && known.definition.leased) statements('dropLease').run(key);
  }

  #addLog(row: LogRow): void {
    const changes = encodeChanges(row.changes);
    this.#store('addLog').run(row.revision, logChecksum(row.revision, changes), changes);
  }

  #setState(horizon: Revision, token: number): void {
    this.#store('setState').run(horizon, token, stateChecksum(horizon, token));
  }

  #state(): StoreState {
    return stateFromRow(this.#store('state').get());
  }

  #table(id: CollectionId): Table {
    const table = this.#tables.get(id);
    if (table !== undefined) return table;
    // Declared by another process.
    for (const known of knownCollections(this.#store)) {
      if (!this.#tables.has(known.id))
        this.#tables.set(known.id, {
          known,
          statements: prepareLazily(this.#database, collectionSql(known.definition.name)),
        });
    }
    return this.#tables.get(id) as Table;
  }

  #named(collections: readonly Collection[]): KnownCollection[] {
    const names = new Set(collections.map(({ name }) => name));
    return knownCollections(this.#store).filter(({ definition }) => names.has(definition.name));
  }
}
