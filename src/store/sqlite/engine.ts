// The SQLite engine: one file, read on the caller's thread and written on another. Several processes may use it at once.
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Collection } from '../collection.ts';
import type {
  Engine,
  EngineClaim,
  EngineClaimed,
  EnginePage,
  EngineScan,
  EngineSession,
  EngineSessionOptions,
  KnownCollection,
} from '../engine/engine.ts';
import type { Loading, Snapshot, SnapshotOptions } from '../engine/snapshot.ts';
import type { StoredEntry, StoredHolder, StoredLease } from '../engine/stored.ts';
import { fromErrorMessage, StoreFeatureError } from '../errors.ts';
import type { EncodedKey } from '../key.ts';
import type { LogRow } from '../engine/log.ts';
import type { Outcome, PlainTransaction } from '../engine/plan.ts';
import { ProgressBeat } from '../engine/progress.ts';
import type { Bounds } from '../range.ts';
import { newSessionId, ownerOf, sessionIdOf } from '../engine/session-id.ts';
import type { Revision, StoreFeatures, VerifyReport } from '../store.ts';
import { ChangeWatch } from './change-watch.ts';
import { isReadable, type DatabaseSettings } from './database.ts';
import { SqliteLoading } from './moving/loading.ts';
import { SqliteSnapshot } from './moving/snapshot.ts';
import { Reader } from './reader.ts';
import { isSessionDead } from './sessions/session-lock.ts';
import type { VerifyAnswer } from './verify-thread.ts';
import { SqliteVolatile } from './volatile/volatile.ts';
import { CallerWriter } from './writing/caller-writer.ts';
import { WriterClient } from './writing/writer-client.ts';

export class SqliteEngine implements Engine {
  readonly features: StoreFeatures = {
    engine: 'sqlite',
    durable: true,
    shared: true,
    remote: false,
    synchronousReads: true,
    volatileMessages: true,
  };
  readonly volatile: SqliteVolatile;
  readonly #settings: DatabaseSettings;
  readonly #reader: Reader;
  readonly #callerWriter: CallerWriter;
  readonly #watch: ChangeWatch;
  readonly #clock: Clock | undefined;
  readonly #writerStart: NodeJS.Immediate;
  #startedWriter: WriterClient | undefined;

