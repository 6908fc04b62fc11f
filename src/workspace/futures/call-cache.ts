// Outcomes of calls that are good for other calls with the same parameters for a while.
import { createHash } from 'node:crypto';
import type { Store, Write } from '../../store/door.ts';
import type { CacheScope, CallOptions } from '../bridge/call-options.ts';
import type { WorkspaceContext } from '../context.ts';
import { loadText } from '../large-texts.ts';
import { callCacheRows, workspaceRows, type CallRow } from '../rows.ts';
import type { WireMessage } from '../wire/wire.ts';

export async function cachedOutcome(
  context: WorkspaceContext,
  future: CallRow,
  { cache }: CallOptions,
): Promise<WireMessage | undefined> {
  if (cache === undefined) return undefined;
  const { store, clock } = context;
  const [entry] = await store.read(callCacheRows, [[await keyOf(context, future, cache.scope)]]);
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
  const key = [await keyOf(context, future, cache.scope)];
  return [{ kind: 'put', collection: callCacheRows, key, value: { value, until } }];
}

/** Calls are the same if they are of the same function with the same data; handles differ from workspace to workspace. */
async function keyOf(
  { store }: WorkspaceContext,
  { label, call, workspace, owner }: CallRow,
  scope: CacheScope | undefined,
): Promise<string> {
  const parameters = await loadText(store, workspace, call.parameters);
  const isOwn = scope === 'job' || parameters.includes('["H"');
  const sharers = isOwn
    ? (owner?.id ?? workspace)
    : scope === 'agent'
      ? ['agent', owner?.role ?? (await roleOf(store, workspace))]
      : '';
  return createHash('sha256')
    .update(JSON.stringify([scope === 'kit' && call.method === '' ? ownName(label) : label, sharers, parameters]))
    .digest('base64url');
}

/** A tool is a service of each agent that has it, `agent.tool`; by itself it is called by its last name. */
function ownName(label: string): string {
  return label.slice(label.lastIndexOf('.', label.indexOf('(')) + 1);
}

async function roleOf(store: Store, workspace: string): Promise<string> {
  const [entry] = await store.read(workspaceRows, [[workspace]]);
  return entry?.value.role ?? '';
}
