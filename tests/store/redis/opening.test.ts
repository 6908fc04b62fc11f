// Opening: keys that are not ours, servers that cannot be trusted, options that make no sense, damage.
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { InvalidOptionError } from '../../../src/base/options.ts';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import {
  StoreCorruptError,
  StoreFeatureError,
  StoreForeignError,
  StoreNewerError,
  StoreRolledBackError,
  StoreUnavailableError,
} from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openStore } from '../../../src/store/open.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import { describeRedis } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const versions = recordCollection<number>('versions', { keeps: 'versions' });
const items = workCollection<number>('items');
const write = (value: number) => ({
  writes: [{ kind: 'put' as const, collection: numbers, key: ['k'], value }],
});

await describeRedis('opening', (trial) => {
  test('openStore knows the schemes, and the URL may set what a text must', async () => {
    for (const scheme of ['redis', 'rediss'])
      await expect(openStore(`${scheme}://127.0.0.1:1/0`)).rejects.toThrow(StoreUnavailableError);
    const store = await openStore(`${trial.url}?keyPrefix=${trial.keyPrefix}&durability=relaxed&poolSize=2`);
    expect(store.features).toMatchObject({ engine: 'redis', durable: true, shared: true, remote: true });
    await store.declare(numbers);
    await mustCommit(store, write(1));
    await store.close();
    expect(await (await trial.open()).revision()).toBe(1);
  });

  test('all keys of a store are in one slot, and none expires', async () => {
    const store = await trial.open();
    await store.declare(numbers, versions, items);
    await mustCommit(store, {
      writes: [numbers, versions, items].map((collection) => ({ kind: 'put', collection, key: ['k'], value: 1 })),
    });
    await mustCommit(store, { writes: [{ kind: 'put', collection: versions, key: ['k'], value: 2 }] });
    await store.claim(items, { owner: 'o', limit: 1, leaseMilliseconds: 1000 });
    const keys = await trial.command<string[]>('KEYS', '*$*');
    expect(keys.length).toBeGreaterThan(10);
    for (const key of keys) {
      expect(key.startsWith(`{${trial.keyPrefix}}:`)).toBe(true);
      expect(await trial.command('TTL', key)).toBe(-1);
    }
  });

  test('keys of another program are refused and left alone', async () => {
    await trial.command('SET', '$:meta', 'theirs');
    await expect(trial.open()).rejects.toThrow(StoreForeignError);
    expect(await trial.command('GET', '$:meta')).toBe('theirs');
    await trial.command('DEL', '$:meta');
    await trial.command('HSET', '$:meta', 'application', 'theirs');
    await expect(trial.open()).rejects.toThrow(StoreForeignError);
    await trial.command('DEL', '$:meta');
    await trial.command('SET', '$:log', 'theirs');
    await expect(trial.open()).rejects.toThrow(StoreForeignError);
  });

  test('a key of another type under the name of a collection stops a commit before it writes', async () => {
    const store = await trial.open();
    await store.declare(numbers, versions);
    await trial.command('SET', '$:versions:past', 'theirs');
    await expect(
      store.commit([
        {
          writes: [
            { kind: 'put', collection: numbers, key: ['k'], value: 1 },
            { kind: 'put', collection: versions, key: ['k'], value: 1 },
          ],
        },
      ]),
    ).rejects.toThrow(StoreForeignError);
    expect(await store.read(numbers, [['k']])).toEqual([undefined]);
    expect(await store.revision()).toBe(0);
  });

  test('a newer format is refused', async () => {
    await (await trial.open()).close();
    await trial.command('HSET', '$:meta', 'format', '99');
    await expect(trial.open()).rejects.toThrow(StoreNewerError);
  });

  test('a store that is deleted under an open one is an error, not an empty store', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    await mustCommit(store, write(1));
    await trial.command('DEL', '$:meta', '$:log', '$:collections', '$:numbers:values', '$:numbers:keys');
    await expect(store.read(numbers, [['k']])).rejects.toThrow(StoreRolledBackError);
    await expect(store.commit([write(2)])).rejects.toThrow(StoreRolledBackError);
    // A new store in the same place does not make it better.
    const other = await trial.open();
    await other.declare(numbers);
    for (let value = 1; value < 4; value++) await mustCommit(other, write(value));
    await expect(store.revision()).rejects.toThrow(StoreRolledBackError);
  });

  test('damaged entries are found when they are read, and by verify', async () => {
    const store = await trial.open();
    await store.declare(numbers, items);
    await mustCommit(store, write(1));
    await mustCommit(store, { writes: [{ kind: 'put', collection: numbers, key: ['l'], value: 2 }] });
    const [, stored] = await trial.command<string[]>('HGETALL', '$:numbers:values');
    const [field] = await trial.command<string[]>('HKEYS', '$:numbers:values');
    await trial.command('HSET', '$:numbers:values', field as string, `${stored as string}0`);
    await expect(store.read(numbers, [['k']])).rejects.toThrow(StoreCorruptError);
    await expect(store.scan(numbers, {})).rejects.toThrow(StoreCorruptError);
    await trial.command('ZADD', '$:items:free', '0', 'nothing');
    await trial.command('XDEL', '$:log', '1');
    const { problems } = await store.verify();
    expect(problems.join('\n')).toMatch(/numbers \["k"\].*checksum/);
    expect(problems.join('\n')).toContain('items: 0 leased and 1 free items of 0');
    expect(problems.join('\n')).toContain('no revision 1');
  });

  test('options that do not exist or make no sense are refused', async () => {
    const refused: unknown[] = [
      { prefix: 'x' },
      { keyPrefix: 'a{b}' },
      { keyPrefix: '' },
      { db: -1 },
      { db: 3.5 },
      { poolSize: 0 },
      { durability: 'none' },
      { clientName: 'two words' },
      { commandTimeoutMilliseconds: -1 },
    ];
    for (const options of refused) await expect(trial.open(options as object)).rejects.toThrow(InvalidOptionError);
    await expect(openRedis({ hots: 'x' } as object)).rejects.toThrow(InvalidOptionError);
    for (const url of ['redis://h:port/0', 'redis://h/zero', 'redis://h/0?ttl=5', 'redis://h/0#x', 'http://h'])
      await expect(openRedis(url)).rejects.toThrow(InvalidOptionError);
    await expect(openRedis('redis://127.0.0.1/1', { db: 2 })).rejects.toThrow(InvalidOptionError);
    await expect(openRedis('rediss://127.0.0.1', { tls: false })).rejects.toThrow(InvalidOptionError);
  });

  test('the database, the prefix and the client name are honoured', async () => {
    const server = trial.url.replace(/\/\d+$/, '');
    const store = await trial.open({ clientName: trial.keyPrefix });
    const elsewhere = await trial.open({ db: 11 }, server);
    await Promise.all([store.declare(numbers), elsewhere.declare(numbers)]);
    await mustCommit(elsewhere, write(1));
    expect(await store.revision()).toBe(0);
    expect(await trial.command<string>('CLIENT', 'LIST')).toContain(`name=${trial.keyPrefix} `);
    const again = await trial.open({}, `${server}/11`);
    expect(await again.revision()).toBe(1);
    trial.dropFrom(`${server}/11`);
  });

  test('never more connections than the pool may have, and one to listen', async () => {
    const store = await trial.open({ clientName: trial.keyPrefix, poolSize: 3 });
    await store.declare(numbers);
    const stop = new AbortController();
    const following = store.follow({ signal: stop.signal })[Symbol.asyncIterator]().next();
    await Promise.all(Array.from({ length: 200 }, (_, index) => store.commit([write(index)])));
    await Promise.all(Array.from({ length: 200 }, () => store.read(numbers, [['k']])));
    await following;
    const clients = await trial.command<string>('CLIENT', 'LIST');
    const own = clients.split('\n').filter((line) => line.includes(`name=${trial.keyPrefix} `));
    expect(own.length).toBeGreaterThan(1);
    expect(own.length).toBeLessThanOrEqual(4);
    stop.abort();
  });

  test('a server that persists nothing is refused unless that is asked for', async (context) => {
    const information = await trial.command<string>('INFO', 'persistence');
    if (!information.includes('aof_enabled:0')) return context.skip();
    await expect(trial.open({ durability: 'full' })).rejects.toThrow(StoreFeatureError);
    await expect(trial.open({ durability: 'full' })).rejects.toThrow('appendonly yes');
    return undefined;
  });

  test('passwords appear nowhere', async () => {
    const error: unknown = await openRedis('redis://user:s3cret@127.0.0.1:1/0').catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });
});
