// What a person with psql sees: tables named after collections, records to query, keys to read; and what jsonb cannot
// hold is still read back exactly.
import { expect, test } from 'vitest';
import { bytesCollection, recordCollection, workCollection } from '../../../src/store/collection.ts';
import { StoreCorruptError } from '../../../src/store/errors.ts';
import type { Key } from '../../../src/store/key.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import type { Write } from '../../../src/store/store.ts';
import { describePostgres } from './support/trial.ts';

const meetings = recordCollection<unknown>('meetings', { keeps: 'versions' });
const blobs = bytesCollection('blobs', { keeps: 'versions' });
const order = workCollection<unknown>('order');

await describePostgres('what people see', (trial) => {
  const put = (key: Key, value: unknown): Write => ({ kind: 'put', collection: meetings, key, value });

  test('records are queried as jsonb, current and past', async () => {
    const store = await trial.open();
    await store.declare(meetings);
    await mustCommit(store, { writes: [put(['monday', 9], { title: 'Planning', people: ['ann', 'bob'] })] });
    await mustCommit(store, { writes: [put(['monday', 9], { title: 'Review', people: ['ann'] })] });
    await mustCommit(store, { writes: [put(['tuesday', 9], { title: 'Lunch', people: [] })] });
    expect(
      await trial.query(
        `select value->>'title' as title, parts->>0 as day, revision::integer from $schema.meetings where value->'people' @> '["ann"]'`,
      ),
    ).toEqual([{ title: 'Review', day: 'monday', revision: 2 }]);
    expect(
      await trial.query(
        `select value->>'title' as title, revision::integer, until::integer from $schema._meetings_past`,
      ),
    ).toEqual([{ title: 'Planning', revision: 1, until: 2 }]);
  });

  test('keys are readable, whatever they are made of', async () => {
    const store = await trial.open();
    await store.declare(meetings);
    const key = [null, true, 1.5, -Infinity, 12n, new Date(0), 'a\0b\ud800', new Uint8Array([1, 255])];
    await mustCommit(store, { writes: [put(key, 0)] });
    const [row] = await trial.query('select parts from $schema.meetings');
    expect(row?.['parts']).toEqual([
      null,
      true,
      1.5,
      '-Infinity',
      '12',
      '1970-01-01T00:00:00.000Z',
      'a\u2400b\ufffd',
      '01ff',
    ]);
    expect((await store.scan(meetings, {})).entries.map((entry) => entry.key)).toEqual([key]);
  });

  test('records with NUL, lone surrogates and names in any order come back exactly', async () => {
    const store = await trial.open();
    await store.declare(meetings);
    const records = [
      'nul \0 inside',
      '\ud800',
      { 'name\0': ['\udfff', '\\u0000', '\\ud800', '\\\0'], 'name\u2400': 1 },
      { zebra: 1, apple: { z: 1, a: 2 }, b: 3 },
      { '10': 1, '9': 2, x: 1e300 },
    ];
    await mustCommit(store, { writes: records.map((record, index) => put([index], record)) });
    const { entries } = await store.scan(meetings, {});
    expect(entries.map(({ value }) => JSON.stringify(value))).toEqual(records.map((record) => JSON.stringify(record)));
    expect(await trial.query(`select value #>> '{}' as text from $schema.meetings where parts = '[0]'`)).toEqual([
      { text: 'nul \u2400 inside' },
    ]);
    expect(await store.verify()).toMatchObject({ entries: records.length, problems: [] });
  });

  test('every table says what it is', async () => {
    const store = await trial.open();
    await store.declare(meetings, blobs, order);
    const rows = await trial.query(
      `select relname, obj_description(oid) as about from pg_class where relnamespace = $1::regnamespace and relkind = 'r' order by 1`,
      [trial.schema],
    );
    expect(rows.map(({ relname }) => relname)).toEqual(
      ['_blobs_past', '_collections', '_log', '_meetings_past', '_meta', 'blobs', 'meetings', 'order'].toSorted(),
    );
    for (const { about } of rows) expect(about).toMatch(/^[A-Z].*\.$/s);
  });

  test('leases can be seen', async () => {
    const store = await trial.open();
    await store.declare(order);
    await mustCommit(store, { writes: [{ kind: 'put', collection: order, key: ['a'], value: 1 }] });
    await store.claim(order, { owner: 'worker\0 1', limit: 1, leaseMilliseconds: 60_000 });
    expect(
      await trial.query(`select lease_owner, to_timestamp(lease_until / 1000.0) > now() as held from $schema."order"`),
    ).toEqual([{ lease_owner: 'worker\u2400 1', held: true }]);
  });

  test('damage is reported with what and where, and never read as absent', async () => {
    const store = await trial.open();
    await store.declare(meetings, blobs);
    await mustCommit(store, {
      writes: [
        put(['whole'], { a: 1 }),
        put(['edited'], { a: 1 }),
        put(['damaged'], { a: 1 }),
        { kind: 'put', collection: blobs, key: ['blob'], value: new Uint8Array([1, 2, 3]) },
      ],
    });
    await trial.query(`update $schema.meetings set value = '{"a": 2}' where parts = '["edited"]'`);
    await trial.query(`update $schema.meetings set exact = '{"a":3}' where parts = '["damaged"]'`);
    await trial.query(`update $schema.blobs set value = '\\x010204'`);
    await trial.query(`update $schema._log set changes = changes || '\\x00' where revision = 1`);
    await expect(store.read(blobs, [['blob']])).rejects.toThrow(StoreCorruptError);
    await expect(store.read(meetings, [['damaged']])).rejects.toThrow(/meetings \["damaged"\] is damaged/);
    await expect(store.scan(meetings, {})).rejects.toThrow(StoreCorruptError);
    expect(await store.read(meetings, [['edited']])).toMatchObject([{ value: { a: 1 } }]);
    const { entries, problems } = await store.verify();
    expect(entries).toBe(4);
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).toMatch(/"damaged"[^]*"edited"[^]*"blob"[^]*log is damaged at revision 1/);
  });

  test('a log with a gap is found', async () => {
    const store = await trial.open();
    await store.declare(meetings);
    for (let index = 0; index < 3; index++) await mustCommit(store, { writes: [put([index], index)] });
    await trial.query('delete from $schema._log where revision = 2');
    expect((await store.verify()).problems).toEqual(['The change log has no revision 2.']);
    await trial.query('delete from $schema._log where revision = 3');
    expect((await store.verify()).problems).toEqual(['The change log ends at revision 1; the latest is 3.']);
  });
});
