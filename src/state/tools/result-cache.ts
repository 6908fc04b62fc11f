// Results that may be used again, by tool, version, scope and parameters, for a while. Concurrent misses load once, in all processes.
import { createHash, randomUUID } from 'node:crypto';
import {
  commitParts,
  encodeJson,
  removeMatching,
  scanAll,
  type Key,
  type Store,
  type Write,
} from '../../store/door.ts';
import { callCacheRows, SharedLoads } from '../../workspace/door.ts';
import { StateArgumentError } from '../foundation/errors.ts';
import { is, type Kind } from '../foundation/given.ts';
import type { Place } from '../foundation/place.ts';
import type { CachedResult, ToolCacheEntry } from './records.ts';
import { cacheRows, loadRows, type CacheRow } from './rows.ts';

/** How long a result may count. */
export const cacheSeconds: Kind = is.whole(1, 365 * 24 * 3600);
const loadLeaseMilliseconds = 5000;
const expiredForMilliseconds = 24 * 3_600_000;
/** After so many results of this process, those that have expired are removed. */
const dropEvery = 1000;
const removedAtOnce = 1000;

/** What a result is cached under, beside the tool and its parameters. */
export interface CacheIdentity {
  /** Results of another version do not count. */
  readonly version?: string | undefined;
  /** Who shares the result, such as a tenant or an agent; default: everybody. */
  readonly scope?: string | undefined;
}

/** A result to be cached. */
export interface NewCacheEntry extends CacheIdentity {
  readonly toolName: string;
  /** What it is the result of; instead, `parametersHash` may be given. */
  readonly parameters?: unknown;
  readonly parametersHash?: string | undefined;
  readonly result: unknown;
  /** Default: now. */
  readonly createdAt?: Date | undefined;
  /** Seconds for which it counts; default: `cacheTtl` of the manager. */
  readonly ttl?: number | undefined;
}

export class ResultCache {
  readonly #place: Place;
  readonly #ttl: number;
  readonly #owner = `tools ${process.pid} ${randomUUID().slice(0, 8)}`;
  #loads: SharedLoads | undefined;
  #written = 0;

  /** @param ttl in seconds */
  constructor(place: Place, ttl: number) {
    this.#place = place;
    this.#ttl = ttl;
  }

  async put(entry: NewCacheEntry): Promise<ToolCacheEntry> {
    const store = await this.#place.store();
    const { writes, row } = this.writes(entry);
    await commitParts(store, [{ writes }]);
    return entryOf(row);
  }

