// The PostgreSQL engine, for many workers on many machines. It only wires its parts together; each has its own file.
import type { Collection } from '../collection.ts';
import type {
  BlockingEngineReads,
  Engine,
  EngineClaim,
  EngineClaimed,
  EnginePage,
  EngineScan,
  EngineSession,
  EngineSessionOptions,
  KnownCollection,
} from '../engine/engine.ts';
import { checkLogStart, checkRevision } from '../engine/horizon.ts';
import { keyBytes, keyFromBytes, type EncodedKey } from '../key.ts';
import type { LogRow } from '../engine/log.ts';
import type { Outcome, PlainTransaction } from '../engine/plan.ts';
import type { Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport } from '../store.ts';
import type { Loading, Snapshot, SnapshotOptions } from '../engine/snapshot.ts';
import type { StoredEntry, StoredHolder, StoredLease } from '../engine/stored.ts';
import { RowDecoder } from '../engine/unless-damaged.ts';
import { keysArray } from './reading/binary.ts';
import { Committer } from './writing/committer.ts';
import { Connections, type Row } from './connections.ts';
import { Leases } from './sessions/leases.ts';
import { Listener } from './listener.ts';
import type { Settings } from './options.ts';
import { PostgresLoading } from './moving/loading.ts';
import { PostgresSnapshot } from './moving/snapshot.ts';
import { prepareStore, type Levels } from './writing/prepare.ts';
import { prune } from './writing/prune.ts';
import { entryFrom, logFrom } from './reading/row.ts';
import { openSession } from './sessions/session.ts';
import { Seen } from './seen.ts';
import { storeStatements, type Statement, type StoreStatements } from './statements.ts';
import { Tables, type Table } from './tables.ts';
import { verify } from './reading/verify.ts';
import { PostgresVolatile } from './volatile/volatile.ts';

// This close to the head, reading all entries replaced since is cheaper than walking the versions of each key.
const recentRevisions = 200;

export class PostgresEngine implements Engine {
  readonly features: StoreFeatures = {
    engine: 'postgres',
    durable: true,
    shared: true,
    remote: true,
    synchronousReads: false,
    volatileMessages: true,
  };
  readonly volatile: PostgresVolatile;
  readonly blocking: BlockingEngineReads | undefined;
  readonly #connections: Connections;
  readonly #statements: StoreStatements;
  readonly #tables: Tables;
  readonly #committer: Committer;
  readonly #leases: Leases;
  readonly #listener: Listener;
  readonly #schema: string;
  readonly #settings: Settings;
  readonly #seen: Seen;

  static async open(settings: Settings, blocking?: BlockingEngineReads): Promise<PostgresEngine> {
    const connections = new Connections(settings);
    try {
      const levels = await prepareStore(connections, settings);
      const statements = storeStatements(settings.schema);
      const [row] = await connections.useWithRetry((session) => session.run(statements.revision));
      return new PostgresEngine(connections, settings, levels, statements, new Seen(row?.[0] as number), blocking);
    } catch (error) {
      await connections.close();
      throw error;
    }
  }

  private constructor(
    connections: Connections,
    settings: Settings,
    levels: Levels,
    statements: StoreStatements,
    seen: Seen,
    blocking: BlockingEngineReads | undefined,
  ) {
    this.blocking = blocking;
    this.#connections = connections;
    this.#schema = settings.schema;
    this.#settings = settings;
    this.#statements = statements;
    this.#seen = seen;
    this.#tables = new Tables(connections, this.#statements, settings.schema);
    this.#committer = new Committer(connections, this.#statements, this.#tables, settings, levels.commit, seen);
    this.#leases = new Leases(connections, this.#tables, settings.clockOffset, levels.claim);
    this.#listener = new Listener(settings, (processId) => connections.has(processId));
    this.volatile = new PostgresVolatile(this.#listener, this.#statements.publish, settings.schema);
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#tables.declare(collections);
  }

  collections(): Promise<readonly KnownCollection[]> {
    return this.#tables.list();
  }

  async revision(): Promise<Revision> {
    const [row] = await this.#run(this.#statements.revision, []);
    const revision = row?.[0] as number;
    this.#seen.note(revision);
    return revision;
  }

  async read(
    { id, definition }: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const { statements } = this.#tables.get(id);
    const wanted = keysArray(keys);
    const rows =
      at === undefined ? await this.#run(statements.read, [wanted]) : await this.#run(statements.readAt, [wanted, at]);
    this.#checkRevision(at, rows);
    const entries: (StoredEntry | undefined)[] = keys.map(() => undefined);
    for (const [, , n, ...row] of rows) {
      const index = (n as number | null) === null ? -1 : (n as number) - 1;
      if (index >= 0) entries[index] = entryFrom(definition.name, keys[index] as EncodedKey, row);
    }
    return entries;
  }

  async scan({ id, definition }: KnownCollection, scan: EngineScan): Promise<EnginePage> {
    const { bounds, reverse, limit, maxBytes, at } = scan;
    const values = [keyBytes(bounds.lower), keyBytes(bounds.upper), limit + 1, maxBytes];
    const rows = await this.#run(
      scanStatement(this.#tables.get(id), reverse, at === undefined ? undefined : this.#seen.revision - at),
      at === undefined ? values : [...values, at],
    );
    this.#checkRevision(at, rows);
    // An empty page is one row with only the revision.
    const found = rows
      .filter((row) => row[2] !== null)
      .map(([, , key, revision, checksum, stored, followed]) => ({
        entry: entryFrom(definition.name, keyFromBytes(key as Buffer), [revision, checksum, stored]),
        followed: followed === true,
      }))
      .slice(0, limit);
    return {
      entries: found.map(({ entry }) => entry),
      more: found.at(-1)?.followed ?? false,
      revision: at ?? (rows[0]?.[0] as number),
    };
  }

  async commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const { outcomes, log } = await this.#committer.commit(transactions);
    this.#listener.wake(log);
    return outcomes;
  }

