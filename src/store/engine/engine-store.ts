// Implements the contract of store.ts on top of an engine: checks arguments, encodes keys and values, groups commits and
// serves the change feed. Everything specific to an engine is below this class.
import { sameShape, type Collection, type ValueOf, type WorkCollection } from '../collection.ts';
import type { BlockingEngineReads, Engine, EnginePage, EngineReads, KnownCollection } from './engine.ts';
import type { StoredEntry, StoredLease } from './stored.ts';
import { StoreArgumentError, StoreClosedError } from '../errors.ts';
import { Feed } from './feed.ts';
import { GroupCommit } from './group-commit.ts';
import { decodeKey, encodeKey, type Key } from '../key.ts';
import type { LogRow } from './log.ts';
import { boundsOf, within, type Range } from '../range.ts';
import { cursorAfter, scanOf } from './scan.ts';
import type {
  BlockingReads,
  Change,
  Changes,
  ChangeSet,
  ChangesOptions,
  Claimed,
  ClaimOptions,
  CommitResult,
  Entry,
  FollowOptions,
  HeldLease,
  Lease,
  Page,
  ReadOptions,
  RenewResult,
  Revision,
  ScanOptions,
  SessionOptions,
  Store,
  StoreFeatures,
  StoreSession,
  SynchronousReads,
  Transaction,
  VerifyReport,
  VolatileMessages,
} from '../store.ts';
import { plainTransaction, tokenFrom } from './transaction.ts';
import { decodeValue } from '../value.ts';
import { maxMessageLength } from '../volatile/message.ts';

