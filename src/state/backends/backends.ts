// Where managers that stand alone keep their rows: backends made by the application, or selected by name.
import type { Clock } from '../../base/clock.ts';
import { described, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { openStore, type Store } from '../../store/door.ts';

/** Opens the store of a manager that stands alone. */
export interface StateBackend {
  /** `memory`, `file`, `redis` … */
  readonly name: string;
  open(clock: Clock): Promise<Store>;
}

/** Backends that can be selected by name. */
export type BackendName = 'memory' | 'file' | 'sqlite' | 'postgres' | 'redis';

export const backendNames: readonly BackendName[] = ['memory', 'file', 'sqlite', 'postgres', 'redis'];

/** A file backend forgets changes that are older than this many commits, so that its folder does not grow for ever. */
export const defaultKeepChanges = 10_000;

/** Keeps everything in the memory of this process. */
export function MemoryBackend(): StateBackend {
  return { name: 'memory', open: (clock: Clock) => openStore('memory:', { clock }) };
}

/** Options of a file backend. */
export interface FileBackendOptions {
  /** The folder; made if it is missing. */
  readonly basePath: string;
  /** How records are written; default: `json`. */
  readonly format?: 'json' | 'msgpack' | undefined;
  /** How records are compressed; `true` is `zstd`; default: not at all. */
  readonly compression?: boolean | 'gzip' | 'zstd' | undefined;
  /** The number of commits whose changes subscribers can catch up with; default: 10,000. */
  readonly keepChanges?: number | undefined;
}

/** Keeps everything in the files of a folder, for one process at a time. */
export function FileBackend(options: FileBackendOptions): StateBackend {
  refuseUnknownOptions('FileBackend', options, { basePath: true, format: true, compression: true, keepChanges: true });
  const { basePath, format, compression, keepChanges = defaultKeepChanges } = options;
  if (typeof basePath !== 'string' || basePath === '')
    throw new InvalidOptionError(`FileBackend: option 'basePath' must be a folder, not ${described(basePath)}.`);
  return {
    name: 'file',
    open: (clock: Clock) => openStore(`file:${basePath}`, { clock, file: { format, compression, keepChanges } }),
  };
}

/** Options of a Redis backend. */
export interface RedisBackendOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** The number of the database; default: that of the URL, or 0. */
  readonly db?: number | undefined;
  /** What the server's keys begin with; default: that of the store. */
  readonly keyPrefix?: string | undefined;
  /** The maximum number of connections; default: that of the store. */
  readonly connectionPoolSize?: number | undefined;
}

/** Keeps everything in a Redis server, for many processes. */
export function RedisBackend(options: RedisBackendOptions): StateBackend {
  refuseUnknownOptions('RedisBackend', options, { url: true, db: true, keyPrefix: true, connectionPoolSize: true });
  const location = redisLocation(options);
  return { name: 'redis', open: () => openStore(location) };
}

/** Everything in one location, which is what stores are opened by. */
function redisLocation({ url, db, keyPrefix, connectionPoolSize }: RedisBackendOptions): string {
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url))
    throw new InvalidOptionError(
      `RedisBackend: option 'url' must be 'redis://…' or 'rediss://…', not ${described(url)}.`,
    );
  const location = new URL(url);
  if (db !== undefined) location.pathname = `/${wholeNumberOption('RedisBackend', 'db', db, 0, 1_000_000)}`;
  if (keyPrefix !== undefined) location.searchParams.set('keyPrefix', keyPrefix);
  if (connectionPoolSize !== undefined) {
    const size = wholeNumberOption('RedisBackend', 'connectionPoolSize', connectionPoolSize, 1, 1000);
    location.searchParams.set('poolSize', String(size));
  }
  return location.href;
}

/** Keeps everything in a folder or `.db` file of the embedded engine, for several processes of one machine. */
export function sqliteBackend(location: string): StateBackend {
  return { name: 'sqlite', open: (clock: Clock): Promise<Store> => openStore(location, { clock }) };
}

/** Keeps everything in a PostgreSQL database, for many processes. */
export function postgresBackend(url: string): StateBackend {
  return { name: 'postgres', open: (): Promise<Store> => openStore(url) };
}
