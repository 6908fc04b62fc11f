// An engine whose contents are in memory. By itself it is for tests and for state that need not outlive the process; engines that
// keep a journal give it contents they have read back, and a changer that writes before anything changes.
import type { Clock } from '../../base/clock.ts';
import type { Collection } from '../collection.ts';
import type { Engine, EngineClaim, EngineClaimed, EnginePage, EngineScan, KnownCollection } from '../engine/engine.ts';
import type { LogRow } from '../engine/log.ts';
import { planGroup, type Outcome, type Plan, type PlainTransaction } from '../engine/plan.ts';
import type { Loading, Snapshot } from '../engine/snapshot.ts';
import type { StoredEntry, StoredHolder, StoredLease } from '../engine/stored.ts';
import { StoreFeatureError } from '../errors.ts';
import type { EncodedKey } from '../key.ts';
import { within, type Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport, VolatileMessages } from '../store.ts';
import type { Changer, CommittedRow, StoreChange, WrittenChange } from './change.ts';
import type { Contents } from './contents.ts';
import { MemoryLoading } from './loading.ts';
import { MemorySnapshot } from './snapshot.ts';

/** What differs between engines with contents in memory. */
export interface MemoryEngineParts {
  readonly features: StoreFeatures;
  /** Changes identity only if `refresh` replaces what it read. */
  readonly contents: () => Contents;
  readonly changer: Changer;
  readonly clock: Clock;
  /** Checks what lies behind the memory; returns one text per corruption. */
  verify?(): Promise<readonly string[]>;
  /** Makes these the contents of an empty store; they hold when it resolves. */
  replace?(contents: Contents): Promise<void>;
  /** What lies behind the memory, in bytes. */
  size?(): number;
  close(): Promise<void>;
}

export class MemoryEngine implements Engine {
  readonly features: StoreFeatures;
  readonly volatile: VolatileMessages;
  readonly #parts: MemoryEngineParts;
  readonly #wakes = new Set<() => void>();
  readonly #listening = new Set<() => void>();

