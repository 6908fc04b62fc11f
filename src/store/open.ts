// Opens a store by its location.
import { systemClock, type Clock } from '../base/clock.ts';
import { described, InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import type { FileOptions } from './file/options.ts';
import { openMemory } from './memory/open.ts';
import type { SqliteOptions } from './sqlite/options.ts';
import type { Store } from './store.ts';

/** How a store is opened. */
export interface OpenStoreOptions {
  /** Where lease times come from; default: the machine's clock. PostgreSQL and Redis use the server's and take none. */
  readonly clock?: Clock | undefined;
  /** Options of the SQLite engine. */
  readonly sqlite?: SqliteOptions | undefined;
  /** Options of the file engine. */
  readonly file?: FileOptions | undefined;
}

/**
 * Opens a store: `memory:` keeps everything in this process, and `memory:name` is shared by all stores opened with that name;
 * `postgres://…` is a PostgreSQL database (`statek/postgres` has its options), `redis://…` or `rediss://…` a Redis or Valkey
 * server (`statek/redis`), `file:folder` a journal in a folder, for one process; anything else is the path of a folder, or of a file
 * that ends in `.db`, for the embedded SQLite engine.
 *
 * @example
 * import { openStore, Statek } from 'statek';
 *
 * const store = await openStore('memory:');
 * const kit = await Statek.open({ store });
 * console.log(store.features.engine); // prints memory
 * await kit.close();
 * await store.close(); // a store that was given to a kit is closed by whoever opened it
 */
export async function openStore(location: string, options: OpenStoreOptions = {}): Promise<Store> {
  refuseUnknownOptions('openStore', options, { clock: true, sqlite: true, file: true });
  // Blanks would be the name of a folder, and no system takes a path with a zero in it.
  if (typeof location !== 'string' || location.trim() === '' || location.includes('\0'))
    throw new InvalidOptionError(
      `openStore needs a location: a folder, a .db file, 'memory:', 'file:folder', 'postgres://…' or 'redis://…', not ${described(location)}.`,
    );

  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(location)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'memory':
      refuse(options.sqlite, 'sqlite', location);
      refuse(options.file, 'file', location);
      return openMemory(location.slice('memory:'.length), options.clock ?? systemClock);
    case 'file': {
      refuse(options.sqlite, 'sqlite', location);
      if (location.startsWith('file://'))
        throw new InvalidOptionError(`openStore: write '${location}' as a path, such as 'file:./folder'.`, {
          location,
        });
      const { openFile } = await import('./file/open.ts');
      return openFile(location.slice('file:'.length), { ...options.file, clock: options.clock });
    }
    case 'postgres':
    case 'postgresql': {
      refuse(options.sqlite, 'sqlite', location);
      refuse(options.file, 'file', location);
      refuse(options.clock, 'clock', location);
      const { openPostgres } = await import('./postgres/open.ts');
      return openPostgres(location);
    }
    case 'redis':
    case 'rediss': {
      refuse(options.sqlite, 'sqlite', location);
      refuse(options.file, 'file', location);
      refuse(options.clock, 'clock', location);
      const { openRedis } = await import('./redis/open.ts');
      return openRedis(location);
    }
    case undefined: {
      refuse(options.file, 'file', location);
      const { openSqlite } = await import('./sqlite/open.ts');
      return openSqlite(location, { ...options.sqlite, clock: options.clock });
    }
    default:
      throw new InvalidOptionError(
        `openStore: unknown scheme '${scheme}:'. Pass a folder, a .db file, 'memory:', 'file:folder', 'postgres://…' or 'redis://…'.`,
        { location },
      );
  }
}

function refuse(value: unknown, name: string, location: string): void {
  if (value !== undefined)
    throw new InvalidOptionError(
      `openStore('${location}'): the option '${name}' does not apply to this engine. Remove it.`,
      { name },
    );
}
