// The contents of a store in memory: tables, the change log and leases. Changes are applied here after they were decided.
import { sameShape, type Collection } from '../collection.ts';
import type { EngineScan, EnginePage, KnownCollection } from '../engine/engine.ts';
import { checkLogStart, checkRevision } from '../engine/horizon.ts';
import type { LogRow } from '../engine/log.ts';
import type { Facts } from '../engine/plan.ts';
import type { SnapshotItem, SnapshotState } from '../engine/snapshot.ts';
import type { StoredEntry } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import { within } from '../range.ts';
import type { Revision } from '../store.ts';
import { Channels } from '../volatile/channels.ts';
import type { CommittedRow, ReleasedLease, StoreChange } from './change.ts';
import { MemoryTable } from './table.ts';

export class Contents {
  readonly tables: MemoryTable[] = [];
  log: LogRow[] = [];
  head: Revision = 0;
  horizon: Revision = 0;
  token = 0;
  readonly wakes = new Set<() => void>();
  readonly channels = new Channels();

  /** About how much the values and keys take, with those of superseded versions. */
  get bytes(): number {
    return this.tables.reduce((sum, table) => sum + table.bytes, 0);
  }

  table(id: number): MemoryTable {
    return this.tables[id] as MemoryTable;
  }

  named(definition: Collection): KnownCollection | undefined {
    const table = this.tables.find((candidate) => candidate.known.definition.name === definition.name);
    if (table === undefined) return undefined;
    return sameShape(table.known.definition, definition) ? { ...table.known, definition } : table.known;
  }

  read(id: number, keys: readonly EncodedKey[], at: Revision | undefined): readonly (StoredEntry | undefined)[] {
    this.#checkRevision(at);
    return keys.map((key) => copy(this.table(id).get(key, at)));
  }

  scan(id: number, scan: EngineScan): EnginePage {
    this.#checkRevision(scan.at);
    const { entries, more } = this.table(id).scan(scan);
    return { entries: entries.map(copy), more, revision: scan.at ?? this.head };
  }

  readLog(after: Revision, limit: number, until = this.head): readonly LogRow[] {
    checkLogStart(after, this.horizon);
    return this.log.slice(after - this.horizon, Math.min(after + limit, until) - this.horizon);
  }

  facts(): Facts {
    const { head, horizon, log } = this;
    return {
      head,
      horizon,
      revisionOf: (collection, key) => this.table(collection).revisionOf(key),
      changedSince: (collection, bounds, since) =>
        log
          .slice(since - horizon)
          .some(({ changes }) =>
            changes.some(
              (change) => change.collection === collection && change.kind !== 'released' && within(change.key, bounds),
            ),
          ),
      tokenOf: (collection, key) => this.table(collection).leases.get(key)?.token,
      nameOf: (collection) => this.table(collection).known.definition.name,
    };
  }

  /** Forgets everything, so that it can be read again. */
  clear(): void {
    this.tables.length = 0;
    this.log = [];
    this.head = 0;
    this.horizon = 0;
    this.token = 0;
  }

  /** Puts back a row that was saved. */
  restore(item: SnapshotItem): void {
    switch (item.kind) {
      case 'entry':
        this.table(item.collection).restore(item.entry);
        break;
      case 'version':
        this.table(item.collection).restoreVersion(item.version, item.version.until);
        break;
      case 'logged':
        this.log.push(item.row);
        break;
      case 'removed':
        this.table(item.collection).drop(item.key);
        break;
    }
  }

  /** Sets what holds for the whole store, after its rows were put back; forgets what is before the horizon. */
  restoreState({ revision, horizon, token }: SnapshotState): void {
    this.head = revision;
    this.horizon = horizon;
    this.token = token;
    this.log = this.log.filter((row) => row.revision > horizon);
    for (const table of this.tables) table.forgetBefore(horizon);
  }

  /** Becomes what the other one is; those who use these contents go on with them. */
  become(other: Contents): void {
    this.clear();
    this.tables.push(...other.tables);
    this.log = other.log;
    this.head = other.head;
    this.horizon = other.horizon;
    this.token = other.token;
    for (const wake of [...this.wakes]) wake();
  }

  apply(changes: readonly StoreChange[]): void {
    let isWoken = false;
    for (const change of changes) {
      switch (change.kind) {
        case 'declared':
          this.tables.push(new MemoryTable({ id: this.tables.length, definition: change.definition }));
          break;
        case 'committed':
          for (const row of change.rows) this.#commit(row);
          for (const lease of change.released) this.#release(lease);
          isWoken ||= change.rows.length > 0;
          break;
        case 'leased':
          for (const { collection, key, owner, token, expiresAt } of change.leases) {
            this.table(collection).leases.set(key, { owner, token, expiresAt });
            this.token = Math.max(this.token, token);
          }
          break;
        case 'pruned':
          this.#prune(change.horizon);
          break;
      }
    }
    if (isWoken) for (const wake of [...this.wakes]) wake();
  }

  #commit({ revision, changes }: CommittedRow): void {
    for (const { kind, collection, key, value } of changes) {
      if (kind === 'released') continue;
      this.table(collection).apply(key, revision, kind === 'put' ? (value ?? null) : null);
    }
    this.log.push({ revision, changes: changes.map(({ kind, collection, key }) => ({ kind, collection, key })) });
    this.head = revision;
  }

  #release({ collection, key, token }: ReleasedLease): void {
    const { leases } = this.table(collection);
    if (leases.get(key)?.token === token) leases.delete(key);
  }

  #prune(horizon: Revision): void {
    const dropped = this.log.slice(0, horizon - this.horizon);
    this.log = this.log.slice(dropped.length);
    this.horizon = horizon;
    for (const { changes } of dropped) {
      for (const { collection, key } of changes) this.table(collection).forget(key, horizon);
    }
  }

  #checkRevision(at: Revision | undefined): void {
    if (at !== undefined) checkRevision(at, this.head, this.horizon);
  }
}

// Copies bytes, so that callers cannot change stored values.
function copy<Found extends StoredEntry | undefined>(entry: Found): Found {
  if (entry === undefined || typeof entry.value === 'string') return entry;
  return { ...entry, value: new Uint8Array(entry.value) };
}
