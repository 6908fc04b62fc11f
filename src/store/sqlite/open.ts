// Opens the embedded engine.
import { StoreFeatureError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { OpenSqliteOptions } from './options.ts';

export function openSqlite(_location: string, _options: OpenSqliteOptions): Promise<Store> {
  return Promise.reject(new StoreFeatureError('not here yet'));
}
