// Outcomes of calls that are good for other calls with the same parameters for a while.
import { createHash } from 'node:crypto';
import { removeMatching, type Key, type Store, type Write } from '../../store/door.ts';
import type { CacheScope, CallOptions } from '../bridge/call-options.ts';
import type { WorkspaceContext } from '../context.ts';
import { loadText } from '../large-texts.ts';
import { callCacheRows, workspaceRows, type CallRow } from '../rows.ts';
import { toolName } from './call-log.ts';
import { canonicalMessage } from '../wire/canonical.ts';
import type { WireMessage } from '../wire/wire.ts';

/** What calls share an outcome under; undefined if the tool has no cache. */
export async function cacheKey(
  { store }: WorkspaceContext,
  future: CallRow,
  { cache }: CallOptions,
): Promise<Key | undefined> {
  return cache === undefined ? undefined : keyOf(store, future, cache);
}

export async function cachedOutcome({ store, clock }: WorkspaceContext, key: Key): Promise<WireMessage | undefined> {
  const [entry] = await store.read(callCacheRows, [key]);
  return entry !== undefined && entry.value.until > clock.now() ? entry.value.value : undefined;
}

export async function cacheWrites(
  context: WorkspaceContext,
  future: CallRow,
  { cache }: CallOptions,
  value: WireMessage,
): Promise<Write[]> {
  if (cache === undefined || value.includes('["H"')) return [];
  const until = context.clock.now() + cache.ttl;
  const key = await keyOf(context.store, future, cache);
  return [{ kind: 'put', collection: callCacheRows, key, value: { value, until } }];
}

/** Removes outcomes that are not good for any call any more. Returns how many. */
export function dropExpiredOutcomes({ store, clock }: WorkspaceContext): Promise<number> {
  const now = clock.now();
  return removeMatching(store, callCacheRows, {}, ({ value }) => value.until <= now);
}

/**
 * Calls are the same if they are of the same version of the same function with the same data, in whichever order the members of
 * objects were given; handles differ from workspace to workspace.
 */
async function keyOf(
  store: Store,
  { label, call, workspace, owner }: CallRow,
  { scope, version }: { readonly scope?: CacheScope | undefined; readonly version?: string | number | undefined },
): Promise<Key> {
  const parameters = await loadText(store, workspace, call.parameters);
  const isOwn = scope === 'job' || parameters.includes('["H"');
  const sharers = isOwn
    ? (owner?.id ?? workspace)
    : scope === 'agent'
      ? ['agent', owner?.role ?? (await roleOf(store, workspace))]
      : '';
  const name = scope === 'kit' && call.method === '' ? ownName(label) : label;
  const hash = createHash('sha256')
    .update(JSON.stringify([name, version ?? null, sharers, canonicalMessage(parameters)]))
    .digest('base64url');
  return [toolName(label, call.method !== ''), hash];
}

/** A tool is a service of each agent that has it, `agent.tool`; by itself it is called by its last name. */
function ownName(label: string): string {
  return label.slice(label.lastIndexOf('.', label.indexOf('(')) + 1);
}

async function roleOf(store: Store, workspace: string): Promise<string> {
  const [entry] = await store.read(workspaceRows, [[workspace]]);
  return entry?.value.role ?? '';
}
