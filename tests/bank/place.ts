// Where a bank keeps its store, what another process needs to open it, and how both are cleared away.
import { openPlace, sqlitePlace, type PlaceDescription } from '../crash/place.ts';
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
  return openPlace(place, place.engine === 'postgres' ? `${applicationName} ${place.schema}` : undefined);
}

/** Undefined, after a loud line, where there is no PostgreSQL. */
export async function bankPlace(engine: 'sqlite' | 'postgres'): Promise<BankPlace | undefined> {
  if (engine === 'sqlite') return sqlitePlace();
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
