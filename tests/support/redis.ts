// Redis for tests: the server named by STATEK_TEST_REDIS, else one on the default local port, else a private one started
// from the installed program; otherwise undefined, with a line that the tests are skipped.
import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { privateRedis, redisProgram } from './redis-server.ts';

export { freePort, privateRedis, redisProgram, type PrivateRedis } from './redis-server.ts';

export interface TestRedis {
  /** With the number of a database that tests may use. */
  readonly url: string;
  /** An unused key prefix; `drop` deletes its keys. */
  freshPrefix(): TestPrefix;
  /** Deletes all keys of a store. */
  dropPrefix(keyPrefix: string): Promise<void>;
  /** Runs one command outside any store. */
  command<Result = unknown>(...words: readonly string[]): Promise<Result>;
}

export interface TestPrefix {
  readonly keyPrefix: string;
  /** A location for `openStore`; the server may be without persistence. */
  readonly location: string;
  drop(): Promise<void>;
}

type TestClient = ReturnType<typeof createClient<{}, {}, {}, 2>>;

let found: Promise<TestRedis | undefined> | undefined;

/** Cached per process. */
export function redisForTests(): Promise<TestRedis | undefined> {
  found ??= find();
  return found;
}

/** For a known server. */
export function testRedis(url: string): TestRedis {
  const using = async <Result>(work: (client: TestClient) => Promise<Result>): Promise<Result> => {
    const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false, connectTimeout: 5000 } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  };
  const dropPrefix = (keyPrefix: string): Promise<void> =>
    using(async (client) => {
      for await (const keys of client.scanIterator({ MATCH: `{${keyPrefix}}:*`, COUNT: 1000 }))
        if (keys.length > 0) await client.unlink(keys);
    });
  return {
    url,
    command: <Result>(...words: readonly string[]) => using((client) => client.sendCommand<Result>(words)),
    freshPrefix: () => {
      const keyPrefix = `statek-test-${randomBytes(6).toString('hex')}`;
      const location = `${url}?keyPrefix=${keyPrefix}&durability=relaxed`;
      return { keyPrefix, location, drop: () => dropPrefix(keyPrefix) };
    },
    dropPrefix,
  };
}

async function find(): Promise<TestRedis | undefined> {
  const named = process.env['STATEK_TEST_REDIS'];
  if (named !== undefined && named !== '') return testRedis(named);
  const local = testRedis('redis://127.0.0.1:6379/9');
  if (
    await local.command('PING').then(
      () => true,
      () => false,
    )
  )
    return local;
  if (redisProgram() !== undefined) {
    const server = await privateRedis({ settings: { appendonly: 'no' } });
    process.once('exit', () => server.killNow());
    return testRedis(server.url);
  }
  console.error(
    'SKIPPED: everything that needs Redis. Set STATEK_TEST_REDIS=redis://…, start a server on 127.0.0.1:6379, or install redis-server.',
  );
  return undefined;
}
