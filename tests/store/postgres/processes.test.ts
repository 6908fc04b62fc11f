// Several processes on one store: wake-ups, order, claims, and how many connections each takes.
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import type { Lease } from '../../../src/store/store.ts';
import { lockNumber } from '../../../src/store/postgres/writing/lock.ts';
import { runWorker } from './support/run-worker.ts';
import { describePostgres } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const versions = recordCollection<number>('versions', { keeps: 'versions' });
const items = workCollection<number>('items');

await describePostgres('several processes', (trial) => {
  test('a follower is woken by commits of another process, long before the slow poll', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    const writer = await trial.open();
    await writer.declare(numbers);
    const changes = store.follow({ since: 0 })[Symbol.asyncIterator]();
    await mustCommit(writer, { writes: [{ kind: 'put', collection: numbers, key: [0], value: 0 }] });
    await changes.next();
    // By now it listens. The slow poll would take a second; the fastest of several shows that it was not waited for.
    const waits: number[] = [];
    for (let index = 1; index <= 5; index++) {
      const next = changes.next();
      await delay(20);
      const start = performance.now();
      await mustCommit(writer, { writes: [{ kind: 'put', collection: numbers, key: [index], value: index }] });
      expect(await next).toMatchObject({ value: { revision: index + 1 } });
      waits.push(performance.now() - start);
    }
    expect(Math.min(...waits)).toBeLessThan(300);
  });

  test('changes of four processes arrive once each, in order, without gaps', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    const workers = Promise.all([1, 2, 3, 4].map(() => runWorker('commit', trial.url, trial.schema, 25)));
    const revisions: number[] = [];
    for await (const { revision } of store.follow({ since: 0 })) {
      revisions.push(revision);
      if (revision === 100) break;
    }
    await workers;
    expect(revisions).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('a transaction held open delays those after it; the feed never passes it by', async () => {
    const slow = new Client({ connectionString: trial.url });
    await slow.connect();
    try {
      const store = await trial.open();
      await store.declare(numbers);
      // What a committer does, up to the point where it has taken revision 1 and not yet committed.
      await slow.query('begin');
      await slow.query(`select pg_advisory_xact_lock(${lockNumber(trial.schema, 'commit')})`);
      await slow.query(`update "${trial.schema}"._meta set head = 1`);
      await slow.query(`insert into "${trial.schema}"._log values (1, gen_random_uuid(), ${emptyLogChecksum}, '')`);
      let done = false;
      const fast = mustCommit(store, { writes: [{ kind: 'put', collection: numbers, key: ['k'], value: 1 }] }).then(
        (revision) => {
          done = true;
          return revision;
        },
      );
      await delay(100);
      expect(done).toBe(false);
      expect(await store.revision()).toBe(0);
      await slow.query('commit');
      expect(await fast).toBe(2);
      const seen: number[] = [];
      for await (const { revision } of store.follow({ since: 0 })) {
        seen.push(revision);
        break;
      }
      // Revision 1 changed nothing that has a name, so the first change set is the one after it.
      expect(seen).toEqual([2]);
    } finally {
      await slow.end();
    }
  });

  test('four processes claim every item once', async () => {
    const store = await trial.open();
    await store.declare(items);
    await store.commit(
      Array.from({ length: 1000 }, (_, index) => ({
        writes: [{ kind: 'put' as const, collection: items, key: [index], value: index }],
      })),
    );
    const lists = await Promise.all([1, 2, 3, 4].map(() => runWorker('claim', trial.url, trial.schema)));
    const claims = lists.flatMap((list) => JSON.parse(list) as [number, number][]);
    expect(new Set(claims.map(([value]) => value)).size).toBe(1000);
    expect(new Set(claims.map(([, token]) => token)).size).toBe(1000);
    expect(claims).toHaveLength(1000);
  });

  test('no more connections than asked for, and one to listen', async () => {
    const store = await trial.open({ poolSize: 3, applicationName: trial.schema });
    await store.declare(numbers);
    const aborter = new AbortController();
    const following = (async () => {
      for await (const _ of store.follow({ signal: aborter.signal }));
    })();
    const counts: unknown[] = [];
    const work = Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        index % 3 === 0
          ? mustCommit(store, { writes: [{ kind: 'put', collection: numbers, key: [index], value: index }] })
          : store.scan(numbers, {}),
      ),
    );
    for (let round = 0; round < 5; round++) {
      const rows = await trial.query(
        'select count(*)::integer as n from pg_stat_activity where application_name = $1',
        [trial.schema],
      );
      counts.push(rows[0]?.['n']);
    }
    await work;
    aborter.abort();
    await following;
    expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(4);
    await store.close();
    await expect
      .poll(() => trial.query('select 1 from pg_stat_activity where application_name = $1', [trial.schema]))
      .toEqual([]);
  });

  test('one connection is enough for everything', async () => {
    const store = await trial.open({ poolSize: 1 });
    await store.declare(numbers, items, versions);
    await mustCommit(store, {
      writes: [
        { kind: 'put', collection: items, key: ['a'], value: 1 },
        { kind: 'put', collection: versions, key: ['a'], value: 1 },
      ],
    });
    const [claims] = await Promise.all([
      store.claim(items, { owner: 'a', limit: 1, leaseMilliseconds: 60_000 }),
      mustCommit(store, { writes: [{ kind: 'put', collection: versions, key: ['a'], value: 2 }] }),
      store.verify(),
      store.prune(1),
      store.scan(versions, {}),
    ]);
    await store.release(claims.map(({ lease }) => lease));
    expect(await store.revision()).toBe(3);
  });

  test('renewals, claims and commits on the same items never wait for each other in a circle', async () => {
    const stores = await Promise.all([trial.open(), trial.open()]);
    await Promise.all(stores.map((store) => store.declare(items)));
    const [store, other] = stores;
    const writes = Array.from({ length: 20 }, (_, index) => ({
      kind: 'put' as const,
      collection: items,
      key: [index],
      value: index,
    }));
    await mustCommit(store, { writes });
    const claims = await store.claim(items, { owner: 'a', limit: 20, leaseMilliseconds: 60_000 });
    const leases = claims.map(({ lease }) => lease);
    const rounds = Array.from({ length: 25 }, async () => {
      const answers = await Promise.all([
        store.renew(leases.toReversed(), 60_000),
        mustCommit(other, { writes: writes.toReversed(), leases: [{ lease: leases[3] as Lease, afterwards: 'keep' }] }),
        mustCommit(store, { writes: writes.slice(5) }),
        other.claim(items, { owner: 'b', limit: 5, leaseMilliseconds: 1000 }),
      ]);
      expect(answers[0].every(({ status }) => status === 'renewed')).toBe(true);
      expect(answers[3]).toEqual([]);
    });
    await Promise.all(rounds);
  });
});

// CRC-32 of nothing, begun with the revision.
const emptyLogChecksum = 1;
