// Where the tests of state keep it: each engine in a fresh place, also as something that another process can open.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile } from '../../../src/store/file/open.ts';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { redisForTests } from '../../support/redis.ts';

/** What another process needs to open the same store. */
export type StateLocation =
  | { readonly engine: 'memory'; readonly name: string }
  | { readonly engine: 'file' | 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string }
  | { readonly engine: 'redis'; readonly url: string; readonly keyPrefix: string };

export interface StatePlace {
  readonly location: StateLocation;
  /** Several processes may have it open. */
  readonly isShared: boolean;
  readonly isDurable: boolean;
  dispose(): Promise<void>;
}

export function openLocation(location: StateLocation): Promise<Store> {
  switch (location.engine) {
    case 'memory':
      return openStore(`memory:${location.name}`);
    case 'file':
      return openFile(location.folder);
    case 'sqlite':
      return openStore(location.folder);
    case 'postgres':
      return openPostgres(location.url, { schema: location.schema, poolSize: 4, allowUnsafeServer: true });
    case 'redis':
      return openRedis(location.url, { keyPrefix: location.keyPrefix, poolSize: 4, durability: 'relaxed' });
  }
}

let count = 0;

function folderPlace(engine: 'file' | 'sqlite'): StatePlace {
  const folder = mkdtempSync(join(tmpdir(), 'statek-state-'));
  return {
    location: { engine, folder: join(folder, 'store') },
    isShared: engine === 'sqlite',
    isDurable: true,
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const postgres = await postgresForTests();
const redis = await redisForTests();

/** By engine; PostgreSQL and Redis only where there is a server. */
export const statePlaces: Readonly<Record<string, () => Promise<StatePlace>>> = {
  memory: async () => ({
    location: { engine: 'memory', name: `state ${++count}` },
    isShared: false,
    isDurable: false,
    dispose: async () => undefined,
  }),
  file: async () => folderPlace('file'),
  sqlite: async () => folderPlace('sqlite'),
  ...(postgres === undefined
    ? {}
    : {
        postgres: async () => {
          const { schema, drop } = await postgres.freshSchema();
          return {
            location: { engine: 'postgres', url: postgres.url, schema },
            isShared: true,
            isDurable: true,
            dispose: drop,
          };
        },
      }),
  ...(redis === undefined
    ? {}
    : {
        redis: async () => {
          const { keyPrefix, drop } = redis.freshPrefix();
          return {
            location: { engine: 'redis', url: redis.url, keyPrefix },
            isShared: true,
            isDurable: true,
            dispose: async () => drop(),
          };
        },
      }),
};
