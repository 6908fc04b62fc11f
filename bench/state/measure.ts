// Measures the state manager on each engine against the same rows by hand, at the same durability: reading, saving, patching, one
// after another and many at once, and what subscribers get.
import { join } from 'node:path';
import { openStore, type Store } from '../../src/index.ts';
import { StateManager } from '../../src/state.ts';
import { openPostgres } from '../../src/postgres.ts';
import { openRedis } from '../../src/redis.ts';
import { postgresForTests } from '../../tests/support/postgres.ts';
import { privateRedis, redisProgram } from '../../tests/support/redis.ts';
import { inBenchFolder } from '../support/folder.ts';
import { milliseconds, percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { measureListing } from './listing.ts';
import { measureStatistics } from './statistics.ts';
import { rawPostgres, rawRedis, rawSqlite, type RawStore } from './raw.ts';

const keys = 1000;
const inFlight = 256;
// No two are the same: SQLite does not write what is there already.
let written = 0;
const value = (number: number): object => ({
  status: 'running',
  progress: number,
  count: ++written,
  note: 'x'.repeat(200),
});
const keyOf = (number: number): string => `agent:${number % keys}`;

interface Counts {
  readonly reads: number;
  readonly single: number;
  readonly grouped: number;
}

/** Both sides take turns, so that what else the machine does meets both. */
const rounds = 5;

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const scale = quick ? 0.1 : 1;
  const counts = { reads: 20_000 * scale, single: 2500 * scale, grouped: 25_000 * scale };
  return inBenchFolder('state', async (folder) => [
    ...(await measureManager('memory', await openStore('memory:'), counts)),
    ...(await measureManager('file', await openStore(`file:${join(folder, 'file')}`), counts)),
    ...(await measureManager('sqlite', await openStore(join(folder, 'sqlite')), counts, rawSqlite(folder))),
    ...(await measurePostgres({ ...counts, reads: counts.reads / 4 })),
    ...(await measureRedis(folder, { ...counts, reads: counts.reads / 4 })),
    ...(await measureListing(quick)),
    ...(await measureStatistics(quick)),
  ]);
}

async function measurePostgres(counts: Counts): Promise<Measurement[]> {
  const server = await postgresForTests();
  if (server === undefined)
    return [{ figure: 'postgres', value: 'skipped', unit: '', what: 'postgres: no server found' }];
  const { schema, drop } = await server.freshSchema();
  try {
    const store = await openPostgres(server.url, { schema });
    return await measureManager('postgres', store, counts, await rawPostgres(server.url, schema));
  } finally {
    await drop();
  }
}

/** On a server of its own, which syncs before it answers, for both sides. */
async function measureRedis(folder: string, counts: Counts): Promise<Measurement[]> {
  if (redisProgram() === undefined)
    return [{ figure: 'redis', value: 'skipped', unit: '', what: 'redis: no program found' }];
  const server = await privateRedis({ inside: folder });
  try {
    const store = await openRedis(server.url);
    return await measureManager('redis', store, counts, await rawRedis(server.url, 'by-hand'));
  } finally {
    await server.dispose();
  }
}

async function measureManager(engine: string, store: Store, counts: Counts, raw?: RawStore): Promise<Measurement[]> {
  const state = new StateManager({ store });
  const single = Math.ceil(counts.single / rounds);
  const grouped = Math.ceil(counts.grouped / rounds);
  try {
    progress(`${engine}: first values`);
    await together(keys, (number) => state.save(keyOf(number), value(number)));
    await together(keys, async (number) => raw?.save(keyOf(number), value(number)));
    // Without these, the first round would measure the compiler.
    await oneByOne(single, (number) => state.save(keyOf(number), value(number)));
    await oneByOne(single, async (number) => raw?.save(keyOf(number), value(number)));
    const updates = await together(grouped, (number) => state.update(keyOf(number), { progress: number }));
    const rows = [row(`${engine}UpdateGroupedPerSecond`, `${engine}: update, ${inFlight} at once`, updates)];
    const pair = async (name: string, what: string, goal: number, ours: Rate, byHand: Rate): Promise<void> => {
      const found: { ours: number; byHand: number }[] = [];
      for (let turn = 0; turn < rounds; turn++) {
        progress(`${engine}: ${what}`);
        found.push({ ours: await ours(), byHand: raw === undefined ? Number.NaN : await byHand() });
      }
      rows.push(row(`${engine}${name}PerSecond`, `${engine}: ${what}`, median(found.map((one) => one.ours))));
      if (raw === undefined) return;
      const ratio = round(median(found.map((one) => one.ours / one.byHand)));
      rows.push(
        row(`${engine}Raw${name}PerSecond`, `${engine} by hand: ${what}`, median(found.map((one) => one.byHand))),
        {
          figure: `${engine}${name}OfRaw`,
          value: ratio,
          unit: '×',
          what: `${engine}: ${what}, of the client by hand`,
          goal: { text: `at least ${goal} ×`, met: ratio >= goal },
        },
      );
    };
    const reads = counts.reads / rounds;
    await pair(
      'Get',
      'get, one after another',
      0.5,
      () => oneByOne(reads, (number) => state.get(keyOf(number))),
      () => oneByOne(reads, async (number) => raw?.get(keyOf(number))),
    );
    await pair(
      'Save',
      'save, one after another',
      0.5,
      () => oneByOne(single, (number) => state.save(keyOf(number), value(number))),
      () => oneByOne(single, async (number) => raw?.save(keyOf(number), value(number))),
    );
    await pair(
      'SaveGrouped',
      `save, ${inFlight} callers at once`,
      1,
      () => together(grouped, (number) => state.save(keyOf(number), value(number))),
      () => together(grouped / 5, async (number) => raw?.save(keyOf(number), value(number))),
    );
    const batches = Math.ceil(grouped / inFlight);
    const batch = (): [string, object][] => Array.from({ length: inFlight }, (_, at) => [keyOf(at), value(at)]);
    const many = await oneByOne(batches, () => state.saveMany(new Map(batch())));
    rows.push(row(`${engine}SaveManyPerSecond`, `${engine}: saveMany, ${inFlight} keys`, many * inFlight));
    if (raw !== undefined) {
      const transactions = await oneByOne(batches, () => raw.saveTogether(batch()));
      const what = `${engine} by hand: save, ${inFlight} in a transaction`;
      rows.push(row(`${engine}RawSaveManyPerSecond`, what, transactions * inFlight));
    }
    progress(`${engine}: subscribers`);
    const delivered = await deliveries(state, grouped);
    const what = `${engine}: changes delivered to one subscriber that catches up`;
    return [...rows, row(`${engine}DeliveredPerSecond`, what, delivered)];
  } finally {
    await state.close();
    await store.close();
    await raw?.close();
  }
}

type Rate = () => Promise<number>;

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
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
