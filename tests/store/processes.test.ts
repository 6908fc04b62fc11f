// Several processes on one store: nothing is lost, nothing is done twice, nobody starves, and everybody hears of everything.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { openAt, type MeetingPlace } from './children/child.ts';
import type { ClaimResult, ClaimTask } from './children/claim.ts';
import { counters, done, items, notes } from './children/collections.ts';
import type { FirstOpenTask } from './children/first-open.ts';
import type { FollowResult, FollowTask } from './children/follow.ts';
import type { IncrementTask } from './children/increment.ts';
import type { WriteTask } from './children/write.ts';
import { runTogether, startChild } from './support/children.ts';

const postgres = await postgresForTests();
const redis = await redisForTests();
const timeout = 240_000;

type WithPlace = (body: (place: MeetingPlace) => Promise<void>) => Promise<void>;

const onSqlite: WithPlace = async (body) => {
  const folder = await mkdtemp(join(tmpdir(), 'statek-processes-'));
  try {
    await body({ engine: 'sqlite', folder });
  } finally {
    await rm(folder, { recursive: true });
  }
};

const onPostgres: WithPlace = async (body) => {
  if (postgres === undefined) throw new Error('There is no PostgreSQL.');
  const { schema, drop } = await postgres.freshSchema();
  try {
    await body({ engine: 'postgres', url: postgres.url, schema });
  } finally {
    await drop();
  }
};

const onRedis: WithPlace = async (body) => {
  if (redis === undefined) throw new Error('There is no Redis.');
  const { keyPrefix, drop } = redis.freshPrefix();
  try {
    await body({ engine: 'redis', url: redis.url, keyPrefix });
  } finally {
    await drop();
  }
};

async function using<Result>(place: MeetingPlace, body: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openAt(place);
  try {
    await store.declare(counters, notes, items, done);
    return await body(store);
  } finally {
    await store.close();
  }
}

const count = (size: number): number[] => Array.from({ length: size }, (_, index) => index);

describe.each([
  ['sqlite', onSqlite, true],
  ['postgres', onPostgres, postgres !== undefined],
  ['redis', onRedis, redis !== undefined],
] as const)('several processes on %s', (engine, withPlace, available) => {
  test.skipIf(!available)('lose no increment', { timeout }, () =>
    withPlace(async (place) => {
      const times = 50;
      await runTogether(
        'increment',
        [1, 2, 3, 4].map(() => ({ place, times }) satisfies IncrementTask),
      );
      await using(place, async (store) => {
        const [entry] = await store.read(counters, [['counter']]);
        expect(entry?.value).toBe(4 * times);
        expect(await store.revision()).toBe(4 * times);
      });
    }),
  );

  test.skipIf(!available)('claim 4,000 items, each once, and nobody starves', { timeout }, () =>
    withPlace(async (place) => {
      const size = 4000;
      await using(place, (store) =>
        store.commit([
          { writes: count(size).map((index) => ({ kind: 'put', collection: items, key: [index], value: index })) },
        ]),
      );
      const owners = ['a', 'b', 'c', 'd'];
      const results = await runTogether<ClaimResult>(
        'claim',
        owners.map((owner) => ({ place, owner, limit: 20 }) satisfies ClaimTask),
      );
      expect(results.flat().toSorted((a, b) => a - b)).toStrictEqual(count(size));
      const shares = results.map((finished) => finished.length);
      // A quarter of a fair share: far from fair, and far from what one process leaves to the others if nothing is done.
      const least = engine === 'sqlite' ? size / 16 : 0;
      expect(shares.filter((share) => share <= least)).toStrictEqual([]);
      await using(place, async (store) => {
        expect((await store.scan(items, {})).entries).toStrictEqual([]);
        expect(await store.revision()).toBe(size + 1);
        expect((await store.verify()).problems).toStrictEqual([]);
      });
    }),
  );

  test.skipIf(!available)('follow each other’s changes without gaps', { timeout }, () =>
    withPlace(async (place) => {
      const times = 100;
      const total = 4 * times;
      await using(place, async (store) => {
        const follower = startChild<FollowResult>('follow', { place, count: total } satisfies FollowTask);
        try {
          await follower.ready;
          follower.begin();
          const here: [number, unknown, unknown][] = [];
          const following = (async () => {
            for await (const { revision, changes } of store.follow({ since: 0 })) {
              for (const { key } of changes) here.push([revision, key[0], key[1]]);
              if (here.length >= total) break;
            }
          })();
          await runTogether(
            'write',
            count(4).map((writer) => ({ place, writer, times }) satisfies WriteTask),
          );
          await following;
          expect(here.map(([revision]) => revision)).toStrictEqual(count(total).map((index) => index + 1));
          for (const writer of count(4)) {
            const own = here.filter(([, who]) => who === writer).map(([, , index]) => index);
            expect(own).toStrictEqual(count(times));
          }
          expect(await follower.result).toStrictEqual(here);
        } finally {
          follower.kill();
        }
      });
    }),
  );

  test.skipIf(!available)('open a place that nobody has opened before', { timeout }, () =>
    withPlace(async (place) => {
      const revisions = await runTogether<number>(
        'first-open',
        count(8).map((index) => ({ place, index }) satisfies FirstOpenTask),
      );
      expect(revisions.toSorted((a, b) => a - b)).toStrictEqual(count(8).map((index) => index + 1));
      await using(place, async (store) => {
        expect((await store.scan(notes, {})).entries.map((entry) => entry.value)).toStrictEqual(count(8));
        expect((await store.verify()).problems).toStrictEqual([]);
      });
    }),
  );
});
