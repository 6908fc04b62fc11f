// Where a bank keeps its store, what another process needs to open it, and how both are cleared away.
import {
  loadApplicationName,
  openPlace,
  redisPlace,
  sqlitePlace,
  type PlaceDescription,
  type SharedCrashEngine,
} from '../crash/place.ts';
import { postgresForTests } from '../support/postgres.ts';
import type { Store } from '../../src/index.ts';

export interface BankPlace {
  readonly description: PlaceDescription;
  /** Resolves when nothing that dead processes asked for can still happen. */
  settled(): Promise<void>;
  dispose(): Promise<void>;
}

const applicationName = 'statek bank';

export function openBankStore(place: PlaceDescription): Promise<Store> {
  if (place.engine === 'redis') return openPlace(place, loadApplicationName);
  return openPlace(place, place.engine === 'postgres' ? `${applicationName} ${place.schema}` : undefined);
}

/** Undefined, after a loud line, where there is no server. */
export async function bankPlace(engine: SharedCrashEngine): Promise<BankPlace | undefined> {
  if (engine === 'sqlite') return sqlitePlace();
  if (engine === 'redis') return redisPlace();
  const server = await postgresForTests();
  if (server === undefined) return undefined;
  const { schema, drop } = await server.freshSchema();
  return {
    description: { engine, url: server.url, schema },
    settled: async () => {
      const alive = 'select 1 from pg_stat_activity where application_name = $1 limit 1';
      while ((await server.query(alive, [`${applicationName} ${schema}`])).length > 0);
    },
    dispose: drop,
  };
}
