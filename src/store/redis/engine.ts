// The Redis engine, for teams that already run Redis or Valkey. It only wires its parts together; each has its own file.
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
import type { LogRow } from '../engine/log.ts';
import type { Outcome, PlainTransaction } from '../engine/plan.ts';
import type { Loading, Snapshot, SnapshotOptions } from '../engine/snapshot.ts';
import type { StoredEntry, StoredHolder, StoredLease } from '../engine/stored.ts';
import { RowDecoder } from '../engine/unless-damaged.ts';
import { keyFromBytes, type EncodedKey } from '../key.ts';
import { after, type Bounds } from '../range.ts';
import type { Revision, StoreFeatures, VerifyReport } from '../store.ts';
import { loadClientLibrary, type ClientLibrary } from './client.ts';
import { Collections } from './collections.ts';
import { Connections, type Argument, type ScriptReply } from './connections.ts';
import type { SeenHistory } from './history.ts';
import { keyList, storeKeys, type StoreKeys } from './keys.ts';
import { Listener } from './listener.ts';
import { RedisLoading } from './moving/loading.ts';
import { RedisSnapshot } from './moving/snapshot.ts';
import type { Settings } from './options.ts';
import { memoryOf } from './reading/memory-of.ts';
import { decodeEntry, decodeRow, keyArgument } from './reading/entry.ts';
import { Verification } from './reading/verify.ts';
import { logScript, readScript, scanScript, stateScript, type Script } from './scripts.ts';
import { Leases } from './sessions/leases.ts';
import { openSession } from './sessions/session.ts';
import { RedisVolatile } from './volatile.ts';
import { Committer } from './writing/committer.ts';
import { prepareStore } from './writing/prepare.ts';
import { prune } from './writing/prune.ts';

// Bounds how long one script of a scan at an older revision keeps the server from everything else.
const maxScanSteps = 5000;

export class RedisEngine implements Engine {
  readonly features: StoreFeatures = {
    engine: 'redis',
    durable: true,
    shared: true,
    remote: true,
    synchronousReads: false,
    volatileMessages: true,
  };
  readonly volatile: RedisVolatile;
  readonly blocking: BlockingEngineReads | undefined;
  readonly #settings: Settings;
  readonly #connections: Connections;
  readonly #keys: StoreKeys;
  readonly #history: SeenHistory;
  readonly #collections: Collections;
  readonly #committer: Committer;
  readonly #leases: Leases;
  readonly #listener: Listener;

  static async open(settings: Settings, blocking?: BlockingEngineReads): Promise<RedisEngine> {
    const library = await loadClientLibrary();
    const connections = new Connections(library, settings);
    const keys = storeKeys(settings.keyPrefix);
    try {
      const history = await prepareStore(connections, keys, settings);
      return new RedisEngine(library, settings, connections, history, blocking);
    } catch (error) {
      await connections.close();
      throw error;
    }
  }

