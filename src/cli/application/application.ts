// The application a command works with: its configuration, its settings, and the store they name.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readSettings, type Settings } from '../../agents/settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { ConfigError } from '../line/errors.ts';
import type { StatekConfig } from './define-config.ts';
import { findConfig } from './find-config.ts';
import { loadConfig } from './load-config.ts';

export interface ApplicationOptions {
  readonly folder: string;
  readonly store?: string | undefined;
  readonly config?: string | undefined;
  readonly storeOnly?: boolean | undefined;
}

export type StoreSource = '--store' | 'configuration file' | 'environment' | '.env';

export interface Application {
  /** The configuration file; undefined without one, or with `--store-only`. */
  readonly file: string | undefined;
  readonly config: StatekConfig;
  readonly settings: Settings;
  readonly store: { readonly location: string | Store; readonly source: StoreSource } | undefined;
  /** The roles this process has an agent or driver for. */
  readonly roles: readonly string[];
}

/** Changes to the folder of the configuration file, because relative paths in it refer to that folder. */
export async function loadApplication(options: ApplicationOptions): Promise<Application> {
  const file = options.storeOnly === true ? undefined : findConfig(options.folder, options.config);
  if (file !== undefined) process.chdir(dirname(file));
  const config = file === undefined ? {} : await loadConfig(file);
  const settings = readSettings(config.settings ?? {}, { env: process.env, file: '.env' });
  return {
    file,
    config,
    settings,
    store: storeOf(options, config, settings),
    roles: [...(config.agents ?? []), ...(config.drivers ?? [])].map(({ role }) => role),
  };
}

function storeOf(
  { folder, store }: ApplicationOptions,
  config: StatekConfig,
  { origins }: Settings,
): Application['store'] {
  if (store !== undefined) return { location: isPath(store) ? resolve(folder, store) : store, source: '--store' };
  const setting = origins.find(({ name }) => name === 'store');
  if (config.store !== undefined) {
    if (typeof config.store === 'string' && setting?.value !== undefined && setting.value !== config.store)
      process.emitWarning(
        `STATEK_STORE is ignored, because the configuration file names the store ${shownLocation(config.store)}. Write store: process.env['STATEK_STORE'] ?? '${shownLocation(config.store)}' there.`,
        { type: 'StatekWarning', code: 'STATEK_IGNORED_STORE' },
      );
    return { location: config.store, source: 'configuration file' };
  }
  if (setting?.value === undefined) return undefined;
  const location = String(setting.value);
  return { location, source: setting.source === '.env' ? '.env' : 'environment' };
}

/** The store, or an error that says how to name one. */
export function mustHaveStore(application: Application): NonNullable<Application['store']> {
  if (application.store !== undefined) return application.store;
  throw new ConfigError(
    application.file === undefined
      ? 'No statek.config.ts in this folder or above, and no store given. Run statek init, pass --store FOLDER, or set STATEK_STORE.'
      : `${application.file} sets no store. Add store: './data' to it, or pass --store FOLDER.`,
  );
}

export function isPath(location: string): boolean {
  return !/^[a-z][a-z0-9+.-]+:/i.test(location);
}

/** Undefined for a server: only connecting to it can tell. */
export function storeExists(location: string): boolean | undefined {
  if (!isPath(location)) return undefined;
  return existsSync(location.endsWith('.db') ? location : join(location, 'statek.db'));
}

/** The location without its password, safe to print. */
export function shownLocation(location: string | Store): string {
  return typeof location === 'string'
    ? location.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/@]*):[^@/]*@/i, '$1:…@')
    : `an opened ${location.features.engine} store`;
}
