// Opens the PostgreSQL engine.
import { BlockingReads } from '../engine/blocking/blocking-reads.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Store } from '../store.ts';
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
  const blocking = BlockingReads.tryCreate({
    file: new URL('./reading/blocking-thread.ts', import.meta.url),
    // Reads do not need the clock.
    settings: { ...settings, clockOffset: undefined },
    maxMilliseconds: settings.connectTimeout + settings.statementTimeout,
  });
  return new EngineStore(await PostgresEngine.open(settings, blocking));
}