  private constructor(
    library: ClientLibrary,
    settings: Settings,
    connections: Connections,
    history: SeenHistory,
    blocking: BlockingEngineReads | undefined,
  ) {
    const keys = storeKeys(settings.keyPrefix);
    this.blocking = blocking;
    this.#settings = settings;
    this.#connections = connections;
    this.#keys = keys;
    this.#history = history;
    this.#collections = new Collections(connections, history, keys, settings.keyPrefix);
    this.#committer = new Committer(connections, history, keys, this.#collections, settings);
    this.#leases = new Leases(connections, history, keys, this.#collections, settings);
    this.#listener = new Listener(library, settings);
    this.volatile = new RedisVolatile(connections, this.#listener, settings);
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#collections.declare(collections);
  }

  collections(): Promise<readonly KnownCollection[]> {
    return this.#collections.list();
  }

  async revision(): Promise<Revision> {
    return (await this.#run(stateScript, [], [])).head;
  }

  async read(
    { id, definition }: KnownCollection,
    keys: readonly EncodedKey[],
    at: Revision | undefined,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const { values, past, pastOrder } = this.#collections.get(id).keys;
    const words = [at === undefined ? '' : String(at), ...keys.map(keyArgument)];
    const { head, horizon, rest } = await this.#run(readScript, [values, past, pastOrder], words);
    if (at !== undefined) checkRevision(at, head, horizon);
    const found = rest as readonly (Buffer | null | undefined)[];
    return keys.map((key, index) => {
      const stored = found[index] ?? undefined;
      return stored && decodeEntry(definition, key, stored);
    });
  }

  async scan({ id, definition }: KnownCollection, scan: EngineScan): Promise<EnginePage> {
    const { values, order, past, pastOrder } = this.#collections.get(id).keys;
    const { reverse, at, limit, maxBytes } = scan;
    let { bounds } = scan;
    let bytes = 0;
    const entries: StoredEntry[] = [];
    for (;;) {
      const words = [
        at === undefined ? '' : String(at),
        keyArgument(bounds.lower),
        keyArgument(bounds.upper),
        reverse ? '1' : '0',
        String(limit - entries.length),
        String(maxBytes - bytes),
        String(maxScanSteps),
      ];
      const { head, horizon, rest } = await this.#run(scanScript, [values, order, past, pastOrder], words);
      if (at !== undefined) checkRevision(at, head, horizon);
      const [more, resume, ...pairs] = rest as readonly [number, Buffer | null, ...(Buffer | null)[]];
      for (let index = 0; index < pairs.length; index += 2) {
        const stored = pairs[index + 1] as Buffer | null;
        entries.push(decodeEntry(definition, keyFromBytes(pairs[index] as Buffer), stored));
        bytes += stored?.length ?? 0;
      }
      if (resume === null) return { entries, more: more === 1, revision: at ?? head };
      // The script stopped on its way; at a given revision the rest is the same whenever it is read.
      const last = keyFromBytes(resume);
      bounds = reverse ? { ...bounds, upper: last } : { ...bounds, lower: after(last) };
    }
  }

  async commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const outcomes = await this.#committer.commit(transactions);
    this.#listener.wake();
    return outcomes;
  }

  async readLog(since: Revision, limit: number): Promise<readonly LogRow[]> {
    const { horizon, rest } = await this.#run(logScript, [], [String(since), String(limit)]);
    checkLogStart(since, horizon);
    const texts = rest as readonly Buffer[];
    return texts.flatMap((id, index) => (index % 2 === 0 ? [decodeRow(id, texts[index + 1] ?? null)] : []));
  }

  onWake(wake: () => void): () => void {
    return this.#listener.add(wake);
  }

  claim(collection: KnownCollection, claim: EngineClaim): Promise<readonly EngineClaimed[]> {
    return this.#leases.claim(collection, claim);
  }

  renew(leases: readonly StoredLease[], leaseMilliseconds: number): Promise<readonly (number | undefined)[]> {
    return this.#leases.renew(leases, leaseMilliseconds);
  }

  holders(collection: KnownCollection, bounds: Bounds): Promise<readonly StoredHolder[]> {
    return this.#leases.holders(collection, bounds);
  }

  openSession(options: EngineSessionOptions): Promise<EngineSession | undefined> {
    return openSession(this.#settings, options, this.#history, this.#keys, this.#collections);
  }

  deadOwners(collection: KnownCollection): Promise<readonly string[]> {
    return this.#leases.deadOwners(collection);
  }

  expire(collection: KnownCollection, owners: readonly string[]): Promise<void> {
    return this.#leases.expire(collection, owners);
  }

  async release(leases: readonly StoredLease[]): Promise<void> {
    await this.#committer.release(leases);
    this.#listener.wake();
  }

  prune(before: Revision): Promise<Revision> {
    return prune(before, this.#connections, this.#history, this.#keys, this.#collections);
  }

  verify(): Promise<VerifyReport> {
    return new Verification(this.#connections, this.#history, this.#keys, this.#collections).run();
  }

  snapshot({ skipDamaged }: SnapshotOptions): Promise<Snapshot> {
    const decoder = new RowDecoder(skipDamaged);
    return RedisSnapshot.open(
      (script, keys, words) => this.#run(script, keys, words),
      this.#keys.meta,
      this.#collections,
      decoder,
    );
  }

  load(): Promise<Loading> {
    const parts = {
      connections: this.#connections,
      history: this.#history,
      keys: this.#keys,
      collections: this.#collections,
      settings: this.#settings,
    };
    return RedisLoading.open(parts, async (horizon) => {
      await this.prune(horizon);
      this.#listener.wake();
    });
  }

  /** As the server estimates it; undefined if it does not tell. */
  async size(): Promise<number | undefined> {
    const { meta, log, collections, fences } = this.#keys;
    const names = [meta, log, collections, fences];
    for (const { id } of await this.#collections.list()) names.push(...keyList(this.#collections.get(id).keys));
    return this.#connections.useWithRetry((session) => memoryOf(session, names));
  }

  async close(): Promise<void> {
    this.volatile.close();
    this.#listener.close();
    await Promise.all([this.#connections.close(), this.blocking?.close()]);
  }

  #run(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<ScriptReply> {
    const { meta, log } = this.#keys;
    return this.#connections.useWithRetry((session) => session.run(script, this.#history, [meta, log, ...keys], words));
  }
}
