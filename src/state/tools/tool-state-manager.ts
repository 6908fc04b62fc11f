// Executions of tools: what was reported of them, what the agents of a kit called, results that are used again, retries, statistics.
// A status is not stored: it follows from what was said of an execution, or from the journal of calls.
import { randomUUID } from 'node:crypto';
import { mergeParts, type Check, type Entry, type Key, type Store, type Write } from '../../store/door.ts';
import { callLogRows, logWrite, removeRows, type LoggedCall } from '../../workspace/door.ts';
import { StateConflictError, StateNotFoundError } from '../foundation/errors.ts';
import { Changes, type Decision } from '../foundation/changes.ts';
import { once } from '../foundation/once.ts';
import {
  subscribeToChanges,
  type ChangeCallback,
  type EventOptions,
  type Followed,
} from '../foundation/subscribing.ts';
import { keyMatcher, type KeyPattern } from '../manager/pattern.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import { checkTransition, type Transitions } from '../foundation/transitions.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import type { CallJournal } from './kit-calls.ts';
import type {
  CachedResult,
  NewToolExecution,
  RetryState,
  ToolCacheEntry,
  ToolExecution,
  ToolExecutionStatus,
  ToolStats,
} from './records.ts';
import { cacheSeconds, hashOf, ResultCache, type CacheIdentity, type NewCacheEntry } from './result-cache.ts';
import { Retries, retryClaim, underClaim, type ClaimedRetry, type NewRetryState, type RetryClaim } from './retries.ts';
import { executionRows, indexRows, toolCollections, type ExecutionRow } from './rows.ts';
import { indexWrites, ToolStatistics, type StatsFilter, type StatsGroup } from './statistics.ts';

/** Where executions are kept, and whether their results are used again. */
export interface ToolStateManagerOptions extends PlaceOptions {
  /** Results of completed executions are cached under their tool and parameters; default: false. */
  readonly cacheResults?: boolean | undefined;
  /** Seconds for which cached results count; default: 3,600. */
  readonly cacheTtl?: number | undefined;
}

/** What is said at the end of an execution. */
export interface ExecutionEnd {
  /** How long it took; default: the time since it began. */
  readonly durationMs?: number | undefined;
  /** The same report made twice happens once. */
  readonly idempotencyKey?: string | undefined;
  /** The retry that this worker was handed: the report is refused if another worker has it now. */
  readonly claim?: RetryClaim | undefined;
}

/** Which executions, the latest first. */
export interface HistoryOptions {
  readonly toolName?: string | undefined;
  readonly role?: string | undefined;
  /** Only executions that began at this time or later. */
  readonly since?: Date | undefined;
  /** How many at most; default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  /** The cursor of the page before. */
  readonly cursor?: string | undefined;
}

/** One page of executions; give `cursor` to the next call until it is undefined. */
export interface HistoryPage {
  readonly executions: readonly ToolExecution[];
  readonly cursor: string | undefined;
}

