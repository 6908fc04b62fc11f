// The memory engine: for tests and for state that need not outlive the process. Apart from durability it behaves like the
// other engines.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { sameShape, type Collection } from '../collection.ts';
import type { Engine, EngineClaim, EngineClaimed, EnginePage, EngineScan, KnownCollection } from '../engine/engine.ts';
import type { StoredEntry, StoredLease } from '../engine/stored.ts';
import { checkLogStart, checkRevision } from '../engine/horizon.ts';
import type { EncodedKey } from '../key.ts';
import type { LoggedChange, LogRow } from '../engine/log.ts';
import { planGroup, type Facts, type Outcome, type PlainTransaction } from '../engine/plan.ts';
import { within, type Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport, VolatileMessages } from '../store.ts';
import { Channels } from '../volatile/channels.ts';
import { MemoryTable } from './table.ts';

/** The contents shared by all stores opened under one name. */
class Contents {
  readonly tables: MemoryTable[] = [];
  log: LogRow[] = [];
  head: Revision = 0;
  horizon: Revision = 0;
  token = 0;
  readonly wakes = new Set<() => void>();
  readonly channels = new Channels();
}

// Lets several stores of one process share contents, as several processes share a file.
const contentsByName = new Map<string, { readonly contents: Contents; users: number }>();

export class MemoryEngine implements Engine {
  readonly features: StoreFeatures = {
    engine: 'memory',
    durable: false,
    shared: false,
    remote: false,
    synchronousReads: true,
    volatileMessages: true,
  };
  readonly volatile: VolatileMessages;
  readonly #name: string;
  readonly #contents: Contents;
  readonly #clock: Clock;
  #wakes: (() => void)[] = [];
  readonly #listening = new Set<() => void>();