  /** What keeps a result, for whoever commits it with something else. */
  writes(entry: NewCacheEntry): { readonly writes: Write[]; readonly row: CacheRow } {
    const { toolName, result, version, scope, createdAt, ttl = this.#ttl } = entry;
    if (entry.parameters !== undefined && entry.parametersHash !== undefined)
      throw new StateArgumentError("cacheResult: give either 'parameters' or 'parametersHash', not both.");
    const parametersHash = entry.parametersHash ?? hashOf(entry.parameters);
    const row: CacheRow = {
      toolName,
      parametersHash,
      result: result ?? null,
      created: createdAt?.getTime() ?? this.#place.clock.now(),
      ttl,
      ...(version === undefined ? {} : { version }),
      ...(scope === undefined ? {} : { scope }),
    };
    const key = this.#key(toolName, parametersHash, { version, scope });
    if (++this.#written % dropEvery === 0) void this.dropExpired().catch(() => undefined);
    return { row, writes: [{ kind: 'put', collection: cacheRows, key, value: row }] };
  }

  async get(toolName: string, parametersHash: string, identity: CacheIdentity): Promise<CachedResult> {
    const store = await this.#place.store();
    const [found] = await store.read(cacheRows, [this.#key(toolName, parametersHash, identity)]);
    if (found === undefined) return { status: 'absent' };
    const entry = entryOf(found.value);
    if (entry.expiresAt.getTime() <= this.#place.clock.now()) return { status: 'expired', expiredAt: entry.expiresAt };
    return { status: 'hit', ...entry };
  }

  /** Removes results that expired more than a day ago; until then, the cache says that they did. Returns how many. */
  async dropExpired(): Promise<number> {
    const before = this.#place.clock.now() - expiredForMilliseconds;
    const range = { prefix: [this.#place.prefix] };
    return removeMatching(
      await this.#place.store(),
      cacheRows,
      range,
      ({ value }) => value.created + value.ttl * 1000 <= before,
    );
  }

  /** The cached result, or what `load` returns: called once for all who want it at the same time, in all processes. */
  async load<Result>(
    toolName: string,
    parametersHash: string,
    identity: CacheIdentity,
    load: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly cached: boolean }> {
    const { clock } = this.#place;
    this.#loads ??= new SharedLoads({
      store: await this.#place.store(),
      clock,
      collection: loadRows,
      leaseMilliseconds: loadLeaseMilliseconds,
      owner: () => Promise.resolve(this.#owner),
    });
    const look = async (): Promise<ToolCacheEntry | undefined> => {
      const found = await this.get(toolName, parametersHash, identity);
      return found.status === 'hit' ? found : undefined;
    };
    const key = this.#key(toolName, parametersHash, identity);
    const fetched = await this.#loads.fetch(key, look, () => false);
    if (fetched === undefined) throw new Error('Fetching a result ended without one.');
    if ('known' in fetched) return { result: fetched.known.result as Result, cached: true };
    try {
      const result = await load();
      await this.put({ toolName, parametersHash, result, ...identity });
      return { result, cached: false };
    } finally {
      await fetched.release();
    }
  }

  /** Forgets results: of one tool, or of one with these parameters; of a kit's agents, too. Returns how many. */
  async invalidate(toolName: string, parametersHash: string | undefined, identity: CacheIdentity): Promise<number> {
    const store = await this.#place.store();
    if (parametersHash !== undefined) {
      const key = this.#key(toolName, parametersHash, identity);
      const [found] = await store.read(cacheRows, [key]);
      if (found === undefined) return 0;
      await commitParts(store, [{ writes: [{ kind: 'remove', collection: cacheRows, key }] }]);
      return 1;
    }
    const own = await removeAll(store, cacheRows, [this.#place.prefix, toolName], (row) =>
      isOf(row as CacheRow, identity),
    );
    const isForAgents = this.#place.prefix === '' && identity.version === undefined && identity.scope === undefined;
    return own + (isForAgents ? await removeAll(store, callCacheRows, [toolName], () => true) : 0);
  }

  #key(toolName: string, parametersHash: string, { version, scope }: CacheIdentity): Key {
    const hash = createHash('sha256')
      .update(JSON.stringify([version ?? null, scope ?? null, parametersHash]))
      .digest('base64url');
    return [this.#place.prefix, toolName, hash];
  }
}

/** Parameters that say the same have the same hash, in whichever order their members were given. */
export function hashOf(parameters: unknown): string {
  const text = encodeJson(sorted(parameters ?? null), 'The parameters');
  return createHash('sha256').update(text).digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]),
  );
}

function entryOf({ toolName, parametersHash, result, created, ttl, version, scope }: CacheRow): ToolCacheEntry {
  return {
    toolName,
    parametersHash,
    result,
    createdAt: new Date(created),
    ttl,
    expiresAt: new Date(created + ttl * 1000),
    version,
    scope,
  };
}

function isOf(row: CacheIdentity, { version, scope }: CacheIdentity): boolean {
  return (version === undefined || row.version === version) && (scope === undefined || row.scope === scope);
}

async function removeAll(
  store: Store,
  collection: typeof cacheRows | typeof callCacheRows,
  prefix: Key,
  isMeant: (value: unknown) => boolean,
): Promise<number> {
  let count = 0;
  let keys: Key[] = [];
  const remove = async (): Promise<void> => {
    count += keys.length;
    await commitParts(store, [{ writes: keys.map((key): Write => ({ kind: 'remove', collection, key })) }]);
    keys = [];
  };
  for await (const { key, value } of scanAll(store, collection, { prefix })) {
    if (isMeant(value)) keys.push(key);
    if (keys.length >= removedAtOnce) await remove();
  }
  if (keys.length > 0) await remove();
  return count;
}
