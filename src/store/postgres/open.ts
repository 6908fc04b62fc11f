// Opens the PostgreSQL engine.
import { EngineStore } from '../engine/engine-store.ts';
import type { Store } from '../store.ts';
import { BlockingReads } from './reading/blocking-reads.ts';
import { PostgresEngine } from './engine.ts';
import { settingsOf, type PostgresConnection, type PostgresOptions } from './options.ts';

/**
 * Opens the store in a PostgreSQL database, 13 or newer. The connection is a URL (`postgres://user@host/database`,
 * `sslmode` and the like included) or its parts.
 */
export async function openPostgres(
  connection: string | PostgresConnection,
  options: PostgresOptions = {},
): Promise<Store> {
  const settings = settingsOf(connection, options);
  return new EngineStore(await PostgresEngine.open(settings, BlockingReads.tryCreate(settings)));
}
