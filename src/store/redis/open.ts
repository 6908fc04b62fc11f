// Opens the Redis engine.
import { BlockingReads } from '../engine/blocking/blocking-reads.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Store } from '../store.ts';
import { RedisEngine } from './engine.ts';
import { settingsOf, type RedisConnection, type RedisOptions } from './options.ts';

/**
 * Opens the store on a Redis or Valkey server, Redis 7.0 or newer. The connection is a URL (`redis://user@host:6379/0`,
 * `rediss://` for TLS) or its parts. Needs the package `@redis/client`.
 */
export async function openRedis(connection: string | RedisConnection, options: RedisOptions = {}): Promise<Store> {
  const settings = settingsOf(connection, options);
  const blocking = BlockingReads.tryCreate({
    file: new URL('./reading/blocking-thread.ts', import.meta.url),
    // Reads do not need the clock.
    settings: { ...settings, clockOffset: undefined },
    maxMilliseconds: settings.connectTimeout + settings.commandTimeout,
  });
  return new EngineStore(await RedisEngine.open(settings, blocking));
}
