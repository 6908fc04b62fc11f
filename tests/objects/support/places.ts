// Stores that two graphs can share, as two processes would: in memory, in a file, in PostgreSQL and in Redis.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { DurableClass } from '../../../src/objects/declaration.ts';
import { Objects } from '../../../src/objects/objects.ts';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { redisForTests } from '../../support/redis.ts';

/** Opens the same store each time it is called. */
export type OpenPlace = () => Promise<Store>;

export interface Place {
  readonly name: string;
  /** A new place, and what removes it. */
  makeFor(): Promise<{ readonly open: OpenPlace; readonly remove: () => unknown }>;
}

let memories = 0;

export const memoryPlace: Place = {
  name: 'memory',
  makeFor: () => {
    const location = `memory:objects-${memories++}`;
    return Promise.resolve({ open: () => openStore(location), remove: () => undefined });
  },
};

export const sqlitePlace: Place = {
  name: 'sqlite',
  makeFor: () => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-objects-'));
    const open = (): Promise<Store> => openStore(folder, { sqlite: { durability: 'relaxed' } });
    return Promise.resolve({ open, remove: () => rmSync(folder, { recursive: true, force: true }) });
  },
};

const server = await postgresForTests();

/** Empty, after one loud line, where there is no PostgreSQL. */
export const postgresPlaces: readonly Place[] =
  server === undefined
    ? []
    : [
        {
          name: 'postgres',
          makeFor: async () => {
            const { schema, drop } = await server.freshSchema();
            return { open: () => openPostgres(server.url, { schema }), remove: drop };
          },
        },
      ];

const redis = await redisForTests();

/** Empty, after one loud line, where there is no Redis. */
const redisPlaces: readonly Place[] =
  redis === undefined
    ? []
    : [
        {
          name: 'redis',
          makeFor: () => {
            const { location, drop } = redis.freshPrefix();
            return Promise.resolve({ open: () => openStore(location), remove: drop });
          },
        },
      ];

/** Stores on a server, which cannot read at once. */
export const serverPlaces: readonly Place[] = [...postgresPlaces, ...redisPlaces];

export const places: readonly Place[] = [memoryPlace, sqlitePlace, ...serverPlaces];

/** A place for one test. */
export async function placeFor(place: Place): Promise<OpenPlace> {
  const { open, remove } = await place.makeFor();
  onTestFinished(async () => {
    await remove();
  });
  return open;
}

/** Objects in a place, closed after the test; open it again for what another process would have. */
export async function openAt(open: OpenPlace, classes: readonly DurableClass[]): Promise<Objects> {
  const store = await open();
  const objects = await Objects.open(store, { classes });
  onTestFinished(async () => {
    await objects.plainWrites.settle();
    objects.close();
    await store.close();
  });
  return objects;
}

/** Two graphs in one place for all tests around it: opening a file or a server takes longer than most tests. */
export function openedOnce(place: Place, classes: readonly DurableClass[]): () => readonly [Objects, Objects] {
  const opened: Objects[] = [];
  let remove: () => unknown;
  beforeAll(async () => {
    const made = await place.makeFor();
    ({ remove } = made);
    for (let count = 0; count < 2; count++) opened.push(await Objects.open(await made.open(), { classes }));
  });
  afterAll(async () => {
    for (const objects of opened) {
      await objects.plainWrites.settle();
      objects.close();
      await objects.store.close();
    }
    await remove();
  });
  return () => opened as unknown as readonly [Objects, Objects];
}
