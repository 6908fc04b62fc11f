// Opening: many processes at once, schemas that are not ours, servers that cannot be trusted, users with few rights.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { InvalidOptionError } from '../../../src/base/options.ts';
import { recordCollection } from '../../../src/store/collection.ts';
import {
  StoreCorruptError,
  StoreFeatureError,
  StoreForeignError,
  StoreNewerError,
  StorePermissionError,
  StoreUnavailableError,
} from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { runWorker } from './support/run-worker.ts';
import { describePostgres } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const write = (value: number) => ({
  writes: [{ kind: 'put' as const, collection: numbers, key: ['k'], value }],
});

await describePostgres('opening', (trial) => {
  test('several processes open, declare and commit at once in a schema that does not exist yet', async () => {
    await Promise.all([1, 2, 3, 4].map(() => runWorker('commit', trial.url, trial.schema, 5)));
    const store = await trial.open();
    expect(await store.revision()).toBe(20);
    expect(await store.verify()).toMatchObject({ entries: 20, problems: [] });
  });

  test('many stores in one process open at once', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => trial.open({ poolSize: 1 })));
    await Promise.all(stores.map((store) => store.declare(numbers)));
    expect(await mustCommit(stores[0] as never, write(1))).toBe(1);
  });

  test('openStore knows both schemes', async () => {
    for (const scheme of ['postgres', 'postgresql'])
      await expect(openStore(`${scheme}://127.0.0.1:1/nowhere`)).rejects.toThrow(StoreUnavailableError);
    const { features } = await trial.open();
    expect(features).toMatchObject({ engine: 'postgres', durable: true, shared: true, remote: true });
  });

  test('an empty schema that somebody made for us is used', async () => {
    await trial.query('create schema $schema');
    const store = await trial.open();
    expect(await store.revision()).toBe(0);
  });

  test('a schema with other tables is refused and left alone', async () => {
    await trial.query('create schema $schema');
    await trial.query('create table $schema.customers (id integer)');
    await expect(trial.open()).rejects.toThrow(StoreForeignError);
    expect(
      await trial.query('select count(*)::integer as tables from pg_tables where schemaname = $1', [trial.schema]),
    ).toEqual([{ tables: 1 }]);
  });

  test('a table that only happens to have the name of ours is refused', async () => {
    await trial.query('create schema $schema');
    await trial.query('create table $schema._meta (version text)');
    await expect(trial.open()).rejects.toThrow(StoreForeignError);
  });

  test('a store of format 1 is opened, read and written', async () => {
    const old = await trial.open();
    await old.declare(numbers);
    for (const value of [1, 2]) await mustCommit(old, write(value));
    await old.close();
    // In that format the checksum of a log row started with its revision.
    for (const { revision, changes } of await trial.query('select revision::integer, changes from $schema._log'))
      await trial.query('update $schema._log set checksum = $2 where revision = $1', [
        revision,
        crc32(changes as Buffer, revision as number),
      ]);
    await trial.query('update $schema._meta set format = 1');
    const store = await trial.open();
    await store.declare(numbers);
    expect(await mustCommit(store, write(3))).toBe(3);
    expect((await store.verify()).problems).toEqual([]);
    const seen: number[] = [];
    for await (const { revision } of store.follow({ since: 0 })) if (seen.push(revision) === 3) break;
    expect(seen).toEqual([1, 2, 3]);
    expect(await trial.query('select format from $schema._meta')).toEqual([{ format: 2 }]);
  });

  test('a newer format is refused', async () => {
    await (await trial.open()).close();
    await trial.query('update $schema._meta set format = 99');
    await expect(trial.open()).rejects.toThrow(StoreNewerError);
  });

  test('a schema that is dropped under an open store is an error, not an empty store', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    await trial.query('drop schema $schema cascade');
    await expect(store.read(numbers, [['k']])).rejects.toThrow(StoreCorruptError);
    await expect(store.commit([write(1)])).rejects.toThrow(StoreCorruptError);
  });

  test('a server that does not wait for the disk is refused unless that is asked for', async () => {
    const url = `${trial.url}?options=-c%20synchronous_commit%3Doff`;
    await expect(trial.open({}, url)).rejects.toThrow(StoreFeatureError);
    const store = await trial.open({ durability: 'relaxed' }, url);
    await store.declare(numbers);
    expect(await mustCommit(store, write(1))).toBe(1);
  });

  test('options that do not exist or make no sense are refused', async () => {
    const refused: unknown[] = [
      { shema: 'x' },
      { schema: 'Upper' },
      { schema: 'pg_mine' },
      { schema: 'a"b' },
      { poolSize: 0 },
      { durability: 'none' },
      { statementTimeoutMilliseconds: -1 },
    ];
    for (const options of refused) await expect(trial.open(options as object)).rejects.toThrow(InvalidOptionError);
    await expect(openPostgres({ hots: 'x' } as object)).rejects.toThrow(InvalidOptionError);
    await expect(openPostgres('postgres://user:secret@host:port/database')).rejects.toThrow(InvalidOptionError);
  });

  test('a database that does not exist, and a port where nobody listens', async () => {
    const url = new URL(trial.url);
    url.pathname = '/no_such_database';
    await expect(trial.open({}, url.href)).rejects.toThrow(StoreUnavailableError);
    url.port = '1';
    await expect(trial.open({}, url.href)).rejects.toThrow(StoreUnavailableError);
  });
});

await describePostgres('privileges', (trial) => {
  let role = '';
  afterEach(async () => {
    await trial.query(`drop schema if exists $schema cascade`);
    await trial.query(`drop role if exists ${role}`);
  });

  async function urlOfNewRole(): Promise<string> {
    role = `statek_test_${randomBytes(4).toString('hex')}`;
    await trial.query(`create role ${role} login`);
    const url = new URL(trial.url);
    url.username = role;
    return url.href;
  }

  test('who may not create a schema is told so', async () => {
    const url = await urlOfNewRole();
    await expect(trial.open({}, url)).rejects.toThrow(StorePermissionError);
  });

  test('who may only read reads; commits are refused with nothing written', async () => {
    const owner = await trial.open();
    await owner.declare(numbers);
    await mustCommit(owner, write(1));
    const url = await urlOfNewRole();
    await trial.query(`grant usage on schema $schema to ${role}`);
    await trial.query(`grant select on all tables in schema $schema to ${role}`);
    // Nor does a reader have to migrate the store.
    for (const format of [2, 1]) {
      await trial.query('update $schema._meta set format = $1', [format]);
      const reader = await trial.open({}, url);
      await reader.declare(numbers);
      expect(await reader.read(numbers, [['k']])).toMatchObject([{ value: 1 }]);
      await expect(reader.commit([write(2)])).rejects.toThrow(StorePermissionError);
      expect(await owner.revision()).toBe(1);
    }
  });

  test('who may change rows but create nothing can do everything with what is declared', async () => {
    const owner = await trial.open();
    await owner.declare(numbers);
    const url = await urlOfNewRole();
    await trial.query(`grant usage on schema $schema to ${role}`);
    await trial.query(`grant select, insert, update, delete on all tables in schema $schema to ${role}`);
    await trial.query(`grant usage on all sequences in schema $schema to ${role}`);
    const worker = await trial.open({}, url);
    await worker.declare(numbers);
    expect(await mustCommit(worker, write(2))).toBe(1);
    await expect(worker.declare(recordCollection('others'))).rejects.toThrow(StorePermissionError);
  });
});
