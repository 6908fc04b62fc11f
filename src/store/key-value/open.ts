// A whole store on top of a KVStore: its contents are in memory, its journal is in the KVStore.
import { systemClock, type Clock } from '../../base/clock.ts';
import { refuseUnknownOptions } from '../../base/options.ts';
import type { StoreSource } from '../around/store-source.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Engine } from '../engine/engine.ts';
import { MemoryEngine } from '../memory/engine.ts';
import { KeyValueJournal } from './journal.ts';
import { checkKeyValueStore, reachable } from './calling.ts';
import type { KVStore } from './key-value-store.ts';

/** What a KVStore promises. */
export interface KVStoreOptions {
  /** What it holds survives the process; default: true. */
  readonly durable?: boolean | undefined;
  /** Other processes use it at the same time; default: false. */
  readonly shared?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A store on top of a few functions of the application. Its contents are read into memory when it is opened, and what other processes
 * change is read before each answer, so it is for state that fits into memory.
 *
 * @example
 * import { storeOf, Versioned, type KVStore } from 'statek';
 *
 * const values = new Map<string, Uint8Array>();
 * const kv: KVStore = {
 *   get: async (key) => values.get(key),
 *   set: async (key, value) => void values.set(key, value),
 *   delete: async (key) => void values.delete(key),
 *   has: async (key) => values.has(key),
 *   getMany: async (keys) => keys.map((key) => values.get(key)),
 *   setMany: async (entries) => entries.forEach(([key, value]) => values.set(key, value)),
 *   deleteMany: async (keys) => keys.forEach((key) => values.delete(key)),
 *   compareAndSet: async (key, expected, value) => {
 *     const current = values.get(key);
 *     const isSame = expected === undefined ? current === undefined : current !== undefined && Buffer.compare(expected, current) === 0;
 *     if (isSame) values.set(key, value);
 *     return isSame;
 *   },
 *   keys: async function* (prefix) {
 *     yield* [...values.keys()].filter((key) => key.startsWith(prefix));
 *   },
 * };
 * const state = Versioned(storeOf(kv));
 * await state.close();
 */
export function storeOf(kv: KVStore, options: KVStoreOptions = {}): StoreSource {
  refuseUnknownOptions('storeOf', options, { durable: true, shared: true, clock: true });
  checkKeyValueStore(kv);
  return {
    open: async () => {
      const journal = new KeyValueJournal(reachable(kv));
      const engine = keyValueEngine(journal, options);
      await engine.revision();
      return new EngineStore(engine);
    },
  };
}

/** Reads wait until what other processes have changed was applied. */
export function keyValueEngine(journal: KeyValueJournal, options: KVStoreOptions): Engine {
  const { durable = true, shared = false, clock = systemClock } = options;
  const memory = new MemoryEngine({
    features: {
      engine: 'key-value',
      durable,
      shared,
      remote: shared,
      synchronousReads: false,
      volatileMessages: false,
    },
    contents: () => journal.contents,
    changer: journal,
    clock,
    verify: () => journal.verify(),
    close: () => journal.close(),
  });
  const current = async <Result>(read: () => Result | Promise<Result>): Promise<Result> => {
    await journal.catchUp();
    return read();
  };
  return {
    features: memory.features,
    declare: (collections) => memory.declare(collections),
    collections: () => current(() => memory.collections()),
    revision: () => current(() => memory.revision()),
    read: (collection, keys, at) => current(() => memory.read(collection, keys, at)),
    scan: (collection, scan) => current(() => memory.scan(collection, scan)),
    commit: (transactions) => memory.commit(transactions),
    readLog: (after, limit, until) => current(() => memory.readLog(after, limit, until)),
    onWake: (wake) => memory.onWake(wake),
    claim: (collection, claim) => memory.claim(collection, claim),
    renew: (leases, leaseMilliseconds) => memory.renew(leases, leaseMilliseconds),
    release: (leases) => memory.release(leases),
    holders: (collection, bounds) => current(() => memory.holders(collection, bounds)),
    prune: (before) => memory.prune(before),
    verify: () => memory.verify(),
    snapshot: () => current(() => memory.snapshot()),
    load: () => memory.load(),
    close: () => memory.close(),
  };
}
