// Opens the PostgreSQL engine.
import { StoreFeatureError } from '../errors.ts';
import type { Store } from '../store.ts';

export function openPostgres(_location: string): Promise<Store> {
  return Promise.reject(new StoreFeatureError('not here yet'));
}
