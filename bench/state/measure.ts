// Measures the state manager on each engine against the same rows by hand, at the same durability: reading, saving, patching, one
// after another and many at once, and what subscribers get.
import { join } from 'node:path';
import { openStore, type Store } from '../../src/index.ts';
import { StateManager } from '../../src/state.ts';
import { openPostgres } from '../../src/postgres.ts';
import { openRedis } from '../../src/redis.ts';
import { postgresForTests } from '../../tests/support/postgres.ts';
import { redisForTests } from '../../tests/support/redis.ts';
import { inBenchFolder } from '../support/folder.ts';
import { milliseconds, progress, round, type Measurement } from '../support/measurement.ts';
import { measureStatistics } from './statistics.ts';
import { rawPostgres, rawRedis, rawSqlite, type RawStore } from './raw.ts';

const keys = 1000;
const inFlight = 256;
const value = (number: number): object => ({ status: 'running', progress: number, note: 'x'.repeat(200) });
const keyOf = (number: number): string => `agent:${number % keys}`;

interface Counts {
  readonly reads: number;
  readonly single: number;
  readonly grouped: number;
}

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const scale = quick ? 0.1 : 1;
  const counts = { reads: 20_000 * scale, single: 500 * scale, grouped: 10_000 * scale };
  return inBenchFolder('state', async (folder) => [
    ...(await measureManager('memory', await openStore('memory:'), counts)),
    ...(await measureManager('file', await openStore(`file:${join(folder, 'file')}`), counts)),
    ...(await measureManager('sqlite', await openStore(join(folder, 'sqlite')), counts)),
    ...(await measureRaw('rawSqlite', 'sqlite by hand', rawSqlite(folder), counts)),
    ...(await measurePostgres({ ...counts, reads: counts.reads / 4 })),
    ...(await measureRedis({ ...counts, reads: counts.reads / 4 })),
    ...(await measureStatistics(quick)),
  ]);
}

async function measurePostgres(counts: Counts): Promise<Measurement[]> {
  const server = await postgresForTests();
  if (server === undefined)
    return [{ figure: 'postgres', value: 'skipped', unit: '', what: 'postgres: no server found' }];
  const { schema, drop } = await server.freshSchema();
  try {
    return [
      ...(await measureManager('postgres', await openPostgres(server.url, { schema }), counts)),
      ...(await measureRaw('rawPostgres', 'postgres by hand', await rawPostgres(server.url, schema), counts)),
    ];
  } finally {
    await drop();
  }
}

/** Without waiting for the server's disk, on both sides: the server of a development machine often has no persistence. */
async function measureRedis(counts: Counts): Promise<Measurement[]> {
  const server = await redisForTests();
  if (server === undefined) return [{ figure: 'redis', value: 'skipped', unit: '', what: 'redis: no server found' }];
  const { keyPrefix, drop } = server.freshPrefix();
  try {
    const store = await openRedis(server.url, { keyPrefix, durability: 'relaxed' });
    return [
      ...(await measureManager('redis', store, counts)),
      ...(await measureRaw('rawRedis', 'redis by hand', await rawRedis(server.url, keyPrefix), counts)),
    ];
  } finally {
    await drop();
  }
}

async function measureManager(engine: string, store: Store, counts: Counts): Promise<Measurement[]> {
  const state = new StateManager({ store });
  try {
    progress(`${engine}: saving`);
    await together(Math.ceil(counts.grouped / 4), (number) => state.save(keyOf(number), value(number)));
    const grouped = await together(counts.grouped, (number) => state.save(keyOf(number), value(number)));
    const updates = await together(counts.grouped, (number) => state.update(keyOf(number), { progress: number }));
    const single = await oneByOne(counts.single, (number) => state.save(keyOf(number), value(number)));
    progress(`${engine}: reading`);
    const reads = await oneByOne(counts.reads, (number) => state.get(keyOf(number)));
    progress(`${engine}: subscribers`);
    const delivered = await deliveries(state, Math.ceil(counts.grouped / 2));
    return [
      row(`${engine}GetPerSecond`, `${engine}: get, one after another`, reads),
      row(`${engine}SavePerSecond`, `${engine}: save, one after another`, single),
      row(`${engine}SaveGroupedPerSecond`, `${engine}: save, ${inFlight} at once`, grouped),
      row(`${engine}UpdateGroupedPerSecond`, `${engine}: update, ${inFlight} at once`, updates),
      row(`${engine}DeliveredPerSecond`, `${engine}: changes delivered to one subscriber that catches up`, delivered),
    ];
  } finally {
    await state.close();
    await store.close();
  }
}

async function measureRaw(name: string, what: string, raw: RawStore, counts: Counts): Promise<Measurement[]> {
  try {
    progress(what);
    const saveGroup = async (number: number): Promise<void> =>
      raw.saveTogether(
        Array.from({ length: inFlight }, (_, index) => [keyOf(number * inFlight + index), value(index)] as const),
      );
    await saveGroup(0);
    const grouped = await oneByOne(Math.ceil(counts.grouped / inFlight), saveGroup);
    const single = await oneByOne(counts.single, (number) => raw.save(keyOf(number), value(number)));
    const reads = await oneByOne(counts.reads, (number) => raw.get(keyOf(number)));
    return [
      row(`${name}GetPerSecond`, `${what}: get, one after another`, reads),
      row(`${name}SavePerSecond`, `${what}: save, one after another`, single),
      row(`${name}SaveGroupedPerSecond`, `${what}: save, ${inFlight} in a transaction`, grouped * inFlight),
    ];
  } finally {
    await raw.close();
  }
}

/** Changes per second delivered to a subscriber that starts behind them all. */
async function deliveries(state: StateManager, count: number): Promise<number> {
  const since = await state.revision();
  await together(count, (number) => state.save(keyOf(number), value(number)));
  const all = Promise.withResolvers<void>();
  let seen = 0;
  const time = await milliseconds(() => {
    state.subscribe('agent:*', () => void (++seen === count && all.resolve()), { since });
    return all.promise;
  });
  return count / (time / 1000);
}

async function oneByOne(count: number, action: (number: number) => Promise<unknown>): Promise<number> {
  const time = await milliseconds(async () => {
    for (let number = 0; number < count; number++) await action(number);
  });
  return count / (time / 1000);
}

async function together(count: number, action: (number: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await action(next++);
  };
  const time = await milliseconds(() => Promise.all(Array.from({ length: inFlight }, caller)));
  return count / (time / 1000);
}

function row(figure: string, what: string, perSecond: number): Measurement {
  return { figure, value: round(perSecond), unit: '/s', what };
}
