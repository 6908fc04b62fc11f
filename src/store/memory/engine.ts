// The memory engine: for tests and for state that need not outlive the process. It keeps nothing durable and says so;
// in every other way it behaves like the others.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { sameShape, type Collection } from '../collection.ts';
import type { Engine, EngineClaim, EngineClaimed, EnginePage, EngineScan, KnownCollection } from '../engine/engine.ts';
import type { StoredEntry, StoredLease } from '../engine/stored.ts';
import { refuseLogBeforeHorizon, refuseRevision } from '../engine/horizon.ts';
import type { EncodedKey } from '../key.ts';
import type { LoggedChange, LogRow } from '../engine/log.ts';
import { planGroup, type Facts, type Outcome, type PlainTransaction } from '../engine/plan.ts';
import { within, type Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport, VolatileMessages } from '../store.ts';
import { Channels } from '../volatile/channels.ts';
import { MemoryTable } from './table.ts';

/** What several stores opened under one name share. */
class Place {
  readonly tables: MemoryTable[] = [];
  log: LogRow[] = [];
  head: Revision = 0;
  horizon: Revision = 0;
  token = 0;
  readonly wakes = new Set<() => void>();
  readonly channels = new Channels();
}

// Named places let several stores of one process share contents, as several processes share a file.
const places = new Map<string, { readonly place: Place; users: number }>();

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
  readonly #place: Place;
  readonly #clock: Clock;
  #wakes: (() => void)[] = [];
  readonly #listening = new Set<() => void>();

  constructor(name: string, clock: Clock) {
    this.#name = name === '' ? randomUUID() : name;
    const shared = places.get(this.#name) ?? { place: new Place(), users: 0 };
    places.set(this.#name, shared);
    shared.users++;
    this.#place = shared.place;
    this.#clock = clock;
    this.volatile = {
      publish: (channel, text) => this.#place.channels.deliver({ channel, text }),
      listen: (channel, hear) => this.#listen(channel, hear),
    };
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    const known = collections.map((definition) => {
      let table = this.#place.tables.find((candidate) => candidate.known.definition.name === definition.name);
      if (table === undefined) {
        table = new MemoryTable({ id: this.#place.tables.length, definition });
        this.#place.tables.push(table);
      }
      return sameShape(table.known.definition, definition) ? { ...table.known, definition } : table.known;
    });
    return Promise.resolve(known);
  }

  collections(): Promise<readonly KnownCollection[]> {
    return Promise.resolve(this.#place.tables.map((table) => table.known));
  }

  revision(): Revision {
    return this.#place.head;
  }

  read(
    { id }: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    this.#refuseRevision(at);
    return keys.map((key) => copy(this.#table(id).get(key, at)));
  }

  scan({ id }: KnownCollection, scan: EngineScan): EnginePage {
    this.#refuseRevision(scan.at);
    const { entries, more } = this.#table(id).scan(scan);
    return { entries: entries.map(copy), more, revision: scan.at ?? this.#place.head };
  }

  commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const plan = planGroup(transactions, this.#facts());
    for (const mutation of plan.mutations) this.#table(mutation.collection).apply(mutation);
    for (const { collection, key, token } of plan.released) this.#unlease(collection, key, token);
    this.#place.log.push(...plan.log);
    this.#place.head = plan.head;
    if (plan.log.length > 0) this.#wake();
    return Promise.resolve(plan.outcomes);
  }

  readLog(after: Revision, limit: number, until = this.#place.head): readonly LogRow[] {
    const { log, horizon } = this.#place;
    refuseLogBeforeHorizon(after, horizon);
    return log.slice(after - horizon, Math.min(after + limit, until) - horizon);
  }

  onWake(wake: () => void): () => void {
    this.#place.wakes.add(wake);
    this.#wakes.push(wake);
    return () => this.#place.wakes.delete(wake);
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
      const lease = { owner, token: ++this.#place.token, expiresAt: now + leaseMilliseconds };
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
      this.#place.log.push({ revision: ++this.#place.head, changes });
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
    const place = this.#place;
    const horizon = Math.max(place.horizon, Math.min(before, place.head));
    const dropped = place.log.slice(0, horizon - place.horizon);
    place.log = place.log.slice(dropped.length);
    place.horizon = horizon;
    for (const { changes } of dropped) {
      for (const { collection, key } of changes) this.#table(collection).forget(key, horizon);
    }
    return Promise.resolve(horizon);
  }

  verify(): Promise<VerifyReport> {
    let entries = 0;
    let bytes = 0;
    for (const table of this.#place.tables) {
      for (const { key, value } of table.entries({ lower: '' as EncodedKey, upper: '\xff' as EncodedKey })) {
        entries++;
        bytes += key.length + value.length;
      }
    }
    return Promise.resolve({ entries, bytes, problems: [] });
  }

  close(): Promise<void> {
    for (const wake of this.#wakes) this.#place.wakes.delete(wake);
    this.#wakes = [];
    for (const stop of this.#listening) stop();
    const shared = places.get(this.#name);
    if (shared !== undefined && --shared.users === 0) places.delete(this.#name);
    return Promise.resolve();
  }

  #listen(channel: string, hear: (message: string) => void): () => void {
    const remove = this.#place.channels.add(channel, hear);
    const stop = (): void => {
      remove();
      this.#listening.delete(stop);
    };
    this.#listening.add(stop);
    return stop;
  }

  #facts(): Facts {
    const { head, horizon, log } = this.#place;
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
    return this.#place.tables[id] as MemoryTable;
  }

  #unlease(collection: number, key: EncodedKey, token: number): boolean {
    const { leases } = this.#table(collection);
    if (leases.get(key)?.token !== token) return false;
    return leases.delete(key);
  }

  #refuseRevision(at: Revision | undefined): void {
    if (at === undefined) return;
    refuseRevision(at, this.#place.head, this.#place.horizon);
  }

  #wake(): void {
    for (const wake of [...this.#place.wakes]) wake();
  }
}

// Bytes are handed out as copies; JSON text cannot be changed.
function copy<Found extends StoredEntry | undefined>(entry: Found): Found {
  if (entry === undefined || typeof entry.value === 'string') return entry;
  return { ...entry, value: new Uint8Array(entry.value) };
}