  constructor(parts: MemoryEngineParts) {
    this.#parts = parts;
    this.features = parts.features;
    this.volatile = {
      publish: (channel, text) => this.#contents.channels.deliver({ channel, text }),
      listen: (channel, hear) => this.#listen(channel, hear),
    };
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#parts.changer.change(() => {
      const changes: StoreChange[] = [];
      const added = new Map<string, KnownCollection>();
      const known = collections.map((definition) => {
        const found = this.#contents.named(definition) ?? added.get(definition.name);
        if (found !== undefined) return found;
        const next = { id: this.#contents.tables.length + added.size, definition };
        added.set(definition.name, next);
        changes.push({ kind: 'declared', definition });
        return next;
      });
      return { changes, result: known };
    });
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
    return this.#contents.read(id, keys, at);
  }

  scan({ id }: KnownCollection, scan: EngineScan): EnginePage {
    return this.#contents.scan(id, scan);
  }

  commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    return this.#parts.changer.change(() => {
      const plan = planGroup(transactions, this.#contents.facts());
      const { released } = plan;
      const rows = rowsOf(transactions, plan);
      return {
        changes: rows.length === 0 && released.length === 0 ? [] : [{ kind: 'committed', rows, released }],
        result: plan.outcomes,
      };
    });
  }

  readLog(after: Revision, limit: number, until?: Revision): readonly LogRow[] {
    return this.#contents.readLog(after, limit, until);
  }

  onWake(wake: () => void): () => void {
    this.#contents.wakes.add(wake);
    this.#wakes.add(wake);
    return () => {
      this.#contents.wakes.delete(wake);
      this.#wakes.delete(wake);
    };
  }

  claim(
    { id }: KnownCollection,
    { bounds, owner, limit, leaseMilliseconds }: EngineClaim,
  ): Promise<readonly EngineClaimed[]> {
    return this.#parts.changer.change(() => {
      const contents = this.#contents;
      const table = contents.table(id);
      const now = this.#parts.clock.now();
      const claims: EngineClaimed[] = [];
      for (const entry of table.entries(bounds)) {
        if (claims.length === limit) break;
        const held = table.leases.get(entry.key);
        if ((held?.expiresAt ?? 0) > now) continue;
        const token = contents.token + claims.length + 1;
        const lease = { owner, token, expiresAt: now + leaseMilliseconds, collection: id, key: entry.key };
        claims.push({ entry, lease, takenOver: held !== undefined });
      }
      return {
        changes: claims.length === 0 ? [] : [{ kind: 'leased', leases: claims.map(({ lease }) => lease) }],
        result: claims,
      };
    });
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    return this.#parts.changer.change(() => {
      const expiresAt = this.#parts.clock.now() + leaseMilliseconds;
      const renewed: StoredLease[] = [];
      const result = leases.map(({ collection, key, token }) => {
        const held = this.#contents.table(collection).leases.get(key);
        if (held === undefined || held.token !== token) return undefined;
        renewed.push({ ...held, collection, key, expiresAt });
        return expiresAt;
      });
      return { changes: renewed.length === 0 ? [] : [{ kind: 'leased', leases: renewed }], result };
    });
  }

  release(leases: readonly StoredLease[]): Promise<void> {
    return this.#parts.changer.change(() => {
      const contents = this.#contents;
      // A lease may be given twice.
      const held = new Map(
        leases
          .filter(({ collection, key, token }) => contents.table(collection).leases.get(key)?.token === token)
          .map((lease) => [`${lease.collection} ${lease.key}`, lease] as const),
      );
      const released = [...held.values()].map(({ collection, key, token }) => ({ collection, key, token }));
      const changes = released.map(({ collection, key }): WrittenChange => ({
        kind: 'released',
        collection,
        key,
        value: undefined,
      }));
      return {
        changes:
          changes.length === 0
            ? []
            : [{ kind: 'committed', rows: [{ revision: contents.head + 1, changes }], released }],
        result: undefined,
      };
    });
  }

  holders({ id }: KnownCollection, bounds: Bounds): readonly StoredHolder[] {
    const now = this.#parts.clock.now();
    return [...this.#contents.table(id).leases]
      .filter(([key]) => within(key, bounds))
      .map(([key, lease]) => ({ ...lease, collection: id, key, isExpired: lease.expiresAt <= now }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  prune(before: Revision): Promise<Revision> {
    return this.#parts.changer.change(() => {
      const { horizon: current, head } = this.#contents;
      const horizon = Math.max(current, Math.min(before, head));
      return { changes: horizon === current ? [] : [{ kind: 'pruned', horizon }], result: horizon };
    });
  }

  async verify(): Promise<VerifyReport> {
    const problems = (await this.#parts.verify?.()) ?? [];
    let entries = 0;
    let bytes = 0;
    for (const table of this.#contents.tables) {
      for (const { key, value } of table.entries({ lower: '' as EncodedKey, upper: '\xff' as EncodedKey })) {
        entries++;
        bytes += key.length + value.length;
      }
    }
    return { entries, bytes, problems };
  }

  async snapshot(): Promise<Snapshot> {
    return new MemorySnapshot(this.#contents);
  }

  async load(): Promise<Loading> {
    const { replace } = this.#parts;
    if (replace === undefined)
      throw new StoreFeatureError(
        `A store of the engine '${this.features.engine}' cannot be filled from another one.`,
        {
          engine: this.features.engine,
        },
      );
    return new MemoryLoading(this.#parts.contents, replace);
  }

  size(): number | undefined {
    return this.#parts.size?.();
  }

  async close(): Promise<void> {
    for (const wake of this.#wakes) this.#contents.wakes.delete(wake);
    this.#wakes.clear();
    for (const stop of this.#listening) stop();
    await this.#parts.close();
  }

  get #contents(): Contents {
    return this.#parts.contents();
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
}

/** The log of a plan with the values that were written: the changes of a row begin with the writes of its transaction, in order. */
function rowsOf(transactions: readonly PlainTransaction[], { log, outcomes }: Plan): CommittedRow[] {
  let next = 0;
  return transactions.flatMap(({ writes }, index) => {
    const outcome = outcomes[index];
    const row = log[next];
    // A transaction that only checks has no row.
    if (outcome?.status !== 'committed' || row?.revision !== outcome.revision) return [];
    next++;
    const changes = row.changes.map(({ kind, collection, key }, position) => ({
      kind,
      collection,
      key,
      value: writes[position]?.value ?? undefined,
    }));
    return [{ revision: row.revision, changes }];
  });
}
