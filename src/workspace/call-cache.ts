// Outcomes of calls that are good for other calls with the same parameters for a while.
import { createHash } from 'node:crypto';
import type { Store, Write } from '../store/store.ts';
import type { CallOptions } from './call-options.ts';
import type { KitContext } from './context.ts';
import { wholeText } from './large-texts.ts';
import { callCacheRows, type FutureRow } from './rows.ts';

export async function cachedOutcome(
  { store, clock }: KitContext,
  future: FutureRow,
  { cache }: CallOptions,
): Promise<string | undefined> {
  if (cache === undefined) return undefined;
  const [entry] = await store.read(callCacheRows, [[await keyOf(store, future)]]);
  return entry !== undefined && entry.value.until > clock.now() ? entry.value.value : undefined;
}

export async function cacheWrites(
  { store, clock }: KitContext,
  future: FutureRow,
  { cache }: CallOptions,
  value: string,
): Promise<Write[]> {
  if (cache === undefined || value.includes('["H"')) return [];
  const until = clock.now() + cache.ttl;
  return [{ kind: 'put', collection: callCacheRows, key: [await keyOf(store, future)], value: { value, until } }];
}

/** Calls are the same if they are of the same function with the same data; handles differ from workspace to workspace. */
async function keyOf(store: Store, { label, call, workspace }: FutureRow): Promise<string> {
  const parameters = await wholeText(store, workspace, call?.parameters ?? '');
  const scope = parameters.includes('["H"') ? workspace : '';
  return createHash('sha256')
    .update(JSON.stringify([label, scope, parameters]))
    .digest('base64url');
}
