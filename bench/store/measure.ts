// Measures the store's engines: what a durable commit costs against the raw disk, what groups gain, scans and claims.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { openRedis } from '../../src/redis.ts';
import { postgresForTests } from '../../tests/support/postgres.ts';
import { privateRedis, redisProgram } from '../../tests/support/redis.ts';
import { milliseconds, percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { measureClaims, type ClaimFigures } from './claims.ts';
import { concurrently, measureCommits, oneByOne, type CommitFigures } from './commits.ts';
import { BarePostgres } from './bare-postgres.ts';
import { BareRedis } from './bare-redis.ts';
import { RawDisk } from './raw-disk.ts';
import { all, events, queue } from './workload.ts';

const inFlight = 256;

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const scale = quick ? 0.1 : 1;
  const sqlite = await measureSqlite(scale);
  const postgres = await measurePostgres(scale);
  const redis = await measureRedis(scale);
  progress('');
  return [...sqlite, ...postgres, ...redis];
}

async function measureSqlite(scale: number): Promise<Measurement[]> {
  // Next to the project rather than in the system's temporary folder, which may be memory.
  const folder = mkdtempSync(join(process.env['STATEK_BENCH_FOLDER'] ?? process.cwd(), 'bench-store-'));
  const store = await openStore(folder);
  try {
    await store.declare(...all);
    const { bytes, ...fresh } = await freshCommits(store, folder);
    const disk = new RawDisk(folder, bytes);
    const figures = await measureCommits(
      'sqlite',
      store,
      { single: 1000 * scale, grouped: 20_000 * scale, inFlight },
      () => disk.append(),
    );
    disk.close();
    const raw = percentile(disk.samples, 0.5);
    const ratio = figures.single.p50 / raw;
    const scan = await measureScan(store, Math.round(100_000 * scale));
    const one = await measureClaims(store, { location: folder }, Math.round(10_000 * scale), 1);
    await emptyQueue(store);
    const ten = await measureClaims(store, { location: folder }, Math.round(10_000 * scale), 10);
    return [
      { figure: 'sqliteWalBytesPerCommit', value: bytes, unit: 'B', what: 'sqlite: bytes one small commit writes' },
      { figure: 'rawSyncP50Ms', value: round(raw), unit: 'ms', what: 'raw append + fdatasync of as many bytes, p50' },
      {
        figure: 'sqliteFreshSingleP50Ms',
        value: round(fresh.p50),
        unit: 'ms',
        what: 'sqlite: one small durable commit in a new store, whose log still grows, p50',
      },
      {
        figure: 'sqliteFreshSingleToRaw',
        value: round(fresh.ratio),
        unit: '×',
        what: 'sqlite: one commit in a new store against the raw disk',
        goal: { text: '≤ 2', met: fresh.ratio <= 2 },
      },
      ...commitRows('sqlite', figures),
      {
        figure: 'sqliteSingleToRaw',
        value: round(ratio),
        unit: '×',
        what: 'sqlite: one commit against the raw disk',
        goal: { text: '≤ 2', met: ratio <= 2 },
      },
      {
        figure: 'sqliteScan100kMs',
        value: round(scan),
        unit: 'ms',
        what: `sqlite: scan of ${Math.round(100_000 * scale)} keys`,
      },
      ...claimRows('sqlite', one, ten),
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(scale: number): Promise<Measurement[]> {
  const server = await postgresForTests();
  if (server === undefined)
    return [{ figure: 'postgres', value: 'skipped', unit: '', what: 'postgres: no server found' }];
  const { schema, drop } = await server.freshSchema();
  const store = await openPostgres(server.url, { schema });
  const bare = await BarePostgres.open(server.url, schema);
  try {
    await store.declare(...all);
    const figures = await measureCommits(
      'postgres',
      store,
      { single: 500 * scale, grouped: 10_000 * scale, inFlight },
      () => bare.commit(),
    );
    const raw = percentile(bare.samples, 0.5);
    const ratio = figures.single.p50 / raw;
    const scan = await measureScan(store, Math.round(100_000 * scale));
    const one = await measureClaims(store, { location: server.url, schema }, Math.round(10_000 * scale), 1);
    await emptyQueue(store);
    const ten = await measureClaims(store, { location: server.url, schema }, Math.round(10_000 * scale), 10);
    return [
      {
        figure: 'barePostgresP50Ms',
        value: round(raw),
        unit: 'ms',
        what: 'postgres by hand: the same rows in one transaction, p50',
      },
      ...commitRows('postgres', figures),
      { figure: 'postgresSingleToBare', value: round(ratio), unit: '×', what: 'postgres: one commit against by hand' },
      {
        figure: 'postgresScan100kMs',
        value: round(scan),
        unit: 'ms',
        what: `postgres: scan of ${Math.round(100_000 * scale)} keys`,
      },
      ...claimRows('postgres', one, ten),
    ];
  } finally {
    await bare.close();
    await store.close();
    await drop();
  }
}

async function measureRedis(scale: number): Promise<Measurement[]> {
  if (redisProgram() === undefined)
    return [{ figure: 'redis', value: 'skipped', unit: '', what: 'redis: no redis-server found' }];
  // A server of its own that syncs before it answers, next to the project, because the temporary folder may be memory.
  const server = await privateRedis({ inside: process.env['STATEK_BENCH_FOLDER'] ?? process.cwd() });
  const store = await openRedis(server.url);
  const bare = await BareRedis.open(server.url);
  try {
    await store.declare(...all);
    const steps = Math.round(10_000 * scale);
    const before = await bare.memory();
    await concurrently(store, steps, inFlight);
    const memory = ((await bare.memory()) - before) / steps;
    const figures = await measureCommits('redis', store, { single: 500 * scale, grouped: steps, inFlight }, () =>
      bare.commit(),
    );
    const raw = percentile(bare.samples, 0.5);
    const ratio = figures.single.p50 / raw;
    const scan = await measureScan(store, Math.round(100_000 * scale));
    const one = await measureClaims(store, { location: server.url }, Math.round(10_000 * scale), 1);
    await emptyQueue(store);
    const ten = await measureClaims(store, { location: server.url }, Math.round(10_000 * scale), 10);
    return [
      {
        figure: 'bareRedisP50Ms',
        value: round(raw),
        unit: 'ms',
        what: 'redis by hand: the same rows in one MULTI, appendfsync always, p50',
      },
      ...commitRows('redis', figures),
      { figure: 'redisSingleToBare', value: round(ratio), unit: '×', what: 'redis: one commit against by hand' },
      {
        figure: 'redisBytesPerStep',
        value: Math.round(memory),
        unit: 'B',
        what: 'redis: memory of the server per small step, log included',
      },
      {
        figure: 'redisScan100kMs',
        value: round(scan),
        unit: 'ms',
        what: `redis: scan of ${Math.round(100_000 * scale)} keys`,
      },
      ...claimRows('redis', one, ten),
    ];
  } finally {
    bare.close();
    await store.close();
    await server.dispose();
  }
}

function commitRows(engine: string, { single, groupedPerSecond }: CommitFigures): Measurement[] {
  const gain = groupedPerSecond / single.perSecond;
  return [
    {
      figure: `${engine}SingleP50Ms`,
      value: round(single.p50),
      unit: 'ms',
      what: `${engine}: one small durable commit, p50`,
    },
    {
      figure: `${engine}SingleP99Ms`,
      value: round(single.p99),
      unit: 'ms',
      what: `${engine}: one small durable commit, p99`,
    },
    {
      figure: `${engine}SinglePerSecond`,
      value: round(single.perSecond),
      unit: '/s',
      what: `${engine}: transactions one by one`,
    },
    {
      figure: `${engine}GroupedPerSecond`,
      value: round(groupedPerSecond),
      unit: '/s',
      what: `${engine}: transactions with ${inFlight} in flight`,
    },
    {
      figure: `${engine}GroupedToSingle`,
      value: round(gain),
      unit: '×',
      what: `${engine}: groups against one by one`,
      goal: { text: '≥ 5', met: gain >= 5 },
    },
  ];
}

function claimRows(engine: string, one: ClaimFigures, ten: ClaimFigures): Measurement[] {
  return [
    {
      figure: `${engine}ClaimsPerSecond4Processes`,
      value: round(one.perSecond),
      unit: '/s',
      what: `${engine}: claims by 4 processes, one at a time`,
    },
    {
      figure: `${engine}ClaimsPerSecond4ProcessesTens`,
      value: round(ten.perSecond),
      unit: '/s',
      what: `${engine}: claims by 4 processes, ten at a time`,
    },
    {
      figure: `${engine}ClaimShares`,
      value: one.shares.join('/'),
      unit: '',
      what: `${engine}: items each of the 4 processes got, one at a time`,
    },
    {
      figure: `${engine}ClaimedTwice`,
      value: one.claimedTwice + ten.claimedTwice,
      unit: '',
      what: `${engine}: items claimed twice`,
    },
  ];
}

/** Commits in a new store, while its write-ahead log only grows: the bytes each adds to it, and its time beside the raw disk's. */
async function freshCommits(store: Store, folder: string): Promise<{ bytes: number; p50: number; ratio: number }> {
  const log = join(folder, 'statek.db-wal');
  await oneByOne(store, 50);
  const before = statSync(log).size;
  await oneByOne(store, 200);
  const bytes = Math.round((statSync(log).size - before) / 200);
  const disk = new RawDisk(folder, bytes);
  const p50 = percentile(await oneByOne(store, 300, () => disk.append()), 0.5);
  disk.close();
  return { bytes, p50, ratio: p50 / percentile(disk.samples, 0.5) };
}

async function measureScan(store: Store, count: number): Promise<number> {
  progress(`${store.features.engine}: scan`);
  for (let start = 0; start < count; start += 2000) {
    const writes = Array.from({ length: Math.min(2000, count - start) }, (_, index) => ({
      kind: 'put' as const,
      collection: events,
      key: ['scan', start + index],
      value: { kind: 'scan', text: 'z'.repeat(40) },
    }));
    await store.commit([{ writes }]);
  }
  let found = 0;
  const time = await milliseconds(async () => {
    let cursor: string | undefined;
    do {
      const page = await store.scan(events, { prefix: ['scan'] }, { limit: 5000, cursor });
      found += page.entries.length;
      cursor = page.cursor;
    } while (cursor !== undefined);
  });
  if (found !== count) throw new Error(`The scan found ${found} of ${count} keys.`);
  return time;
}

async function emptyQueue(store: Store): Promise<void> {
  for (;;) {
    const { entries } = await store.scan(queue, {}, { limit: 5000 });
    if (entries.length === 0) return;
    await store.commit([{ writes: entries.map(({ key }) => ({ kind: 'remove', collection: queue, key })) }]);
  }
}