const transitions: Transitions<ToolExecutionStatus> = {
  pending: ['running', 'completed', 'failed', 'cancelled'],
  running: ['completed', 'failed', 'cancelled'],
  // A failed execution is tried again.
  failed: ['running', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
  unknown: [],
};
const maxLimit = 1000;
/** A page of one role is looked for among so many executions. */
const maxLookedAt = 10_000;
/** After so many calls of this process, they are folded into statistics. */
const foldEvery = 1000;
/** Names of tools of other servers, and ids of calls, are long. */
const longName = is.nameUpTo(300);
const kinds: Kinds<ToolStateManagerOptions> = { ...placeKinds, cacheResults: is.flag, cacheTtl: cacheSeconds };
const ends: Kinds<ExecutionEnd> = { durationMs: is.amount, idempotencyKey: is.reportKey, claim: retryClaim };
const identities: Kinds<CacheIdentity> = { version: is.text, scope: is.text };
const filters: Kinds<StatsFilter> = { role: is.text, since: is.date, until: is.date };

/**
 * Executions of tools: history, cached results, retries, statistics. By itself it keeps what is reported; `kit.tools` also shows the
 * calls that agents made.
 *
 * @example
 * import { ToolStateManager } from 'statek/state';
 *
 * const tools = new ToolStateManager({ store: 'memory:', cacheResults: true, cacheTtl: 3600 });
 * const { executionId } = await tools.startExecution({ toolName: 'search', parameters: { query: 'news' } });
 * await tools.completeExecution(executionId, { result: ['one', 'two'], durationMs: 1500 });
 * const { totalExecutions, avgDurationMs } = await tools.getToolStats('search');
 * console.log(totalExecutions, avgDurationMs); // prints 1 1500
 * await tools.close();
 */
export class ToolStateManager {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #cacheResults: boolean;
  readonly #cache: ResultCache;
  readonly #retries: Retries;
  readonly #statistics: ToolStatistics;
  readonly #closing = new AbortController();
  #journal: CallJournal | undefined;
  #logged = 0;

  constructor(options: ToolStateManagerOptions = {}) {
    checkGiven('ToolStateManager', options, kinds);
    const { cacheResults = false, cacheTtl = 3600, ...place } = options;
    this.#place = new Place('ToolStateManager', place, toolCollections);
    this.#changes = new Changes(() => this.#place.store());
    this.#cacheResults = cacheResults;
    this.#cache = new ResultCache(this.#place, cacheTtl);
    this.#retries = new Retries(this.#place, this.#changes);
    this.#statistics = new ToolStatistics(this.#place);
  }

  /** @internal Shows the calls of a kit, too; returns itself. */
  over(journal: CallJournal): this {
    this.#journal = journal;
    return this;
  }

  /** Reports that an execution begins, or is tried again after it failed. */
  async startExecution(execution: NewToolExecution): Promise<ToolExecution> {
    checkGiven('startExecution', execution, {
      toolName: required(longName),
      executionId: longName,
      parameters: is.json,
      status: is.oneOf(['pending', 'running']),
      startedAt: is.date,
      role: is.text,
      metadata: is.record,
      idempotencyKey: is.reportKey,
    });
    const { toolName, executionId = randomUUID(), parameters, status = 'running', role = '', metadata } = execution;
    const { idempotencyKey, startedAt, ...contents } = execution;
    return this.#report(
      executionId,
      { idempotencyKey, contents: { start: defined(contents) } },
      undefined,
      (known, now) => {
        const started = startedAt?.getTime() ?? now;
        const isRunning = status === 'running';
        if (known !== undefined) {
          const { end: _end, ...before } = known.value;
          // What ends and begins again is one execution, with another attempt.
          checkTransition(`The execution '${executionId}'`, transitions, statusOf(known.value), status);
          if (statusOf(known.value) === status)
            throw new StateConflictError(`The execution '${executionId}' has begun already.`, { executionId });
          const attempts = (before.attempts ?? 1) + (before.started === undefined ? 0 : 1);
          return { row: isRunning ? { ...before, started, attempts } : before, writes: [] };
        }
        const row: ExecutionRow = {
          executionId,
          toolName,
          ...(parameters === undefined ? {} : { parameters }),
          role,
          ...(metadata === undefined ? {} : { metadata }),
          created: started,
          ...(isRunning ? { started } : {}),
        };
        const entry = { id: executionId, reported: true as const, role };
        return { row, writes: indexWrites(this.#place.prefix, entry, { tool: toolName, started }) };
      },
    );
  }

  /** Reports the result of an execution. */
  async completeExecution(
    executionId: string,
    end: ExecutionEnd & { readonly result?: unknown } = {},
  ): Promise<ToolExecution> {
    checkArgument('completeExecution', 'executionId', executionId, longName);
    checkGiven('completeExecution', end, { ...ends, result: is.json });
    return this.#end(executionId, { outcome: 'completed', result: end.result ?? null }, end);
  }

  /** Reports that an execution has failed; `updateRetryState` says whether it is tried again. */
  async failExecution(executionId: string, end: ExecutionEnd & { readonly error: unknown }): Promise<ToolExecution> {
    checkArgument('failExecution', 'executionId', executionId, longName);
    checkGiven('failExecution', end, { ...ends, error: is.anything });
    const { error } = end;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return this.#end(executionId, { outcome: 'failed', error: text }, end);
  }

  async cancelExecution(
    executionId: string,
    end: ExecutionEnd & { readonly reason?: string | undefined } = {},
  ): Promise<ToolExecution> {
    checkArgument('cancelExecution', 'executionId', executionId, longName);
    checkGiven('cancelExecution', end, { ...ends, reason: is.text });
    const { reason = 'The execution was cancelled.' } = end;
    return this.#end(executionId, { outcome: 'cancelled', error: reason }, end);
  }

  /** An execution by its id; in a kit also a call of an agent. Undefined if there is none. */
  async getExecution(executionId: string): Promise<ToolExecution | undefined> {
    checkArgument('getExecution', 'executionId', executionId, is.text);
    const store = await this.#place.store();
    const [known] = await store.read(executionRows, [this.#key(executionId)]);
    return known === undefined ? this.#journal?.find(executionId) : executionOf(known.value);
  }

  /** Executions, the latest first. Calls of agents are there once they are over. */
  async getExecutionHistory(options: HistoryOptions = {}): Promise<HistoryPage> {
    checkGiven('getExecutionHistory', options, {
      toolName: is.text,
      role: is.text,
      since: is.date,
      limit: is.whole(1, maxLimit),
      cursor: is.text,
    });
    const { toolName, role, since, limit = 100 } = options;
    await this.#statistics.fold();
    const store = await this.#place.store();
    const under = [this.#place.prefix, ...(toolName === undefined ? ['all'] : ['tool', toolName])];
    const range = { prefix: under, ...(since === undefined ? {} : { from: [...under, since.getTime()] }) };
    const found: ToolExecution[] = [];
    let { cursor } = options;
    let lookedAt = 0;
    do {
      const size = role === undefined ? limit - found.length : Math.min(limit - found.length, maxLimit);
      const page = await store.scan(indexRows, range, { reverse: true, limit: size, cursor });
      const wanted = page.entries.filter(({ value }) => role === undefined || value.role === role);
      found.push(...(await this.#executions(store, wanted)));
      lookedAt += page.entries.length;
      ({ cursor } = page);
    } while (cursor !== undefined && found.length < limit && lookedAt < maxLookedAt);
    return { executions: found, cursor };
  }

  /** Forgets executions that began before a time; statistics keep counting them. Returns how many. */
  async deleteHistory(options: { readonly before: Date }): Promise<number> {
    checkGiven('deleteHistory', options, { before: required(is.date) });
    await this.#statistics.fold();
    const store = await this.#place.store();
    const { prefix } = this.#place;
    let count = 0;
    for (;;) {
      const range = { prefix: [prefix, 'all'], to: [prefix, 'all', options.before.getTime()] };
      const { entries } = await store.scan(indexRows, range, { limit: maxLimit });
      if (entries.length === 0) return count;
      const reported = await store.read(
        executionRows,
        entries.map(({ value }) => this.#key(value.id)),
      );
      const writes = entries.flatMap(({ key, value }, index): Write[] => {
        const tool = 'tool' in value ? value.tool : (reported[index]?.value.toolName ?? '');
        return [
          { kind: 'remove', collection: indexRows, key },
          { kind: 'remove', collection: indexRows, key: [prefix, 'tool', tool, key[2] as number, value.id] },
          { kind: 'remove', collection: executionRows, key: this.#key(value.id) },
        ];
      });
      await store.commit([{ writes }]);
      count += entries.length;
    }
  }

  /** Keeps a result for others with the same parameters. */
  async cacheResult(entry: NewCacheEntry): Promise<ToolCacheEntry> {
    checkGiven('cacheResult', entry, {
      toolName: required(longName),
      parameters: is.json,
      parametersHash: longName,
      result: is.json,
      createdAt: is.date,
      ttl: cacheSeconds,
      ...identities,
    });
    return this.#cache.put(entry);
  }

  /** The result of an earlier execution with these parameters, if one counts. A hit is an execution with `cached: true`. */
  async getCachedResult(
    toolName: string,
    parameters: unknown,
    identity: CacheIdentity & { readonly role?: string | undefined } = {},
  ): Promise<CachedResult> {
    checkArgument('getCachedResult', 'toolName', toolName, longName);
    checkGiven('getCachedResult', identity, { ...identities, role: is.text });
    const found = await this.#cache.get(toolName, hashOf(parameters), identity);
    if (found.status === 'hit') await this.#recordHit(toolName, parameters, found.result, identity.role);
    return found;
  }

  /**
   * The cached result, or what `load` returns, which is then cached. However many ask at the same time, in however many processes,
   * `load` is called once; if it fails, the next one tries.
   */
  async getOrLoad<Result>(
    toolName: string,
    parameters: unknown,
    load: () => Promise<Result>,
    identity: CacheIdentity & { readonly role?: string | undefined } = {},
  ): Promise<Result> {
    checkArgument('getOrLoad', 'toolName', toolName, longName);
    checkArgument('getOrLoad', 'what loads it', load, is.action);
    checkGiven('getOrLoad', identity, { ...identities, role: is.text });
    const { role, ...rest } = identity;
    const { result, cached } = await this.#cache.load(toolName, hashOf(parameters), rest, async () => {
      const { executionId } = await this.startExecution({ toolName, parameters, role });
      try {
        const loaded = await load();
        await this.completeExecution(executionId, { result: loaded });
        return loaded;
      } catch (error) {
        await this.failExecution(executionId, { error });
        throw error;
      }
    });
    if (cached) await this.#recordHit(toolName, parameters, result, role);
    return result;
  }

  /** Forgets results of a tool: all, or those of these parameters, version or scope. Returns how many. */
  async invalidateCache(
    toolName: string,
    options: CacheIdentity & { readonly parameters?: unknown } = {},
  ): Promise<number> {
    checkArgument('invalidateCache', 'toolName', toolName, longName);
    checkGiven('invalidateCache', options, { ...identities, parameters: is.json });
    const { parameters, ...identity } = options;
    return this.#cache.invalidate(toolName, parameters === undefined ? undefined : hashOf(parameters), identity);
  }

  /** Reports that a failed execution is tried again, and when. A worker that was handed it gives its claim. */
  async updateRetryState(
    state: NewRetryState,
    options: { readonly claim?: RetryClaim | undefined } = {},
  ): Promise<RetryState> {
    checkGiven('updateRetryState', state, {
      executionId: required(longName),
      attempts: required(is.whole(0, 1_000_000)),
      maxAttempts: required(is.whole(1, 1_000_000)),
      lastError: is.text,
      nextRetryAt: is.date,
      backoffFactor: is.within(1, 1000),
    });
    checkGiven('updateRetryState', options, { claim: retryClaim });
    return this.#retries.update(state, options.claim);
  }

  async getRetryState(executionId: string): Promise<RetryState | undefined> {
    checkArgument('getRetryState', 'executionId', executionId, longName);
    return this.#retries.get(executionId);
  }

  /** Executions that are tried again, the next one first; with `due`, only those whose time has come. */
  async getPendingRetries(
    options: { readonly due?: boolean | undefined; readonly limit?: number | undefined } = {},
  ): Promise<readonly RetryState[]> {
    checkGiven('getPendingRetries', options, { due: is.flag, limit: is.whole(1, maxLimit) });
    return this.#retries.pending(options.due === true, options.limit ?? 100);
  }

  /**
   * Hands a retry whose time has come to this worker, and to no other until the lease expires (default: 60,000 ms). Undefined if there
   * is none.
   */
  async claimRetry(
    options: { readonly leaseMilliseconds?: number | undefined } = {},
  ): Promise<ClaimedRetry | undefined> {
    checkGiven('claimRetry', options, { leaseMilliseconds: is.whole(1, 86_400_000) });
    return this.#retries.claim(options.leaseMilliseconds ?? 60_000);
  }

  /** Gives a retry back without having tried it. */
  async releaseRetry(claim: RetryClaim): Promise<void> {
    checkArgument('releaseRetry', 'the claim', claim, retryClaim);
    await this.#retries.release(claim);
  }

  /** Statistics of a tool, or of all tools; of executions that are over. */
  async getToolStats(toolName?: string, filter: StatsFilter = {}): Promise<ToolStats> {
    if (toolName !== undefined) checkArgument('getToolStats', 'toolName', toolName, is.text);
    checkGiven('getToolStats', filter, filters);
    return this.#statistics.of(toolName, filter);
  }

  /** Statistics by tool, role, hour or day. */
  async listToolStats(
    options: StatsFilter & { readonly by: StatsGroup; readonly toolName?: string | undefined },
  ): Promise<readonly ToolStats[]> {
    checkGiven('listToolStats', options, {
      by: required(is.oneOf(['tool', 'role', 'hour', 'day'])),
      toolName: is.text,
      ...filters,
    });
    const { by, toolName, ...filter } = options;
    return this.#statistics.by(by, toolName, filter);
  }

  /**
   * Calls `callback` with each execution that was reported or has ended, in any process, and with what it was when it was told before:
   * of one tool, or of those whose names match a pattern; calls of agents once they are over. Returns the function that ends it.
   */
  async subscribe(
    pattern: KeyPattern,
    callback: ChangeCallback<ToolExecution>,
    options: EventOptions = {},
  ): Promise<() => void> {
    const { matches } = keyMatcher(pattern);
    const { prefix } = this.#place;
    const followed: Followed<ToolExecution> = {
      store: () => this.#place.store(),
      collections: [callLogRows, executionRows, indexRows],
      nameOf: ({ collection, key }) => {
        if (key[0] !== prefix) return undefined;
        // Folding the log puts its calls into the index, which is followed, too.
        if (collection === callLogRows.name) void this.#statistics.fold().catch(() => undefined);
        else if (collection === executionRows.name) return String(key[1]);
        else if (key[1] === 'all') return String(key[3]);
        return undefined;
      },
      look: async (id) => {
        const execution = await this.getExecution(id);
        return execution !== undefined && matches(execution.toolName) ? execution : undefined;
      },
      closing: this.#closing.signal,
    };
    return subscribeToChanges(followed, callback, options);
  }

  /** Ends all subscriptions, and closes the store if this manager opened it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#statistics.settled();
    await this.#place.close();
  }

  /** @internal Removes cached results that expired long ago. Returns how many; a manager that is closed leaves it to others. */
  async dropExpiredResults(): Promise<number> {
    const { signal } = this.#closing;
    if (signal.aborted) return 0;
    try {
      return await this.#cache.dropExpired();
    } catch (error) {
      if (hasEnded(signal)) return 0;
      throw error;
    }
  }

  /**
   * @internal Removes calls of agents and programs from the history that their journal does not have any more; statistics have counted
   * them. Returns how many rows.
   */
  async dropGoneCalls(): Promise<number> {
    const { signal } = this.#closing;
    const journal = this.#journal;
    if (journal === undefined || signal.aborted) return 0;
    try {
      await this.#statistics.fold();
      const store = await this.#place.store();
      return await removeRows(store, indexRows, goneCalls(store, this.#place.prefix, journal));
    } catch (error) {
      if (hasEnded(signal)) return 0;
      throw error;
    }
  }

  /** @internal So many calls were logged: now and then they are folded, so that statistics never have much to catch up on. */
  callsLogged(count: number): void {
    this.#logged += count;
    if (this.#logged < foldEvery) return;
    this.#logged = 0;
    this.#statistics.fold().catch(() => undefined);
  }

  #key(executionId: string): readonly string[] {
    return [this.#place.prefix, executionId];
  }

  async #end(
    executionId: string,
    end: Pick<NonNullable<ExecutionRow['end']>, 'outcome' | 'result' | 'error'>,
    { durationMs, idempotencyKey, claim }: ExecutionEnd,
  ): Promise<ToolExecution> {
    return this.#report(
      executionId,
      { idempotencyKey, contents: { end, durationMs: durationMs ?? null } },
      claim,
      async (known, now, store) => {
        if (known === undefined)
          throw new StateNotFoundError(`There is no execution '${executionId}'. Report its beginning first.`, {
            executionId,
          });
        const { value } = known;
        const status = statusOf(value);
        checkTransition(`The execution '${executionId}'`, transitions, status, end.outcome);
        if (status === end.outcome)
          throw new StateConflictError(`The execution '${executionId}' is ${status} already.`, { executionId, status });
        const { toolName, role, started = value.created } = value;
        const took = durationMs ?? Math.max(0, now - started);
        const row: ExecutionRow = { ...value, end: { ...end, time: now, durationMs: took } };
        const settled =
          end.outcome === 'failed' ? { checks: [], writes: [] } : await this.#retries.settled(store, executionId);
        const cached =
          this.#cacheResults && end.outcome === 'completed'
            ? this.#cache.writes({ toolName, parameters: value.parameters, result: end.result }).writes
            : [];
        return {
          row,
          checks: settled.checks,
          writes: [
            ...settled.writes,
            ...cached,
            ...this.#log(now, {
              id: executionId,
              tool: toolName,
              job: '',
              role,
              started: now - took,
              ended: now,
              outcome: end.outcome,
            }),
          ],
        };
      },
    );
  }

  async #recordHit(toolName: string, parameters: unknown, result: unknown, role = ''): Promise<void> {
    const store = await this.#place.store();
    const { prefix, clock } = this.#place;
    const now = clock.now();
    const executionId = randomUUID();
    const row: ExecutionRow = {
      executionId,
      toolName,
      ...(parameters === undefined ? {} : { parameters }),
      role,
      created: now,
      started: now,
      cached: true,
      end: { outcome: 'completed', time: now, durationMs: 0, result },
    };
    const logged = { id: executionId, tool: toolName, job: '', role, started: now, ended: now, cached: true as const };
    await store.commit([
      {
        writes: [
          { kind: 'put', collection: executionRows, key: this.#key(executionId), value: row },
          ...indexWrites(prefix, { id: executionId, reported: true, role }, { tool: toolName, started: now }),
          ...this.#log(now, { ...logged, outcome: 'completed' }),
        ],
      },
    ]);
  }

  #log(time: number, call: LoggedCall): Write[] {
    this.callsLogged(1);
    return logWrite(this.#place.prefix, time, `${call.id} ${randomUUID()}`, [{ ...call, reported: true }]);
  }

  /** Changes an execution by what was reported of it, once for each idempotency key. */
  async #report(
    executionId: string,
    { idempotencyKey, contents }: { readonly idempotencyKey: string | undefined; readonly contents: unknown },
    claim: RetryClaim | undefined,
    change: (known: Entry<ExecutionRow> | undefined, now: number, store: Store) => Promise<Change> | Change,
  ): Promise<ToolExecution> {
    const { prefix, clock } = this.#place;
    const key = this.#key(executionId);
    const decide = async (store: Store): Promise<Decision<ToolExecution>> => {
      const [known] = await store.read(executionRows, [key]);
      const now = clock.now();
      const scope = `the execution '${executionId}'`;
      const mark = await once(store, { prefix, scope, idempotencyKey, contents, time: now });
      if (mark === undefined && known !== undefined) return { value: executionOf(known.value) };
      const { row, checks = [], writes } = await change(known, now, store);
      const place = { collection: executionRows, key };
      const own = {
        checks: [
          known === undefined
            ? { kind: 'absent' as const, ...place }
            : { kind: 'revision' as const, ...place, revision: known.revision },
          ...checks,
        ],
        writes: [{ kind: 'put' as const, ...place, value: row }, ...writes],
      };
      return { value: executionOf(row), part: mergeParts(own, mark) };
    };
    return this.#changes.make(`The execution '${executionId}'`, decide, claim && underClaim(claim));
  }

  /** Executions of a page of the index, in its order. */
  async #executions(
    store: Store,
    entries: readonly { readonly value: { readonly id: string } | LoggedCall }[],
  ): Promise<ToolExecution[]> {
    const reported = await store.read(
      executionRows,
      entries.map(({ value }) => this.#key(value.id)),
    );
    const all = await Promise.all(
      entries.map(async ({ value }, index) => {
        const own = reported[index];
        if (own !== undefined) return executionOf(own.value);
        return 'tool' in value ? this.#journal?.complete(value) : undefined;
      }),
    );
    return all.filter((execution) => execution !== undefined);
  }
}

function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface Change {
  readonly row: ExecutionRow;
  readonly checks?: readonly Check[];
  readonly writes: readonly Write[];
}

function statusOf({ started, end }: ExecutionRow): ToolExecutionStatus {
  return end?.outcome ?? (started === undefined ? 'pending' : 'running');
}

function executionOf(row: ExecutionRow): ToolExecution {
  const { executionId, toolName, parameters, role, metadata = {}, created, started, attempts = 1, cached, end } = row;
  return {
    executionId,
    toolName,
    status: statusOf(row),
    parameters,
    result: end?.result,
    error: end?.error,
    startedAt: new Date(started ?? created),
    completedAt: end && new Date(end.time),
    durationMs: end?.durationMs,
    cached: cached === true,
    attempts,
    role,
    jobId: undefined,
    metadata,
  };
}

/** Without members that were left open. */
function defined(contents: object): object {
  return Object.fromEntries(Object.entries(contents).filter(([, value]) => value !== undefined));
}

/** The rows of the history for calls that are gone. */
async function* goneCalls(store: Store, prefix: string, journal: CallJournal): AsyncGenerator<Key, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await store.scan(indexRows, { prefix: [prefix, 'all'] }, { limit: maxLimit, cursor });
    const calls = page.entries.flatMap(({ value }) => ('tool' in value ? [value] : []));
    const gone = await journal.gone(calls);
    for (const { key, value } of page.entries) {
      if (!('tool' in value) || !gone.has(value)) continue;
      yield key;
      yield [prefix, 'tool', value.tool, key[2] as number, value.id];
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
}
