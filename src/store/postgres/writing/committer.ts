// Commits groups in one round trip: a single batch takes the commit lock, verifies what the plan expects, writes and commits.
// The lock gives revisions without gaps, a log in commit order and no false conflicts, and is not held while anything
// travels. If the connection is lost, the committer finds out whether the commit happened.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreBusyError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import type { LoggedChange, LogRow } from '../../engine/log.ts';
import {
  planGroup,
  type Facts,
  type Outcome,
  type Plan,
  type PlainLeaseCheck,
  type PlainTransaction,
} from '../../engine/plan.ts';
import type { StoredLease } from '../../engine/stored.ts';
import type { Revision } from '../../store.ts';
import { answers, type Connections, type Row, type Session } from '../connections.ts';
import { Expectations } from './expectations.ts';
import { changesSince, factsFor } from './facts.ts';
import { isLostConnection, isRejection, storeFailure } from '../failure.ts';
import { channelName, lockCall } from './lock.ts';
import type { Settings } from '../options.ts';
import type { Seen } from '../seen.ts';
import { logParameters } from '../reading/row.ts';
import type { Statement, StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';
import { writesOf, type StatementCall } from './writes.ts';

type Decide = (facts: Facts) => Plan;

/** What a group came to. */
export interface Committed {
  readonly outcomes: readonly Outcome[];
  readonly log: readonly LogRow[];
}

/** A plan made for a head, and the number of the batch that writes it. */
interface Sent {
  readonly plan: Plan;
  readonly origin: Revision;
  readonly batch: string;
}

type Attempt =
  /** The plan was written on top of this revision. */
  | { readonly status: 'committed'; readonly sent: Sent; readonly base: Revision }
  /** Something was not as expected, so nothing was written; the expectations have been corrected. */
  | { readonly status: 'refuted' }
  /** The connection was lost. If something was sent, it may have been committed. */
  | { readonly status: 'lost'; readonly error: unknown; readonly sent: Sent | undefined };

/** Plans that may be refuted; the next one is made under the lock. */
const maxRefuted = 4;
/** Longer than a slice keeps the thread busy between two messages, so that only stopped or dead processes are cut off. */
const maxIdleMilliseconds = 5000;

export class Committer {
  readonly #connections: Connections;
  readonly #statements: StoreStatements;
  readonly #tables: Tables;
  readonly #settings: Settings;
  readonly #lock: string;
  readonly #settle: Statement;
  readonly #seen: Seen;

  constructor(
    connections: Connections,
    statements: StoreStatements,
    tables: Tables,
    settings: Settings,
    synchronousCommit: string,
    seen: Seen,
  ) {
    this.#seen = seen;
    this.#connections = connections;
    this.#statements = statements;
    this.#tables = tables;
    this.#settings = settings;
    this.#lock = lockCall(settings.schema, 'commit');
    // If this process dies, the server releases the lock before others give up waiting for it.
    const idle = Math.min(maxIdleMilliseconds, Math.ceil(settings.statementTimeout / 2));
    const local = (name: string, value: string | number): string => `set_config('${name}', '${value}', true)`;
    // Prepared, because parsing and planning it takes as long as executing it.
    this.#settle = {
      name: 'statek_settle',
      text: `select ${[
        local('synchronous_commit', synchronousCommit),
        local('statement_timeout', settings.statementTimeout),
        local('idle_in_transaction_session_timeout', idle),
        this.#lock,
      ].join(', ')}`,
    };
  }

  commit(transactions: readonly PlainTransaction[]): Promise<Committed> {
    return this.#run(transactions, (facts) => planGroup(transactions, facts));
  }

  /** Releases leases and logs that as one more revision. */
  release(leases: readonly StoredLease[]): Promise<Committed> {
    const releases = leases.map(({ collection, key, token }): PlainLeaseCheck => ({
      collection,
      key,
      token,
      release: true,
    }));
    return this.#run([{ checks: [], leases: releases, writes: [] }], ({ head, tokenOf }) => {
      const held = releases.filter(({ collection, key, token }) => tokenOf(collection, key) === token);
      const released = [...new Map(held.map((lease) => [`${lease.collection} ${lease.key}`, lease])).values()];
      const changes = released.map(({ collection, key }): LoggedChange => ({ kind: 'released', collection, key }));
      if (changes.length === 0) return { outcomes: [], mutations: [], log: [], released: [], head };
      return { outcomes: [], mutations: [], log: [{ revision: head + 1, changes }], released, head: head + 1 };
    });
  }

  async #run(transactions: readonly PlainTransaction[], decide: Decide): Promise<Committed> {
    const seen = this.#seen.revision;
    const expectations = new Expectations(transactions, this.#tables, this.#statements, seen);
    const finish = ({ plan, origin }: Sent, base: Revision): Committed => {
      this.#seen.note(base + plan.log.length);
      return base === origin ? plan : moved(plan, base - origin, () => decide(expectations.facts(base)));
    };
    for (let refuted = 0, losses = 0; ;) {
      const facts = expectations.facts();
      const plan = decide(facts);
      // What was found under the lock says that nothing can be committed.
      if (refuted > 0 && plan.outcomes.length > 0 && plan.outcomes.every(isConflict)) return plan;
      const end =
        refuted < maxRefuted
          ? await this.#attempt((session, noteSent) => this.#planned(session, noteSent, plan, facts.head, expectations))
          : await this.#attempt((session, noteSent) => this.#plannedUnderLock(session, noteSent, transactions, decide));
      if (end.status === 'committed') return finish(end.sent, end.base);
      if (end.status === 'refuted') {
        refuted++;
        await this.#searchLog(expectations);
        continue;
      }
      const base = end.sent && (await this.#baseOf(end.sent, seen));
      if (end.sent !== undefined && base !== undefined) return finish(end.sent, base);
      // Nothing was written, so it is safe to retry once.
      if (++losses === 2) throw storeFailure(end.error, this.#settings.place);
    }
  }

  async #attempt(work: (session: Session, noteSent: (sent: Sent) => void) => Promise<Attempt>): Promise<Attempt> {
    let sent: Sent | undefined;
    let isConnected: boolean | undefined;
    try {
      return await this.#connections.use((session) => {
        isConnected = true;
        return work(session, (noted) => {
          sent = noted;
        });
      });
    } catch (error) {
      if (error instanceof UnknownOutcome) return { status: 'lost', error: error.cause, sent };
      if (isConnected === true && error instanceof StoreUnavailableError && isLostConnection(error.cause))
        return { status: 'lost', error, sent: undefined };
      throw error;
    }
  }

  /** One round trip: everything up to COMMIT is sent at once. */
  async #planned(
    session: Session,
    noteSent: (sent: Sent) => void,
    plan: Plan,
    origin: Revision,
    expectations: Expectations,
  ): Promise<Attempt> {
    const sent = { plan, origin, batch: randomUUID() };
    const verifications = expectations.verifications();
    const neededHead = expectations.needsExactHead ? origin : -1;
    const writes = this.#writesOf(sent);
    noteSent(sent);
    const [, states = [], ...found] = await session.together(() =>
      committed(session, writes.length > 0, [
        this.#begin(session),
        session.run(this.#statements.begin, [neededHead]),
        ...verifications.map(({ statement, values }) => session.run(statement, values)),
        ...writes.map(({ statement, values }) => session.run(statement, values)),
      ]),
    );
    const [head, horizon] = states[0] as readonly [number, number];
    const isAsExpected = verifications.every((_, index) => found[index]?.length === 0);
    if (isAsExpected && (neededHead === -1 || neededHead === head)) return { status: 'committed', sent, base: head };
    expectations.learnState(head, horizon);
    for (const [index, { learn }] of verifications.entries()) learn(found[index] ?? []);
    return { status: 'refuted' };
  }

  /** Two round trips, between which nothing can change: for a group that others refute again and again. */
  async #plannedUnderLock(
    session: Session,
    noteSent: (sent: Sent) => void,
    transactions: readonly PlainTransaction[],
    decide: Decide,
  ): Promise<Attempt> {
    const { statements, tables } = { statements: this.#statements, tables: this.#tables };
    const facts = await session.together(() =>
      factsFor(transactions, { session, begun: this.#begin(session), statements, tables }),
    );
    const sent = { plan: decide(facts), origin: facts.head, batch: randomUUID() };
    const writes = this.#writesOf(sent);
    noteSent(sent);
    await session.together(() =>
      committed(
        session,
        writes.length > 0,
        writes.map(({ statement, values }) => session.run(statement, values)),
      ),
    );
    return { status: 'committed', sent, base: facts.head };
  }

  /** Begins a transaction and takes the commit lock. */
  async #begin(session: Session): Promise<readonly Row[]> {
    const [, settled] = await answers<[string, readonly Row[]]>([
      session.script('begin isolation level read committed read write'),
      session.run(this.#settle),
    ]);
    return settled;
  }

  #writesOf({ plan, origin, batch }: Sent): StatementCall[] {
    if (plan.log.length === 0) return [];
    const append = [...logParameters(plan.log, origin), batch, plan.head - origin, channelName(this.#settings.schema)];
    return [...writesOf(plan, this.#tables, origin), { statement: this.#statements.append, values: append }];
  }

  /** Without the lock; what changes after it is verified again. */
  async #searchLog(expectations: Expectations): Promise<void> {
    const since = expectations.unknownSince;
    if (since === undefined) return;
    expectations.learnChanges(
      await this.#connections.useWithRetry((session) => changesSince(since, session, this.#statements)),
    );
  }

  /**
   * The revision that a batch was written on, if it was committed. Once the commit lock is granted, the earlier transaction
   * has ended and the log shows it.
   */
  async #baseOf(sent: Sent, seen: Revision): Promise<Revision | undefined> {
    if (sent.plan.log.length === 0) return undefined;
    const deadline = performance.now() + this.#settings.recovery;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await this.#connections.use((session) => this.#lookUp(session, sent, seen, left));
      } catch (error) {
        const isTemporary = error instanceof StoreUnavailableError || error instanceof StoreBusyError;
        if (!isTemporary || performance.now() + pause >= deadline) throw unknownOutcome(this.#settings.place, error);
        await delay(pause);
      }
    }
  }

  async #lookUp(session: Session, { plan, batch }: Sent, seen: Revision, left: number): Promise<Revision | undefined> {
    const [, rows] = await answers<[unknown, readonly Row[], unknown]>([
      session.script(`begin; set local lock_timeout = ${left}; select ${this.#lock}`),
      session.run(this.#statements.batchAfter, [seen, batch]),
      session.script('commit'),
    ]);
    const [, horizon, last] = rows[0] as readonly [number, number, number | null];
    if (last !== null) return last - plan.log.length;
    if (horizon > seen) throw new StoreUnknownOutcomeError('The part of the log that would show it was pruned.');
    return undefined;
  }
}

/**
 * The answers to a batch that ends with COMMIT.
 *
 * @param appends the batch writes to the log, which also ends the statement timeout: COMMIT may wait for the disk or a standby and must not be
 * interrupted
 */
async function committed(
  session: Session,
  appends: boolean,
  batch: readonly Promise<readonly Row[]>[],
): Promise<readonly (readonly Row[])[]> {
  const commit = session.script(appends ? 'commit' : 'set local statement_timeout = 0; commit');
  const [end, ...answered] = await Promise.allSettled([commit, ...batch]);
  const failed = answered.find((answer) => answer.status === 'rejected');
  // If the server rejected a statement, it did not commit; only a missing answer leaves the outcome open.
  if (failed !== undefined && !isUnanswered(failed.reason)) throw failed.reason;
  if (end.status === 'fulfilled' && failed === undefined && end.value === 'COMMIT') return await Promise.all(batch);
  if (end.status === 'rejected' && isRejection(end.reason)) throw end.reason;
  throw new UnknownOutcome(end.status === 'rejected' ? end.reason : new Error(`COMMIT answered ${end.value}`));
}

/** What a plan comes to on another head. `planAgain` is asked for the text of conflicts, which may name revisions. */
function moved({ outcomes, log }: Plan, distance: number, planAgain: () => Plan): Committed {
  const again = outcomes.some(isConflict) ? planAgain().outcomes : [];
  return {
    outcomes: outcomes.map((outcome, index) => {
      if (outcome.status === 'committed') return { ...outcome, revision: outcome.revision + distance };
      const same = again[index];
      return same?.status === 'conflict' ? same : outcome;
    }),
    log: log.map(({ revision, changes }) => ({ revision: revision + distance, changes })),
  };
}

function isConflict({ status }: Outcome): boolean {
  return status === 'conflict';
}

/** COMMIT was sent but not answered. */
class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('COMMIT was not answered', { cause });
  }
}

function isUnanswered(reason: unknown): boolean {
  return (
    isLostConnection(reason) && !(reason instanceof Error && 'severity' in reason && reason.severity !== undefined)
  );
}

function unknownOutcome(place: string, cause: unknown): StoreUnknownOutcomeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnknownOutcomeError(
    `The connection to ${place} was lost during a commit and not restored in time, so it is unknown whether the commit happened. Read the written keys before retrying. ${why}`,
    { place },
    cause,
  );
}
