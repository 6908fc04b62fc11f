// Brings agents back after failures: by one process at a time, with a pause that grows, and only so many times. Failures and attempts
// are in the store, so a restart forgets none of them.
import { randomUUID } from 'node:crypto';
import { afterQuietly } from '../../base/clock.ts';
import { keepLease, mergeParts, type Check, type Entry, type Lease, type Store, type Write } from '../../store/door.ts';
import { StateArgumentError, StateConflictError } from '../foundation/errors.ts';
import { Changes, type Decision } from '../foundation/changes.ts';
import { checkArgument, checkGiven, is, type Kinds } from '../foundation/given.ts';
import { checkedName } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import {
  subscribeToChanges,
  type ChangeCallback,
  type EventOptions,
  type Followed,
} from '../foundation/subscribing.ts';
import { keyMatcher, type KeyPattern } from '../manager/pattern.ts';
import { placeKinds, type Place, type PlaceOptions } from '../foundation/place.ts';
import { AgentStateStore } from './agent-state-store.ts';
import { AgentRecoveryError } from './errors.ts';
import type { AgentRecovery, FailureStats, RecoveryVerdict } from './records.ts';
import { recoveryRows, recoveryWork, type RecoveryRow } from './rows.ts';

/** The pause between attempts: none before the first, and longer each time. */
export interface RecoveryBackoff {
  /** Milliseconds before the second attempt; default: 1,000. */
  readonly initial?: number | undefined;
  /** Each further pause is so many times as long; default: 2. */
  readonly factor?: number | undefined;
  /** The longest pause, in milliseconds; default: 60,000. */
  readonly longest?: number | undefined;
}

/** Whose agents are recovered, when, and how often. */
export interface AgentRecoveryManagerOptions extends PlaceOptions {
  /** Where snapshots are, such as `kit.agents`; default: a store of its own, with the options of a store. */
  readonly agentStore?: AgentStateStore | undefined;
  /** Registered agents are recovered when they fail; default: only when `recover` is called. */
  readonly autoRecover?: boolean | undefined;
  /** How often an agent is recovered until it succeeds; default: 3. */
  readonly maxRecoveryAttempts?: number | undefined;
  readonly backoff?: RecoveryBackoff | undefined;
  /** How long another process waits before it takes over a recovery whose process died; default: 30,000. */
  readonly leaseMilliseconds?: number | undefined;
}

/** Brings an agent of the application back: it is given what was saved. A job of a kit needs none. */
export type RecoveryHandler = (recovery: AgentRecovery) => unknown;

const maxError = 2000;
const longestPause = 365 * 24 * 3_600_000;
const pauses = is.whole(0, longestPause);
const kinds: Kinds<AgentRecoveryManagerOptions> = {
  ...placeKinds,
  agentStore: is.own((value) => value instanceof AgentStateStore, 'an AgentStateStore'),
  autoRecover: is.flag,
  maxRecoveryAttempts: is.whole(1, 1_000_000),
  backoff: is.anything,
  leaseMilliseconds: is.whole(1, longestPause),
};
const nothing: RecoveryRow = { failures: 0, attempts: 0, recoveries: 0 };

/**
 * Recovers agents after failures, with limits that survive restarts.
 *
 * @example
 * import { AgentRecoveryManager, AgentStateStore } from 'statek/state';
 *
 * const agentStore = new AgentStateStore({ store: 'memory:' });
 * await agentStore.saveCheckpoint({ agentId: 'researcher', step: 5, state: { page: 12 } });
 * const recovery = new AgentRecoveryManager({ agentStore, maxRecoveryAttempts: 3 });
 * await recovery.register('researcher', ({ checkpoint }) => console.log('from step', checkpoint?.step));
 * await recovery.onFailure('researcher', new Error('Connection lost'));
 * await recovery.recover('researcher'); // prints from step 5
 * await recovery.close();
 * await agentStore.close();
 */
