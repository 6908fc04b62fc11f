// Where a crash run keeps its store: a file of the embedded engine, a schema of a PostgreSQL server, or a Redis server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile } from '../../src/store/file/open.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openRedis } from '../../src/store/redis/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { privateRedis, redisProgram, testRedis } from '../support/redis.ts';
import { postgresBinaries, postgresForTests, privateServer, testPostgres } from '../support/postgres.ts';

/** What another process needs to open the same store. */
export type PlaceDescription =
  | { readonly engine: 'sqlite'; readonly file: string; readonly durability: 'full' | 'relaxed' }
  | { readonly engine: 'file'; readonly folder: string; readonly minJournalBytes: number }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string }
  | { readonly engine: 'redis'; readonly url: string; readonly keyPrefix: string };

/** The engines that are crashed. */
export type CrashEngine = PlaceDescription['engine'];

/** Those that several processes may have open. */
export type SharedCrashEngine = Exclude<CrashEngine, 'file'>;

export function openPlace(place: PlaceDescription, applicationName = 'statek crash comparison'): Promise<Store> {
  if (place.engine === 'sqlite') return openSqlite(place.file, { durability: place.durability });
  if (place.engine === 'file')
    return openFile(place.folder, { compression: true, minJournalBytes: place.minJournalBytes });
  if (place.engine === 'redis')
    return openRedis(place.url, { keyPrefix: place.keyPrefix, clientName: applicationName.replaceAll(' ', '-') });
  return openPostgres(place.url, { schema: place.schema, applicationName });
}

/** The name under which the server knows processes that will be killed. */
export const loadApplicationName = 'statek crash load';

export interface CrashPlace {
  readonly description: PlaceDescription;
  /** Several processes may have the store open at once. */
  readonly isShared: boolean;
  /** How long a process is let live once it works. */
  readonly longestMilliseconds: number;
  /** Resolves when nothing that dead processes asked for can still happen. */
  settled(): Promise<void>;
  /** Crashes the server and starts it again; undefined where there is none, or not of our own. */
  readonly crashServer: (() => Promise<void>) | undefined;
  dispose(): Promise<void>;
}

export function sqlitePlace(): CrashPlace {
  const folder = mkdtempSync(join(tmpdir(), 'statek-crash-'));
  return {
    description: { engine: 'sqlite', file: join(folder, 'statek.db'), durability: 'full' },
    isShared: true,
    longestMilliseconds: 500,
    settled: () => Promise.resolve(),
    crashServer: undefined,
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** Snapshots are made as often as possible, because that is where most can go wrong. */
export function filePlace(): CrashPlace {
  const folder = mkdtempSync(join(tmpdir(), 'statek-crash-'));
  return {
    description: { engine: 'file', folder: join(folder, 'store'), minJournalBytes: 20_000 },
    isShared: false,
    longestMilliseconds: 500,
    settled: () => Promise.resolve(),
    crashServer: undefined,
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** A private server, which is crashed too; else the one that tests use; undefined, after a loud line, if there is none. */
export async function postgresPlace(): Promise<CrashPlace | undefined> {
  const server = postgresBinaries() === undefined ? undefined : await privateServer();
  const postgres = server === undefined ? await postgresForTests() : testPostgres(server.url);
  if (postgres === undefined) return undefined;
  const killNow = (): void => server?.killNow();
  process.once('exit', killNow);
  const { schema, drop } = await postgres.freshSchema();
  return {
    description: { engine: 'postgres', url: postgres.url, schema },
    isShared: true,
    longestMilliseconds: 1500,
    // The server carries on with what a dead process had sent, until it notices that nobody listens.
    settled: async () => {
      const alive = 'select 1 from pg_stat_activity where application_name = $1 limit 1';
      while ((await postgres.query(alive, [loadApplicationName])).length > 0);
    },
    crashServer: server && (() => server.stop('immediate').then(() => server.start())),
    dispose: async () => {
      process.removeListener('exit', killNow);
      await (server === undefined ? drop() : server.dispose());
    },
  };
}

/** A private server that syncs before each answer, and is killed too; undefined, after a loud line, if there is no program. */
export async function redisPlace(): Promise<CrashPlace | undefined> {
  if (redisProgram() === undefined) {
    console.error('SKIPPED: crashes of Redis. Install redis-server or valkey-server.');
    return undefined;
  }
  const server = await privateRedis();
  const killNow = (): void => server.killNow();
  process.once('exit', killNow);
  const redis = testRedis(server.url);
  return {
    description: { engine: 'redis', url: server.url, keyPrefix: 'crash' },
    isShared: true,
    longestMilliseconds: 1500,
    // The server carries out what a dead process had sent, and then forgets the connection.
    settled: async () => {
      const name = `name=${loadApplicationName.replaceAll(' ', '-')} `;
      while ((await redis.command<string>('CLIENT', 'LIST')).includes(name));
    },
    crashServer: () => server.stop('immediate').then(() => server.start()),
    dispose: async () => {
      process.removeListener('exit', killNow);
      await server.dispose();
    },
  };
}

/** Undefined, after a loud line, where there is no server. */
export async function placeFor(engine: CrashEngine): Promise<CrashPlace | undefined> {
  if (engine === 'sqlite') return sqlitePlace();
  if (engine === 'file') return filePlace();
  return engine === 'postgres' ? postgresPlace() : redisPlace();
}
