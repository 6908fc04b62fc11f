// How the conformance suite opens stores of each engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../src/base/clock.ts';
import type { StoreHarness } from '../../../src/store/conformance/harness.ts';
import type { FileOptions } from '../../../src/store/file/options.ts';
import { EncryptedStore } from '../../../src/store/around/encrypted-store.ts';
import { CachedStore } from '../../../src/store/around/cached-store.ts';
import { LimitedStore } from '../../../src/store/around/limited-store.ts';
import { StoreAround } from '../../../src/store/around/store-around.ts';
import { EngineStore } from '../../../src/store/engine/engine-store.ts';
import { KeyValueJournal } from '../../../src/store/key-value/journal.ts';
import { keyValueEngine } from '../../../src/store/key-value/open.ts';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import type { CommitResult, Transaction } from '../../../src/store/store.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { redisForTests } from '../../support/redis.ts';
import { memoryKeyValues } from './key-values.ts';
import { keepCompiledModules } from './compiled.ts';

keepCompiledModules();

// Far from 0, so that an engine which forgets to use the clock it was given is noticed.
const start = Date.UTC(2100, 0, 1);

let places = 0;

export const memoryHarness: StoreHarness = {
  async createPlace() {
    const clock = new ManualClock(start);
    const location = `memory:conformance ${++places}`;
    return {
      clockStandsStill: true,
      open: () => openStore(location, { clock }),
      advance: (milliseconds) => clock.advance(milliseconds),
      dispose: () => undefined,
    };
  },
};

export const sqliteHarness: StoreHarness = {
  async createPlace() {
    const clock = new ManualClock(start);
    const folder = await mkdtemp(join(tmpdir(), 'statek-conformance-'));
    return {
      clockStandsStill: true,
      open: () => openStore(folder, { clock, sqlite: { durability: 'relaxed' } }),
      advance: (milliseconds) => clock.advance(milliseconds),
      dispose: () => rm(folder, { recursive: true }),
    };
  },
};

export function fileHarness(options: FileOptions = {}): StoreHarness {
  return {
    async createPlace() {
      const clock = new ManualClock(start);
      const folder = await mkdtemp(join(tmpdir(), 'statek-conformance-'));
      return {
        clockStandsStill: true,
        open: () => openStore(`file:${folder}`, { clock, file: { durability: 'relaxed', ...options } }),
        advance: (milliseconds) => clock.advance(milliseconds),
        dispose: () => rm(folder, { recursive: true }),
      };
    },
  };
}

/** Undefined, after one loud line, where there is no PostgreSQL. */
export async function postgresHarness(): Promise<StoreHarness | undefined> {
  const server = await postgresForTests();
  if (server === undefined) return undefined;
  return {
    async createPlace() {
      const { schema, drop } = await server.freshSchema();
      let offset = 0;
      return {
        clockStandsStill: false,
        open: () =>
          openPostgres(server.url, {
            schema,
            poolSize: 4,
            durability: 'relaxed',
            allowUnsafeServer: true,
            clockOffsetMilliseconds: () => offset,
          }),
        advance: (milliseconds) => void (offset += milliseconds),
        dispose: drop,
      };
    },
  };
}

/** Undefined, after one loud line, where there is no Redis. */
export async function redisHarness(): Promise<StoreHarness | undefined> {
  const server = await redisForTests();
  if (server === undefined) return undefined;
  return {
    async createPlace() {
      const { keyPrefix, drop } = server.freshPrefix();
      let offset = 0;
      return {
        clockStandsStill: false,
        open: () =>
          openRedis(server.url, {
            keyPrefix,
            poolSize: 4,
            durability: 'relaxed',
            clockOffsetMilliseconds: () => offset,
          }),
        advance: (milliseconds) => void (offset += milliseconds),
        dispose: drop,
      };
    },
  };
}
/** A cache that is too small for everything, around a store that others write to as well. */
export const cacheHarness: StoreHarness = {
  async createPlace() {
    const place = await memoryHarness.createPlace();
    let isCached = false;
    return {
      ...place,
      open: async () => {
        isCached = !isCached;
        const inner = await place.open();
        return isCached ? new CachedStore(inner, true, 5000) : inner;
      },
    };
  },
};

/** Every store has its own journal on the same values, as several processes have. */
export const keyValueHarness: StoreHarness = {
  async createPlace() {
    const clock = new ManualClock(start);
    const kv = memoryKeyValues();
    return {
      clockStandsStill: true,
      open: async () => {
        const journal = new KeyValueJournal(kv, 3000);
        return new EngineStore(keyValueEngine(journal, { clock, shared: true }));
      },
      advance: (milliseconds) => clock.advance(milliseconds),
      dispose: () => undefined,
    };
  },
};

const dataKey = Buffer.alloc(32, 1);

/** Every value is encrypted. */
export const encryptedHarness: StoreHarness = {
  async createPlace() {
    const place = await sqliteHarness.createPlace();
    return {
      ...place,
      open: async () => {
        // Without the row of the data key, so that revisions count from 1.
        return new EncryptedStore(await place.open(), true, dataKey);
      },
    };
  },
};

/** A store with a limit that is reached again and again, and that has room after what need not be kept was removed. */
export const limitedHarness: StoreHarness = {
  async createPlace() {
    const place = await memoryHarness.createPlace();
    return {
      ...place,
      open: async () => {
        let isFull = true;
        class Filling extends StoreAround {
          override async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
            const results = await super.commit(transactions);
            if (results.some(({ status }) => status === 'committed')) setImmediate(() => (isFull = true));
            return results;
          }
        }
        return new LimitedStore(new Filling(await place.open(), true), {
          sizeLimit: 1,
          name: 'A limited store',
          usedBytes: () => (isFull ? 1 : 0),
          relieve: async () => {
            isFull = false;
          },
          close: () => undefined,
        });
      },
    };
  },
};
