// Where a fault trial keeps its store, and what can go wrong there: a folder on a small disk of its own, or a PostgreSQL
// or Redis server of its own that can be stopped, filled up and asked to end its connections.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresBinaries, privateServer, testPostgres } from '../support/postgres.ts';
import { proxyFor } from '../store/redis/support/proxy.ts';
import { privateRedis, redisProgram, testRedis, type PrivateRedis, type TestRedis } from '../support/redis.ts';

export interface Place {
  readonly place: string;
  /** Fills the disk; returns what frees it again. Undefined where there is no small disk to fill. */
  readonly fill?: (() => () => void) | undefined;
  /** A server of its own. */
  readonly server?: { start(): Promise<void>; stop(mode: 'fast' | 'immediate'): Promise<void> } | undefined;
  /** The lease clock is the server's, so that a process cannot have a wrong one. */
  readonly hasServerClock?: boolean;
  endConnections?(): Promise<void>;
  /** Halts the server where it is; returns what lets it go on. */
  freeze?(): () => void;
  /** Leaves the server no memory for writes; returns what gives it back. */
  fillMemory?(): Promise<() => Promise<void>>;
  /** Cuts every few connections that commit: before the server has the commit, before it answers, or before the answer arrives. Returns what ends that. */
  loseAnswers?(): () => void;
  /** A replica that has everything takes over from the server, which stays. */
  failOver?(): Promise<void>;
  dispose(): Promise<void>;
}

export async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-faults-'));
  const disk = smallDisk(folder, 1024);
  return {
    place: disk ?? folder,
    fill: disk === undefined ? undefined : () => fill(disk),
    dispose: async () => removeDisk(folder, disk),
  };
}

export async function postgresPlace(): Promise<Place | undefined> {
  if (postgresBinaries() === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'statek-faults-'));
  const disk = smallDisk(folder, 1024);
  // The server runs as another user.
  chmodSync(folder, 0o755);
  const server = await privateServer({ settings: { max_wal_size: '64MB', fsync: 'on' }, inside: disk });
  const database = testPostgres(server.url);
  return {
    place: `${server.url}#statek_faults`,
    server,
    fill: disk === undefined ? undefined : () => fill(disk),
    endConnections: async () => {
      await database.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
    },
    dispose: async () => {
      await server.dispose();
      removeDisk(folder, disk);
    },
  };
}

export async function redisPlace(): Promise<Place | undefined> {
  if (redisProgram() === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'statek-faults-'));
  const disk = smallDisk(folder, 1024);
  const server = await privateRedis({ inside: disk });
  const proxy = await proxyFor(server.url);
  let replica: PrivateRedis | undefined;
  return {
    place: proxy.url,
    server,
    hasServerClock: true,
    fill: disk === undefined ? undefined : () => fill(disk),
    endConnections: async () => {
      for (const type of ['normal', 'pubsub'])
        await testRedis(server.url).command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    },
    freeze: () => {
      server.freeze();
      return () => server.thaw();
    },
    fillMemory: async () => {
      await testRedis(server.url).command('CONFIG', 'SET', 'maxmemory', '1mb');
      return async () => {
        await testRedis(server.url).command('CONFIG', 'SET', 'maxmemory', '0');
      };
    },
    loseAnswers: () => {
      let commits = 0;
      const fates = ['cut before', 'cut after', 'cut at once'] as const;
      proxy.fate = () => (++commits % 5 === 0 ? (fates[(commits / 5) % fates.length] ?? 'pass') : 'pass');
      return () => {
        proxy.fate = () => 'pass';
      };
    },
    failOver: async () => {
      replica = await privateRedis({ settings: { 'repl-diskless-sync-delay': '0' } });
      await takeOver(server, replica);
      proxy.to(replica.port);
    },
    dispose: async () => {
      await proxy.close();
      await Promise.all([server.dispose(), replica?.dispose()]);
      removeDisk(folder, disk);
    },
  };
}

/** A planned failover: the primary holds writes back until the replica has all of them, and becomes its replica. */
async function takeOver(primary: PrivateRedis, replica: PrivateRedis): Promise<void> {
  const [old, next] = [testRedis(primary.url), testRedis(replica.url)];
  const until = async (redis: TestRedis, line: string): Promise<void> => {
    while (!(await redis.command<string>('INFO', 'replication')).includes(line))
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await next.command('REPLICAOF', '127.0.0.1', String(primary.port));
  await until(next, 'master_link_status:up');
  await until(old, 'state=online');
  await old.command('FAILOVER', 'TO', '127.0.0.1', String(replica.port));
  await until(next, 'role:master');
}

/** A disk of so many megabytes, where this process may mount one. */
function smallDisk(folder: string, megabytes: number): string | undefined {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'statek-faults', disk]);
  return mounted.status === 0 ? disk : undefined;
}

/** Fills a disk to the last page; returns what frees it again. */
function fill(disk: string): () => void {
  const ballast = join(disk, 'ballast');
  for (const size of [2 ** 20, 4096]) {
    try {
      for (;;) appendFileSync(ballast, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return () => rmSync(ballast);
}

function removeDisk(folder: string, disk: string | undefined): void {
  if (disk !== undefined) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
}
