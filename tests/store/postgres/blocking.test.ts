// Reads that stop the thread: the same answers as those that are waited for, and errors as errors.
import { expect, it } from 'vitest';
import { recordCollection } from '../../../src/store/collection.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { postgresForTests, type TestPostgres } from '../../support/postgres.ts';

const server = await postgresForTests();
const things = recordCollection<{ n: number }>('things', { keeps: 'versions' });

it.skipIf(server === undefined)('answers as reads that are waited for do', async () => {
  const { schema, drop } = await (server as TestPostgres).freshSchema();
  const store = await openPostgres((server as TestPostgres).url, { schema });
  try {
    await store.declare(things);
    const first = await mustCommit(store, {
      writes: [1, 2, 3].map((n) => ({ kind: 'put', collection: things, key: ['a', n], value: { n } })),
    });
    await mustCommit(store, { writes: [{ kind: 'remove', collection: things, key: ['a', 2] }] });
    const { blocking } = store;
    if (blocking === undefined) throw new Error('The store has no blocking reads.');
    const keys = [['a', 2], ['a', 1], ['b']];
    expect(blocking.read(things, keys)).toEqual(await store.read(things, keys));
    expect(blocking.read(things, keys, { at: first })).toEqual(await store.read(things, keys, { at: first }));
    const scanned = blocking.scan(things, { prefix: ['a'] }, { limit: 1, at: first });
    expect(scanned).toEqual(await store.scan(things, { prefix: ['a'] }, { limit: 1, at: first }));
    expect(() => blocking.read(things, keys, { at: 1_000_000 })).toThrow(
      expect.objectContaining({ code: 'STORE_ARGUMENT' }),
    );
  } finally {
    await store.close();
    await drop();
  }
  expect(() => store.blocking?.read(things, [['a', 1]])).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
});

it.skipIf(server === undefined)('has none where a password comes from a function', async () => {
  const url = new URL((server as TestPostgres).url);
  const { schema, drop } = await (server as TestPostgres).freshSchema();
  const store = await openPostgres(
    {
      host: url.hostname,
      port: Number(url.port),
      database: url.pathname.slice(1),
      user: url.username,
      password: () => '',
    },
    { schema },
  );
  expect(store.blocking).toBeUndefined();
  await store.close();
  await drop();
});