  static async open(settings: DatabaseSettings, clock: Clock | undefined): Promise<SqliteEngine> {
    // A thread takes a while to start; an existing store can be read without it.
    if (isReadable(settings)) return new SqliteEngine(settings, clock, undefined);
    const writer = new WriterClient(settings);
    try {
      await writer.opened;
      return new SqliteEngine(settings, clock, writer);
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  private constructor(settings: DatabaseSettings, clock: Clock | undefined, writer: WriterClient | undefined) {
    this.#settings = settings;
    this.#startedWriter = writer;
    this.#reader = new Reader(settings);
    this.#callerWriter = new CallerWriter(settings, () => void this.#writer.call('checkpoint').catch(() => undefined));
    this.#watch = new ChangeWatch(settings.file);
    this.volatile = new SqliteVolatile(settings.file);
    this.#clock = clock;
    this.#writerStart = setImmediate(() => void this.#writer).unref();
  }

  async declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    const names = new Set(collections.map(({ name }) => name));
    const found = this.#reader.collections().filter(({ definition }) => names.has(definition.name));
    return found.length === names.size ? found : this.#writer.call('declare', collections);
  }

  collections(): Promise<readonly KnownCollection[]> {
    return Promise.resolve(this.#reader.collections());
  }

  revision(): Revision {
    return this.#reader.revision();
  }

  read(
    collection: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): readonly (StoredEntry | undefined)[] {
    return this.#reader.read(collection, keys, at);
  }

  scan(collection: KnownCollection, scan: EngineScan): EnginePage {
    return this.#reader.scan(collection, scan);
  }

  async commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const writer = this.#writer;
    const outcomes =
      (writer.isIdle ? this.#callerWriter.commit(transactions) : undefined) ??
      (await writer.call('commit', transactions));
    this.#watch.announce();
    return outcomes;
  }

  readLog(after: Revision, limit: number, until?: Revision): readonly LogRow[] {
    return this.#reader.readLog(after, limit, until);
  }

  onWake(wake: () => void): () => void {
    return this.#watch.add(wake);
  }

  claim(collection: KnownCollection, claim: EngineClaim): Promise<readonly EngineClaimed[]> {
    return this.#writer.call('claim', collection, claim, this.#now());
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    return this.#writer.call('renew', leases, leaseMilliseconds, this.#now());
  }

  async release(leases: readonly StoredLease[]): Promise<void> {
    await this.#writer.call('release', leases);
    this.#watch.announce();
  }

  holders(collection: KnownCollection, bounds: Bounds): readonly StoredHolder[] {
    const now = (this.#clock ?? systemClock).now();
    return this.#reader.holders(collection, bounds).map((lease) => ({ ...lease, isExpired: lease.expiresAt <= now }));
  }

  /** Only with the system clock, because the thread cannot use a custom one. */
  async openSession(options: EngineSessionOptions): Promise<EngineSession | undefined> {
    if (this.#clock !== undefined) return undefined;
    const { name, leaseMilliseconds, patienceMilliseconds, lost } = options;
    const id = newSessionId();
    const beat = new ProgressBeat(leaseMilliseconds);
    const writer = this.#writer;
    try {
      await writer.openSession({ id, leaseMilliseconds, patienceMilliseconds, progress: beat.shared }, lost);
    } catch (error) {
      beat.stop();
      throw error;
    }
    return {
      owner: ownerOf(name, id),
      keep: (lease) => writer.sendToSession({ session: 'keep', of: id, lease }),
      drop: ({ token }) => writer.sendToSession({ session: 'drop', of: id, token }),
      allow: (milliseconds) => beat.allow(milliseconds),
      close: () => {
        beat.stop();
        writer.sendToSession({ session: 'close', of: id });
        return Promise.resolve();
      },
    };
  }

  deadOwners(collection: KnownCollection): readonly string[] {
    return this.#reader.owners(collection).filter((owner) => {
      const id = sessionIdOf(owner);
      return id !== undefined && isSessionDead(this.#settings.file, id);
    });
  }

  async expire(collection: KnownCollection, owners: readonly string[]): Promise<void> {
    await this.#writer.call('expire', collection, owners);
    this.#watch.announce();
  }

  async prune(before: Revision): Promise<Revision> {
    const horizon = await this.#writer.call('moveHorizon', before);
    while (!(await this.#writer.call('pruneSome')));
    return horizon;
  }

  async shrink(): Promise<number> {
    let freed = 0;
    for (;;) {
      const some = await this.#writer.call('shrinkSome');
      if (some === undefined)
        throw new StoreFeatureError(
          `${this.#settings.file} was made by an earlier version, and cannot become smaller in place. Copy it to a new folder with statek copy.`,
          { file: this.#settings.file },
        );
      if (some === 0) break;
      freed += some;
    }
    // The file itself is cut off when the write-ahead log is copied into it.
    await this.#writer.call('checkpoint');
    return freed;
  }

  verify(): Promise<VerifyReport> {
    const thread = new Worker(new URL('./verify-thread.ts', import.meta.url), { workerData: this.#settings });
    return new Promise((resolve, reject) => {
      thread.once('message', (answer: VerifyAnswer) => {
        if ('error' in answer) reject(fromErrorMessage(answer.error));
        else resolve(answer.report);
      });
      thread.once('error', reject);
    });
  }

  snapshot(options: SnapshotOptions): Promise<Snapshot> {
    return SqliteSnapshot.open(this.#settings, options);
  }

  load(): Promise<Loading> {
    return SqliteLoading.open(this.#settings, () => this.#watch.announce());
  }

  /** The file, and the write-ahead log beside it. */
  size(): number {
    const { file } = this.#settings;
    return [file, `${file}-wal`].reduce((sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  async close(): Promise<void> {
    clearImmediate(this.#writerStart);
    this.#watch.close();
    this.volatile.close();
    this.#reader.close();
    this.#callerWriter.close();
    await this.#startedWriter?.close();
  }

  /** Started on first use, or soon after the store was opened. */
  get #writer(): WriterClient {
    return (this.#startedWriter ??= new WriterClient(this.#settings));
  }

  // With the system clock, the writer reads the time when it executes the request, not when it is sent.
  #now(): number | undefined {
    return this.#clock?.now();
  }
}