  async readLog(after: Revision, limit: number): Promise<readonly LogRow[]> {
    const rows = await this.#run(this.#statements.readLog, [after, limit]);
    const [head, horizon] = rows[0] as readonly [number, number];
    this.#seen.note(head);
    checkLogStart(after, horizon);
    return rows.filter((row) => row[2] !== null).map(([, , ...row]) => logFrom(row));
  }

  onWake(wake: (rows?: readonly LogRow[]) => void): () => void {
    return this.#listener.add(wake);
  }

  async claim(collection: KnownCollection, claim: EngineClaim): Promise<readonly EngineClaimed[]> {
    const claims = await this.#leases.claim(collection, claim);
    for (const { entry } of claims) this.#seen.note(entry.revision);
    return claims;
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    return this.#leases.renew(leases, leaseMilliseconds);
  }

  holders(collection: KnownCollection, bounds: Bounds): Promise<readonly StoredHolder[]> {
    return this.#leases.holders(collection, bounds);
  }

  openSession(options: EngineSessionOptions): Promise<EngineSession | undefined> {
    return openSession(this.#settings, options, (id) => this.#tables.get(id).statements.renew.text);
  }

  deadOwners(collection: KnownCollection): Promise<readonly string[]> {
    return this.#leases.deadOwners(collection);
  }

  expire(collection: KnownCollection, owners: readonly string[]): Promise<void> {
    return this.#leases.expire(collection, owners);
  }

  async release(leases: readonly StoredLease[]): Promise<void> {
    if (leases.length === 0) return;
    const { log } = await this.#committer.release(leases);
    this.#listener.wake(log);
  }

  prune(before: Revision): Promise<Revision> {
    return prune(before, this.#connections, this.#statements, this.#tables, this.#schema);
  }

  verify(): Promise<VerifyReport> {
    return verify(this.#connections, this.#statements, this.#tables);
  }

  snapshot({ skipDamaged }: SnapshotOptions): Promise<Snapshot> {
    const decoder = new RowDecoder(skipDamaged);
    return PostgresSnapshot.open(this.#connections, this.#statements, this.#schema, decoder);
  }

  load(): Promise<Loading> {
    return PostgresLoading.open(this.#connections, this.#statements, this.#schema, async (revision) => {
      this.#seen.note(revision);
      await this.#tables.list();
      this.#listener.wake();
    });
  }

  /** The tables with their indexes. */
  async size(): Promise<number> {
    const [row] = await this.#run(this.#statements.size, [this.#schema]);
    return row?.[0] as number;
  }

  async close(): Promise<void> {
    await this.volatile.close();
    await Promise.all([this.#listener.close(), this.#connections.close(), this.blocking?.close()]);
  }

  #run(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#connections.useWithRetry((session) => session.run(statement, values));
  }

  #checkRevision(at: Revision | undefined, rows: readonly Row[]): void {
    const [head, horizon] = rows[0] as readonly [number, number];
    this.#seen.note(head);
    if (at !== undefined) checkRevision(at, head, horizon);
  }
}

function scanStatement({ statements }: Table, reverse: boolean, distance: number | undefined): Statement {
  if (distance === undefined) return reverse ? statements.scanReverse : statements.scan;
  if (distance <= recentRevisions) return reverse ? statements.scanRecentReverse : statements.scanRecent;
  return reverse ? statements.scanPastReverse : statements.scanPast;
}