export class AgentRecoveryManager {
  readonly #agents: AgentStateStore;
  readonly #changes: Changes;
  readonly #ownsAgents: boolean;
  readonly #autoRecover: boolean;
  readonly #maxAttempts: number;
  readonly #backoff: { readonly initial: number; readonly factor: number; readonly longest: number };
  readonly #leaseMilliseconds: number;
  readonly #owner = `recovery ${process.pid} ${randomUUID().slice(0, 8)}`;
  readonly #handlers = new Map<string, RecoveryHandler | undefined>();
  readonly #scheduled = new Map<string, () => void>();
  readonly #watching = new Map<string, AbortController>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(options: AgentRecoveryManagerOptions = {}) {
    const where = 'AgentRecoveryManager';
    checkGiven(where, options, kinds);
    const {
      agentStore,
      autoRecover = false,
      maxRecoveryAttempts = 3,
      backoff = {},
      leaseMilliseconds = 30_000,
      ...place
    } = options;
    checkGiven(`${where}: backoff`, backoff, { initial: pauses, factor: is.within(1, 1000), longest: pauses });
    const { initial = 1000, factor = 2, longest = 60_000 } = backoff;
    if (agentStore !== undefined && Object.values(place).some((one) => one !== undefined))
      throw new StateArgumentError(`${where}: 'agentStore' says where everything is. Leave the other places out.`);
    this.#agents = agentStore ?? new AgentStateStore(place);
    this.#changes = new Changes(() => this.#place.store());
    this.#ownsAgents = agentStore === undefined;
    this.#autoRecover = autoRecover;
    this.#maxAttempts = maxRecoveryAttempts;
    this.#backoff = { initial, factor, longest };
    this.#leaseMilliseconds = leaseMilliseconds;
  }

  /**
   * This process recovers the agent. What was left of an earlier process is taken up: with `autoRecover`, an agent that had failed is
   * recovered. A job of a kit is watched, and needs no handler.
   */
  async register(agentId: string, handler?: RecoveryHandler): Promise<void> {
    if (this.#isClosed) throw new StateArgumentError('This manager was closed. Make another.');
    checkedName('register', 'agentId', agentId);
    if (handler !== undefined) checkArgument('register', 'the handler', handler, is.action);
    this.#handlers.set(agentId, handler);
    const store = await this.#place.store();
    const key = this.#key(agentId);
    const [known] = await store.read(recoveryRows, [key]);
    if (known === undefined)
      await store.commit([
        {
          checks: [{ kind: 'absent', collection: recoveryRows, key }],
          writes: [{ kind: 'put', collection: recoveryRows, key, value: nothing }],
        },
      ]);
    if (!this.#autoRecover) return;
    if ((await this.#agents.jobs?.row(agentId)) !== undefined) this.#watch(agentId);
    else if (known !== undefined && isDown(known.value)) this.#schedule(agentId, known.value);
  }

  /** This process does not recover the agent any more. */
  unregister(agentId: string): void {
    this.#handlers.delete(agentId);
    this.#scheduled.get(agentId)?.();
    this.#scheduled.delete(agentId);
    this.#watching.get(agentId)?.abort();
    this.#watching.delete(agentId);
  }

  /** Reports a failure. With `autoRecover`, a registered agent is recovered as soon as its pause is over. */
  async onFailure(
    agentId: string,
    error: unknown,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<FailureStats> {
    checkedName('onFailure', 'agentId', agentId);
    checkGiven('onFailure', options, { idempotencyKey: is.reportKey });
    const text = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, maxError);
    const { idempotencyKey } = options;
    const row = await this.#change(agentId, { idempotencyKey, contents: { failure: text } }, (before, now) => ({
      ...before,
      failures: before.failures + 1,
      lastFailure: { time: now, error: text },
    }));
    if (this.#autoRecover && this.#handlers.has(agentId)) this.#schedule(agentId, row);
    return this.#statsOf(agentId, row);
  }

  /** Reports that the agent has succeeded: the next failure has all attempts again. */
  async onSuccess(agentId: string): Promise<FailureStats> {
    checkedName('onSuccess', 'agentId', agentId);
    const row = await this.#change(agentId, undefined, ({ failures, lastFailure, recoveries }) => ({
      failures,
      ...(lastFailure === undefined ? {} : { lastFailure }),
      attempts: 0,
      recoveries,
      recovered: failures,
    }));
    return this.#statsOf(agentId, row);
  }

  /**
   * Recovers an agent from what was saved: the latest, or one by its id. One process at a time does; the attempt is in the store
   * before it begins, so one that dies counts, too. Throws if no attempt is left, or it is too early.
   */
  async recover(agentId: string, options: { readonly from?: string | undefined } = {}): Promise<AgentRecovery> {
    checkedName('recover', 'agentId', agentId);
    checkGiven('recover', options, { from: is.name });
    return (await this.#recover(agentId, options, () => true)) as AgentRecovery;
  }

  /** Undefined if, once this process holds the lease, what is known of the agent says that it is not needed. */
  async #recover(
    agentId: string,
    options: { readonly from?: string | undefined },
    isNeeded: (row: RecoveryRow) => boolean,
  ): Promise<AgentRecovery | undefined> {
    const store = await this.#place.store();
    const lease = await this.#claim(store, agentId);
    const stop = keepLease(store, this.#place.clock, lease, this.#leaseMilliseconds);
    try {
      // What cannot work is no attempt.
      await this.#agents.check(agentId, options.from);
      if (!(await this.#begin(agentId, lease, isNeeded))) return undefined;
      const recovery = await this.#agents.recover(agentId, options);
      await this.#handlers.get(agentId)?.(recovery);
      await this.#change(agentId, undefined, (row) => ({
        ...row,
        recoveries: row.recoveries + 1,
        recovered: row.failures,
      }));
      return recovery;
    } finally {
      await store.release([stop()]).catch(() => undefined);
    }
  }

  /** Whether the agent can be recovered now, and if not, why. */
  async canRecover(agentId: string): Promise<RecoveryVerdict> {
    checkedName('canRecover', 'agentId', agentId);
    const row = await this.#read(await this.#place.store(), agentId);
    const { unknownCalls, isSaved } = await this.#agents.obstacles(agentId);
    const { attemptsLeft, nextAttemptAt, exhausted } = this.#statsOf(agentId, row?.value ?? nothing);
    const isEarly = nextAttemptAt !== undefined && nextAttemptAt.getTime() > this.#place.clock.now();
    const reason = exhausted
      ? 'attempts'
      : unknownCalls.length > 0
        ? 'outcome'
        : !isSaved
          ? 'saved'
          : isEarly
            ? 'backoff'
            : 'ready';
    return { recoverable: reason === 'ready', reason, attemptsLeft, nextAttemptAt, unknownCalls };
  }

  async getFailureStats(agentId: string): Promise<FailureStats> {
    checkedName('getFailureStats', 'agentId', agentId);
    const row = await this.#read(await this.#place.store(), agentId);
    return this.#statsOf(agentId, row?.value ?? nothing);
  }

  /**
   * Calls `callback` whenever an agent failed, was recovered or succeeded, in any process, with what is known of it now and what was
   * told before: of one agent, or of those whose ids match a pattern. Returns the function that ends it.
   */
  async subscribe(
    pattern: KeyPattern,
    callback: ChangeCallback<FailureStats>,
    options: EventOptions = {},
  ): Promise<() => void> {
    const { matches } = keyMatcher(pattern);
    const { prefix } = this.#place;
    const followed: Followed<FailureStats> = {
      store: () => this.#place.store(),
      collections: [recoveryRows],
      nameOf: ({ key }) => (key[0] === prefix && matches(String(key[1])) ? String(key[1]) : undefined),
      look: (agentId) => this.getFailureStats(agentId),
      closing: this.#closing.signal,
    };
    return subscribeToChanges(followed, callback, options);
  }

  /** Recovers nothing by itself any more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    for (const agentId of [...this.#handlers.keys()]) this.unregister(agentId);
    await Promise.allSettled(this.#running);
    if (this.#ownsAgents) await this.#agents.close();
  }

  get #place(): Place {
    return this.#agents.place;
  }

  #key(agentId: string): readonly string[] {
    return [this.#place.prefix, agentId];
  }

  async #read(store: Store, agentId: string): Promise<Entry<RecoveryRow> | undefined> {
    return (await store.read(recoveryRows, [this.#key(agentId)]))[0];
  }

  async #claim(store: Store, agentId: string): Promise<Lease> {
    const key = this.#key(agentId);
    const place = { collection: recoveryWork, key };
    const [item] = await store.read(recoveryWork, [key]);
    if (item === undefined)
      await store.commit([
        { checks: [{ kind: 'absent', ...place }], writes: [{ kind: 'put', ...place, value: { agentId } }] },
      ]);
    const claim = { owner: this.#owner, limit: 1, leaseMilliseconds: this.#leaseMilliseconds, range: { prefix: key } };
    const [claimed] = await store.claim(recoveryWork, claim);
    if (claimed !== undefined) return claimed.lease;
    throw new StateConflictError(`Another process is recovering '${agentId}'.`, { agentId });
  }

  /** Counts the attempt before it is made. */
  #begin(agentId: string, lease: Lease, isNeeded: (row: RecoveryRow) => boolean): Promise<boolean> {
    const { clock } = this.#place;
    const lost = (): Error => new StateConflictError(`Another process is recovering '${agentId}'.`, { agentId });
    const begin = async (store: Store): Promise<Decision<boolean>> => {
      const known = await this.#read(store, agentId);
      const row = known?.value ?? nothing;
      if (!isNeeded(row)) return { value: false };
      const { exhausted, nextAttemptAt } = this.#statsOf(agentId, row);
      if (exhausted)
        throw new AgentRecoveryError(
          `'${agentId}' was recovered ${row.attempts} times without success, and no attempt is left. Find out why it fails; onSuccess() starts counting anew.`,
          { agentId, attempts: row.attempts },
        );
      const now = clock.now();
      if (nextAttemptAt !== undefined && nextAttemptAt.getTime() > now)
        throw new AgentRecoveryError(
          `'${agentId}' is recovered again at ${nextAttemptAt.toISOString()} at the earliest.`,
          { agentId, nextAttemptAt: nextAttemptAt.toISOString() },
        );
      const part = this.#put(agentId, known, { ...row, attempts: row.attempts + 1, lastAttempt: now });
      return { value: true, part };
    };
    return this.#changes.make(whatIsKnownOf(agentId), begin, { lease, lost });
  }

  #change(
    agentId: string,
    report: { readonly idempotencyKey: string | undefined; readonly contents: unknown } | undefined,
    change: (before: RecoveryRow, now: number) => RecoveryRow,
  ): Promise<RecoveryRow> {
    const { prefix, clock } = this.#place;
    return this.#changes.make(whatIsKnownOf(agentId), async (store) => {
      const known = await this.#read(store, agentId);
      const now = clock.now();
      const scope = `the agent '${agentId}'`;
      const mark = report && (await once(store, { prefix, scope, ...report, time: now }));
      if (report !== undefined && mark === undefined) return { value: known?.value ?? nothing };
      const row = change(known?.value ?? nothing, now);
      return { value: row, part: mergeParts(this.#put(agentId, known, row), mark) };
    });
  }

  #put(
    agentId: string,
    known: Entry<RecoveryRow> | undefined,
    value: RecoveryRow,
  ): { checks: Check[]; writes: Write[] } {
    const place = { collection: recoveryRows, key: this.#key(agentId) };
    return {
      checks: [
        known === undefined ? { kind: 'absent', ...place } : { kind: 'revision', ...place, revision: known.revision },
      ],
      writes: [{ kind: 'put', ...place, value }],
    };
  }

  #statsOf(agentId: string, row: RecoveryRow): FailureStats {
    const { failures, attempts, recoveries, lastFailure, lastAttempt } = row;
    const { initial, factor, longest } = this.#backoff;
    const pause = attempts === 0 ? 0 : Math.min(initial * factor ** Math.min(attempts - 1, 100), longest);
    const exhausted = attempts >= this.#maxAttempts;
    return {
      agentId,
      failures,
      attempts,
      attemptsLeft: Math.max(0, this.#maxAttempts - attempts),
      recoveries,
      lastFailure: lastFailure && { time: new Date(lastFailure.time), error: lastFailure.error },
      lastAttemptAt: lastAttempt === undefined ? undefined : new Date(lastAttempt),
      nextAttemptAt: exhausted || lastAttempt === undefined ? undefined : new Date(lastAttempt + pause),
      exhausted,
    };
  }

  /** Recovers an agent when its pause is over, and again if that fails. */
  #schedule(agentId: string, row: RecoveryRow, leastPause = 0): void {
    const { exhausted, nextAttemptAt } = this.#statsOf(agentId, row);
    if (exhausted || this.#isClosed) return;
    this.#scheduled.get(agentId)?.();
    const { clock } = this.#place;
    const pause = Math.max(leastPause, (nextAttemptAt?.getTime() ?? 0) - clock.now());
    const attempt = async (): Promise<void> => {
      try {
        // Another process may have dealt with the same failure meanwhile.
        await this.#recover(agentId, {}, isDown);
      } catch (error) {
        // Nothing can be done by itself: a person decides.
        if (error instanceof AgentRecoveryError) return;
        // Another process does it. If it dies, its lease expires.
        if (error instanceof StateConflictError) this.#schedule(agentId, row, this.#leaseMilliseconds);
        else if (this.#handlers.has(agentId)) await this.onFailure(agentId, error).catch(() => undefined);
      }
    };
    this.#scheduled.set(
      agentId,
      afterQuietly(clock, pause, () => {
        this.#scheduled.delete(agentId);
        const running = attempt().finally(() => this.#running.delete(running));
        this.#running.add(running);
      }),
    );
  }

  /** Each failure of a job is reported once, by whichever process sees it first. */
  #watch(agentId: string): void {
    const stop = new AbortController();
    this.#watching.get(agentId)?.abort();
    this.#watching.set(agentId, stop);
    const watching = this.#agents.jobs
      ?.watch(
        agentId,
        async ({ ended = 0, error }) => {
          const { name = 'Error', message = 'The job failed.' } = error ?? {};
          await this.onFailure(agentId, `${name}: ${message}`, { idempotencyKey: `ended ${ended}` });
        },
        stop.signal,
      )
      .catch(() => undefined);
    if (watching === undefined) return;
    this.#running.add(watching);
    void watching.finally(() => this.#running.delete(watching));
  }
}

function whatIsKnownOf(agentId: string): string {
  return `What is known of '${agentId}'`;
}

/** It failed, and was not brought back since. */
function isDown({ failures, recovered = 0 }: RecoveryRow): boolean {
  return failures > recovered;
}
