// Each test of the Redis engine gets a key prefix of its own, and stores that are closed and deleted behind it.
import { afterEach, beforeEach, describe } from 'vitest';
import { openRedis } from '../../../../src/store/redis/open.ts';
import type { RedisOptions } from '../../../../src/store/redis/options.ts';
import type { Store } from '../../../../src/store/store.ts';
import { redisForTests, testRedis, type TestPrefix, type TestRedis } from '../../../support/redis.ts';

export interface Trial {
  readonly url: string;
  /** The key prefix of the test that is running. */
  readonly keyPrefix: string;
  open(options?: RedisOptions, url?: string): Promise<Store>;
  /** A command as a person would type it; `$` stands for the test's prefix in braces. */
  command<Result = unknown>(...words: readonly string[]): Promise<Result>;
  /** Deletes what the test wrote into another database. */
  dropFrom(url: string): void;
}

/** Describes what happens on the tests' common server, or skips it where there is none. It may be without persistence. */
export async function describeRedis(name: string, body: (trial: Trial) => void): Promise<void> {
  const redis = await redisForTests();
  // oxlint-disable-next-line vitest/valid-title -- the callers give the title
  describe.skipIf(redis === undefined)(name, () => {
    body(trialOn(() => redis as TestRedis, { durability: 'relaxed' }));
  });
}

/** The same on a server that a test started itself. */
export function trialOn(server: () => TestRedis, defaults: RedisOptions = {}): Trial {
  let place: TestPrefix;
  let stores: Store[] = [];
  const drops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    place = server().freshPrefix();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
    await place.drop();
    for (const drop of drops.splice(0)) await drop();
  });
  return {
    get url() {
      return server().url;
    },
    get keyPrefix() {
      return place.keyPrefix;
    },
    open: async (options = {}, url = server().url) => {
      const store = await openRedis(url, { keyPrefix: place.keyPrefix, ...defaults, ...options });
      stores.push(store);
      return store;
    },
    dropFrom: (url) => void drops.push(() => testRedis(url).dropPrefix(place.keyPrefix)),
    command: (...words) => server().command(...words.map((word) => word.replace('$', `{${place.keyPrefix}}`))),
  };
}
