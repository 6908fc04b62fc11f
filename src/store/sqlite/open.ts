// Opens the SQLite engine.
import { join, resolve } from 'node:path';
import { choiceOption, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Store } from '../store.ts';
import type { DatabaseSettings } from './database.ts';
import { SqliteEngine } from './engine.ts';
import type { OpenSqliteOptions } from './options.ts';

/** Opens the store in a folder (created if missing), or in a file whose name ends in `.db`. */
export async function openSqlite(location: string, options: OpenSqliteOptions = {}): Promise<Store> {
  return new EngineStore(await SqliteEngine.open(settingsOf(location, options), options.clock));
}

function settingsOf(location: string, options: OpenSqliteOptions): DatabaseSettings {
  refuseUnknownOptions('The sqlite store', options, {
    durability: true,
    busyMilliseconds: true,
    cacheMegabytes: true,
    clock: true,
  });
  const { durability = 'full', busyMilliseconds = 10_000, cacheMegabytes = 16 } = options;
  choiceOption('The sqlite store', 'durability', durability, ['full', 'relaxed']);
  return {
    file: resolve(location.endsWith('.db') ? location : join(location, 'statek.db')),
    durability,
    busyMilliseconds: wholeNumberOption('The sqlite store', 'busyMilliseconds', busyMilliseconds, 0, 600_000),
    cacheMegabytes: wholeNumberOption('The sqlite store', 'cacheMegabytes', cacheMegabytes, 1, 65_536),
  };
}