export class EngineStore implements Store {
  readonly features: StoreFeatures;
  readonly synchronous: SynchronousReads | undefined;
  readonly blocking: BlockingReads | undefined;
  readonly volatile: VolatileMessages | undefined;
  readonly #engine: Engine;
  readonly #group: GroupCommit;
  readonly #feed: Feed;
  readonly #known = new Map<string, KnownCollection>();
  readonly #names = new Map<number, string>();
  #closing: Promise<void> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.features = engine.features;
    this.#group = new GroupCommit((transactions) => engine.commit(transactions), {
      gathers: engine.features.remote,
    });
    this.#feed = new Feed(engine);
    this.synchronous = engine.features.synchronousReads ? this.#synchronousReads() : undefined;
    this.blocking = engine.blocking && this.#readsOver(engine.blocking);
    this.volatile = engine.volatile && this.#messagesOver(engine.volatile);
  }

  async declare(...collections: readonly Collection[]): Promise<void> {
    this.#checkOpen();
    const missing = collections.filter((collection) => this.#known.get(collection.name) === undefined);
    const found = missing.length === 0 ? [] : await this.#engine.declare(missing);
    for (const known of found) this.#names.set(known.id, known.definition.name);
    const all = new Map([...this.#known, ...found.map((known) => [known.definition.name, known] as const)]);
    for (const collection of collections) {
      const known = all.get(collection.name) as KnownCollection;
      if (!sameShape(known.definition, collection)) {
        throw new StoreArgumentError(
          `The collection '${collection.name}' already exists as ${shape(known.definition)}; it cannot be declared as ${shape(collection)}. Choose another name.`,
          { collection: collection.name },
        );
      }
      this.#known.set(collection.name, known);
    }
  }

  async revision(): Promise<Revision> {
    this.#checkOpen();
    return this.#engine.revision();
  }

  async read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options: ReadOptions = {},
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
    const known = this.#knownOf(collection);
    const entries = await this.#engine.read(known, keys.map(encodeKey), atOf(known, options));
    return entries.map((entry) => entry && entryOf<C>(known, entry));
  }

  async scan<C extends Collection>(collection: C, range: Range, options: ScanOptions = {}): Promise<Page<ValueOf<C>>> {
    const known = this.#knownOf(collection);
    return pageOf<C>(known, await this.#engine.scan(known, { ...scanOf(range, options), at: atOf(known, options) }));
  }

  async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    this.#checkOpen();
    // Encoded first, so that bad input is rejected as a whole and the caller may change its objects afterwards.
    const plain = transactions.map((transaction) =>
      plainTransaction(transaction, (collection) => this.#knownOf(collection)),
    );
    return plain.length === 0 ? [] : this.#group.submit(plain);
  }

  follow(options: FollowOptions = {}): AsyncIterable<ChangeSet> {
    this.#checkOpen();
    const ids = options.collections && new Set(options.collections.map((collection) => this.#knownOf(collection).id));
    const bounds = options.range && boundsOf(options.range);
    const rows = this.#feed.follow(options.since, options.signal);
    const changesOf = async (row: LogRow): Promise<Change[]> => {
      const changes: Change[] = [];
      for (const { kind, collection, key } of row.changes) {
        if ((ids && !ids.has(collection)) || (bounds && !within(key, bounds))) continue;
        changes.push({ kind, collection: await this.#nameOf(collection), key: decodeKey(key) });
      }
      return changes;
    };
    return (async function* () {
      for await (const row of rows) {
        const changes = await changesOf(row);
        if (changes.length > 0) yield { revision: row.revision, changes };
      }
    })();
  }

  async claim<Value>(collection: WorkCollection<Value>, options: ClaimOptions): Promise<readonly Claimed<Value>[]> {
    const known = this.#workOf(collection);
    const { owner, range = {} } = options;
    const limit = positive('limit', options.limit);
    const leaseMilliseconds = positive('leaseMilliseconds', options.leaseMilliseconds);
    const claims = await this.#engine.claim(known, { owner, limit, leaseMilliseconds, bounds: boundsOf(range) });
    return claims.map(({ entry, lease, takenOver }) => ({
      entry: entryOf<WorkCollection<Value>>(known, entry),
      lease: this.#leaseFrom(lease),
      takenOver,
    }));
  }

  async renew(leases: readonly Lease[], leaseMilliseconds: number): Promise<readonly RenewResult[]> {
    const expiries = await this.#engine.renew(
      this.#storedLeases(leases),
      positive('leaseMilliseconds', leaseMilliseconds),
    );
    return leases.map((lease, index) => {
      const expiresAt = expiries[index];
      return expiresAt === undefined
        ? { status: 'lost', lease }
        : { status: 'renewed', lease: { ...lease, expiresAt } };
    });
  }

  async release(leases: readonly Lease[]): Promise<void> {
    await this.#engine.release(this.#storedLeases(leases));
  }

  async holders(collection: WorkCollection<unknown>, range: Range = {}): Promise<readonly HeldLease[]> {
    const known = this.#workOf(collection);
    const leases = await this.#engine.holders(known, boundsOf(range));
    return leases.map((lease) => ({ ...this.#leaseFrom(lease), isExpired: lease.isExpired }));
  }

  async openSession(options: SessionOptions): Promise<StoreSession | undefined> {
    this.#checkOpen();
    const session = await this.#engine.openSession?.({
      ...options,
      lost: (lease) => options.lost(this.#leaseFrom(lease)),
    });
    return (
      session && {
        owner: session.owner,
        keep: (lease) => session.keep(this.#storedLease(lease)),
        drop: (lease) => session.drop(this.#storedLease(lease)),
        allow: (milliseconds) => session.allow(milliseconds),
        close: () => session.close(),
      }
    );
  }

  async expireDead(collection: WorkCollection<unknown>): Promise<number> {
    const known = this.#workOf(collection);
    const owners = (await this.#engine.deadOwners?.(known)) ?? [];
    if (owners.length > 0) await this.#engine.expire?.(known, owners);
    return owners.length;
  }

  async prune(before: Revision): Promise<Revision> {
    this.#checkOpen();
    return this.#engine.prune(revisionFrom(before));
  }

  async verify(): Promise<VerifyReport> {
    this.#checkOpen();
    return this.#engine.verify();
  }

  async size(): Promise<number | undefined> {
    this.#checkOpen();
    return this.#engine.size?.();
  }

  async shrink(): Promise<number> {
    this.#checkOpen();
    return (await this.#engine.shrink?.()) ?? 0;
  }

  /** For what reads or fills a store as a whole. */
  engine(): Engine {
    this.#checkOpen();
    return this.#engine;
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#feed.close();
      await this.#group.drained();
      await this.#engine.close();
    })();
    return this.#closing;
  }

  #synchronousReads(): SynchronousReads {
    const engine = this.#engine;
    // The feature `synchronousReads` promises that these reads return no promises.
    const reads: Pick<EngineReads, 'read' | 'scan'> = engine;
    return {
      revision: () => {
        this.#checkOpen();
        return engine.revision() as Revision;
      },
      ...this.#readsOver(reads as Pick<BlockingEngineReads, 'read' | 'scan'>),
      changes: (collections, options) => this.#changes(collections, options),
    };
  }

  #readsOver(engine: Pick<BlockingEngineReads, 'read' | 'scan'>): BlockingReads {
    return {
      read: <C extends Collection>(collection: C, keys: readonly Key[], options: ReadOptions = {}) => {
        const known = this.#knownOf(collection);
        const entries = engine.read(known, keys.map(encodeKey), atOf(known, options));
        return entries.map((entry) => entry && entryOf<C>(known, entry));
      },
      scan: <C extends Collection>(collection: C, range: Range, options: ScanOptions = {}) => {
        const known = this.#knownOf(collection);
        return pageOf<C>(known, engine.scan(known, { ...scanOf(range, options), at: atOf(known, options) }));
      },
    };
  }

  #messagesOver(engine: VolatileMessages): VolatileMessages {
    return {
      publish: (channel, message) => {
        // Publishing to a closed store is not an error: messages may always be lost.
        if (this.#closing !== undefined || message.length > maxMessageLength) return;
        engine.publish(channel, message);
      },
      listen: (channel, hear) => {
        this.#checkOpen();
        return engine.listen(channel, hear);
      },
    };
  }

  #changes(collections: readonly Collection[], { since, until, limit }: ChangesOptions): Changes {
    const names = new Map(collections.map((collection) => [this.#knownOf(collection).id, collection.name]));
    const last = until ?? (this.#engine.revision() as Revision);
    const count = Math.min(positive('limit', limit), revisionFrom(last) - revisionFrom(since));
    const rows = count < 0 ? [] : (this.#engine.readLog(since, count, last) as readonly LogRow[]);
    if (rows.length !== count)
      throw new StoreArgumentError(`Revisions ${since} to ${last} are not in the change log.`, { since, until: last });
    const sets = rows.flatMap(({ revision, changes }): ChangeSet[] => {
      const wanted = changes.flatMap(({ kind, collection, key }): Change[] => {
        const name = names.get(collection);
        return name === undefined ? [] : [{ kind, collection: name, key: decodeKey(key) }];
      });
      return wanted.length === 0 ? [] : [{ revision, changes: wanted }];
    });
    return { sets, revision: rows.at(-1)?.revision ?? since };
  }

  #knownOf(collection: Collection): KnownCollection {
    this.#checkOpen();
    const known = this.#known.get(collection.name);
    if (known === undefined || !sameShape(known.definition, collection)) {
      throw new StoreArgumentError(
        `The collection '${collection.name}' is not declared, or declared with another shape. Call store.declare() with it first.`,
        { collection: collection.name },
      );
    }
    return known;
  }

  async #nameOf(id: number): Promise<string> {
    if (!this.#names.has(id)) {
      for (const known of await this.#engine.collections()) this.#names.set(known.id, known.definition.name);
    }
    return this.#names.get(id) ?? `collection ${id}`;
  }

  #workOf(collection: Collection): KnownCollection {
    const known = this.#knownOf(collection);
    if (known.definition.leased) return known;
    throw new StoreArgumentError(
      `The collection '${collection.name}' is ${shape(known.definition)}; only a work collection can be claimed from.`,
      { collection: collection.name },
    );
  }

  #storedLeases(leases: readonly Lease[]): StoredLease[] {
    this.#checkOpen();
    return leases.map((lease) => this.#storedLease(lease));
  }

  #storedLease(lease: Lease): StoredLease {
    const known = this.#knownOf({ name: lease.collection, holds: 'records', keeps: 'latest', leased: true });
    return { ...lease, token: tokenFrom(lease), collection: known.id, key: encodeKey(lease.key) };
  }

  #leaseFrom(lease: StoredLease): Lease {
    return { ...lease, collection: this.#names.get(lease.collection) ?? '', key: decodeKey(lease.key) };
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new StoreClosedError('The store is closed.');
  }
}

function entryOf<C extends Collection>(known: KnownCollection, entry: StoredEntry): Entry<ValueOf<C>> {
  const key = decodeKey(entry.key);
  return { key, value: decodeValue(known.definition, key, entry.value) as ValueOf<C>, revision: entry.revision };
}

function pageOf<C extends Collection>(known: KnownCollection, page: EnginePage): Page<ValueOf<C>> {
  const last = page.entries.at(-1);
  return {
    entries: page.entries.map((entry) => entryOf<C>(known, entry)),
    cursor: page.more && last !== undefined ? cursorAfter(last.key) : undefined,
    revision: page.revision,
  };
}

function atOf(known: KnownCollection, { at }: ReadOptions): Revision | undefined {
  if (at !== undefined && known.definition.keeps !== 'versions') {
    throw new StoreArgumentError(
      `The collection '${known.definition.name}' keeps only the latest values, so it cannot be read at revision ${at}. Declare it with keeps: 'versions'.`,
      { collection: known.definition.name },
    );
  }
  return at === undefined ? undefined : revisionFrom(at);
}

function revisionFrom(given: unknown): Revision {
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0)
    throw new StoreArgumentError(`A revision must be a whole number from 0, not ${String(given)}.`, {
      revision: given,
    });
  return given;
}

function positive(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 1)
    throw new StoreArgumentError(`${name} must be a whole number from 1, not ${value}.`, { name, value });
  return value;
}

function shape({ holds, keeps, leased }: Collection): string {
  return `${leased ? 'a work collection of' : 'a collection of'} ${holds} that keeps ${keeps === 'latest' ? 'the latest values' : 'versions'}`;
}