  constructor(name: string, clock: Clock) {
    this.#name = name === '' ? randomUUID() : name;
    const shared = contentsByName.get(this.#name) ?? { contents: new Contents(), users: 0 };
    contentsByName.set(this.#name, shared);
    shared.users++;
    this.#contents = shared.contents;
    this.#clock = clock;
    this.volatile = {
      publish: (channel, text) => this.#contents.channels.deliver({ channel, text }),
      listen: (channel, hear) => this.#listen(channel, hear),
    };
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    const known = collections.map((definition) => {
      let table = this.#contents.tables.find((candidate) => candidate.known.definition.name === definition.name);
      if (table === undefined) {
        table = new MemoryTable({ id: this.#contents.tables.length, definition });
        this.#contents.tables.push(table);
      }
      return sameShape(table.known.definition, definition) ? { ...table.known, definition } : table.known;
    });
    return Promise.resolve(known);
  }

  collections(): Promise<readonly KnownCollection[]> {
    return Promise.resolve(this.#contents.tables.map((table) => table.known));
  }

  revision(): Revision {
    return this.#contents.head;
  }

  read(
    { id }: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    this.#checkRevision(at);
    return keys.map((key) => copy(this.#table(id).get(key, at)));
  }

  scan({ id }: KnownCollection, scan: EngineScan): EnginePage {
    this.#checkRevision(scan.at);
    const { entries, more } = this.#table(id).scan(scan);
    return { entries: entries.map(copy), more, revision: scan.at ?? this.#contents.head };
  }

  commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const plan = planGroup(transactions, this.#facts());
    for (const mutation of plan.mutations) this.#table(mutation.collection).apply(mutation);
    for (const { collection, key, token } of plan.released) this.#unlease(collection, key, token);
    this.#contents.log.push(...plan.log);
    this.#contents.head = plan.head;
    if (plan.log.length > 0) this.#wake();
    return Promise.resolve(plan.outcomes);
  }

  readLog(after: Revision, limit: number, until = this.#contents.head): readonly LogRow[] {
    const { log, horizon } = this.#contents;
    checkLogStart(after, horizon);
    return log.slice(after - horizon, Math.min(after + limit, until) - horizon);
  }

  onWake(wake: () => void): () => void {
    this.#contents.wakes.add(wake);
    this.#wakes.push(wake);
    return () => this.#contents.wakes.delete(wake);
  }

  claim(
    { id }: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
  ): Promise<readonly EngineClaimed[]> {
    const table = this.#table(id);
    const now = this.#clock.now();
    const claims: EngineClaimed[] = [];
    for (const entry of table.entries(bounds)) {
      if (claims.length === limit) break;
      const held = table.leases.get(entry.key);
      if ((held?.expiresAt ?? 0) > now) continue;
      const lease = { owner, token: ++this.#contents.token, expiresAt: now + leaseMilliseconds };
      table.leases.set(entry.key, lease);
      claims.push({ entry, lease: { ...lease, collection: id, key: entry.key }, takenOver: held !== undefined });
    }
    return Promise.resolve(claims);
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    const now = this.#clock.now();
    return Promise.resolve(
      leases.map(({ collection, key, token }) => {
        const held = this.#table(collection).leases.get(key);
        if (held === undefined || held.token !== token) return undefined;
        const expiresAt = now + leaseMilliseconds;
        this.#table(collection).leases.set(key, { ...held, expiresAt });
        return expiresAt;
      }),
    );
  }

  release(leases: readonly StoredLease[]): Promise<void> {
    const changes: LoggedChange[] = [];
    for (const { collection, key, token } of leases) {
      if (this.#unlease(collection, key, token)) changes.push({ kind: 'released', collection, key });
    }
    if (changes.length > 0) {
      this.#contents.log.push({ revision: ++this.#contents.head, changes });
      this.#wake();
    }
    return Promise.resolve();
  }

  holders({ id }: KnownCollection, bounds: Bounds): readonly StoredLease[] {
    const { leases } = this.#table(id);
    return [...leases]
      .filter(([key]) => within(key, bounds))
      .map(([key, lease]) => ({ ...lease, collection: id, key }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  prune(before: Revision): Promise<Revision> {
    const contents = this.#contents;
    const horizon = Math.max(contents.horizon, Math.min(before, contents.head));
    const dropped = contents.log.slice(0, horizon - contents.horizon);
    contents.log = contents.log.slice(dropped.length);
    contents.horizon = horizon;
    for (const { changes } of dropped) {
      for (const { collection, key } of changes) this.#table(collection).forget(key, horizon);
    }
    return Promise.resolve(horizon);
  }

  verify(): Promise<VerifyReport> {
    let entries = 0;
    let bytes = 0;
    for (const table of this.#contents.tables) {
      for (const { key, value } of table.entries({ lower: '' as EncodedKey, upper: '\xff' as EncodedKey })) {
        entries++;
        bytes += key.length + value.length;
      }
    }
    return Promise.resolve({ entries, bytes, problems: [] });
  }

  close(): Promise<void> {
    for (const wake of this.#wakes) this.#contents.wakes.delete(wake);
    this.#wakes = [];
    for (const stop of this.#listening) stop();
    const shared = contentsByName.get(this.#name);
    if (shared !== undefined && --shared.users === 0) contentsByName.delete(this.#name);
    return Promise.resolve();
  }

  #listen(channel: string, hear: (message: string) => void): () => void {
    const remove = this.#contents.channels.add(channel, hear);
    const stop = (): void => {
      remove();
      this.#listening.delete(stop);
    };
    this.#listening.add(stop);
    return stop;
  }

  #facts(): Facts {
    const { head, horizon, log } = this.#contents;
    return {
      head,
      horizon,
      revisionOf: (collection, key) => this.#table(collection).revisionOf(key),
      changedSince: (collection, bounds, since) =>
        log
          .slice(since - horizon)
          .some(({ changes }) =>
            changes.some(
              (change) => change.collection === collection && change.kind !== 'released' && within(change.key, bounds),
            ),
          ),
      tokenOf: (collection, key) => this.#table(collection).leases.get(key)?.token,
      nameOf: (collection) => this.#table(collection).known.definition.name,
    };
  }

  #table(id: number): MemoryTable {
    return this.#contents.tables[id] as MemoryTable;
  }

  #unlease(collection: number, key: EncodedKey, token: number): boolean {
    const { leases } = this.#table(collection);
    if (leases.get(key)?.token !== token) return false;
    return leases.delete(key);
  }

  #checkRevision(at: Revision | undefined): void {
    if (at === undefined) return;
    checkRevision(at, this.#contents.head, this.#contents.horizon);
  }

  #wake(): void {
    for (const wake of [...this.#contents.wakes]) wake();
  }
}

// Copies bytes, so that callers cannot change stored values.
function copy<Found extends StoredEntry | undefined>(entry: Found): Found {
  if (entry === undefined || typeof entry.value === 'string') return entry;
  return { ...entry, value: new Uint8Array(entry.value) };
}
