// Commits groups, one at a time across all processes: the commit lock gives revisions without gaps, a log in commit order
// and no false conflicts. If the connection is lost after COMMIT was sent, it finds out whether the commit happened.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreBusyError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import type { LoggedChange } from '../../engine/log.ts';
import { planGroup, type Outcome, type Plan, type PlainLeaseCheck, type PlainTransaction } from '../../engine/plan.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { answers, type Connections, type Session } from '../connections.ts';
import { factsFor, itemsOf } from './facts.ts';
import { isLostConnection, isRejection, storeFailure } from '../failure.ts';
import { channelName, lockScript } from './lock.ts';
import type { Settings } from '../options.ts';
import { logParameters } from '../reading/row.ts';
import type { StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';
import { writesOf } from './writes.ts';

/** Decides what to write, in a transaction that has requested the commit lock. */
type Decide = (session: Session, begun: Promise<unknown>) => Promise<Plan>;

type Attempt =
  | { readonly status: 'finished'; readonly plan: Plan }
  /** The connection was lost before anything was committed. */
  | { readonly status: 'lost'; readonly error: unknown }
  /** The connection was lost after COMMIT was sent. */
  | { readonly status: 'unknown'; readonly error: unknown; readonly plan: Plan; readonly batch: string };

/** Longer than a slice keeps the thread busy between two messages, so that only stopped or dead processes are cut off. */
const maxIdleMilliseconds = 5000;

export class Committer {
  readonly #connections: Connections;
  readonly #statements: StoreStatements;
  readonly #tables: Tables;
  readonly #settings: Settings;
  readonly #lock: string;
  readonly #begin: string;

  constructor(
    connections: Connections,
    statements: StoreStatements,
    tables: Tables,
    settings: Settings,
    synchronousCommit: string,
  ) {
    this.#connections = connections;
    this.#statements = statements;
    this.#tables = tables;
    this.#settings = settings;
    this.#lock = lockScript(settings.schema, 'commit');
    // If this process dies, the server releases the lock before others give up waiting for it.
    const idle = Math.min(maxIdleMilliseconds, Math.ceil(settings.statementTimeout / 2));
    this.#begin = `begin isolation level read committed read write; set local synchronous_commit = ${synchronousCommit}; set local statement_timeout = ${settings.statementTimeout}; set local idle_in_transaction_session_timeout = ${idle}; ${this.#lock}`;
  }

  async commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const plan = await this.#run(async (session, begun) =>
      planGroup(
        transactions,
        await factsFor(transactions, {
          session,
          begun,
          statements: this.#statements,
          tables: this.#tables,
        }),
      ),
    );
    return plan.outcomes;
  }

  /** Releases leases and logs that as one more revision. */
  async release(leases: readonly StoredLease[]): Promise<void> {
    await this.#run(async (session, begun) => {
      const groups = [...Map.groupBy(leases, ({ collection }) => collection)].toSorted(([a], [b]) => a - b);
      const [, state, ...items] = await answers<
        [unknown, readonly (readonly unknown[])[], ...Awaited<ReturnType<typeof itemsOf>>[]]
      >([
        begun,
        session.run(this.#statements.revision),
        ...groups.map(([id, members]) =>
          itemsOf(session, this.#tables, id, [...new Set(members.map(({ key }) => key))]),
        ),
      ]);
      const head = state[0]?.[0] as number;
      const held = groups.flatMap(([, members], index) =>
        members.filter(({ key, token }) => items[index]?.get(key)?.token === token),
      );
      const released = [...new Map(held.map((lease) => [`${lease.collection} ${lease.key}`, lease])).values()].map(
        ({ collection, key, token }): PlainLeaseCheck => ({ collection, key, token, release: true }),
      );
      const changes = released.map(({ collection, key }): LoggedChange => ({ kind: 'released', collection, key }));
      if (changes.length === 0) return { outcomes: [], mutations: [], log: [], released: [], head };
      return { outcomes: [], mutations: [], log: [{ revision: head + 1, changes }], released, head: head + 1 };
    });
  }

  async #run(decide: Decide): Promise<Plan> {
    for (let attempt = 1; ; attempt++) {
      const end = await this.#attempt(decide);
      if (end.status === 'finished') return end.plan;
      if (end.status === 'unknown' && (await this.#wasCommitted(end))) return end.plan;
      // Nothing was written, so it is safe to retry once.
      if (attempt === 2) throw storeFailure(end.error, this.#settings.place);
    }
  }

  async #attempt(decide: Decide): Promise<Attempt> {
    const batch = randomUUID();
    let sent: Plan | undefined;
    let isConnected: boolean | undefined;
    try {
      return await this.#connections.use(async (session) => {
        isConnected = true;
        const plan = await session.together(() => decide(session, session.script(this.#begin)));
        if (plan.log.length === 0) {
          await session.script('commit');
          return { status: 'finished', plan };
        }
        const calls = writesOf(plan, this.#tables);
        sent = plan;
        await session.together(() => this.#write(session, plan, calls, batch));
        return { status: 'finished', plan };
      });
    } catch (error) {
      if (error instanceof UnknownOutcome && sent !== undefined)
        return { status: 'unknown', error: error.cause, plan: sent, batch };
      if (isConnected === true && error instanceof StoreUnavailableError && isLostConnection(error.cause))
        return { status: 'lost', error };
      throw error;
    }
  }

  async #write(session: Session, plan: Plan, calls: ReturnType<typeof writesOf>, batch: string): Promise<void> {
    const writes = calls.map(({ statement, values }) => session.run(statement, values));
    const append = [...logParameters(plan.log), batch, plan.head, channelName(this.#settings.schema)];
    writes.push(session.run(this.#statements.append, append));
    // No statement timeout from here on: COMMIT may wait for the disk or a standby and must not be interrupted.
    const commit = session.script('set local statement_timeout = 0; commit');
    const [committed, ...written] = await Promise.allSettled([commit, ...writes]);
    const failed = written.find((answer) => answer.status === 'rejected');
    // If the server rejected a write, it did not commit; only a missing answer leaves the outcome open.
    if (failed !== undefined && !isUnanswered(failed.reason)) throw failed.reason;
    if (committed.status === 'fulfilled' && failed === undefined && committed.value === 'COMMIT') return;
    if (committed.status === 'rejected' && isRejection(committed.reason)) throw committed.reason;
    throw new UnknownOutcome(
      committed.status === 'rejected' ? committed.reason : new Error(`COMMIT answered ${committed.value}`),
    );
  }

  // Once the commit lock is granted, the earlier transaction has ended and the log shows whether it committed.
  async #wasCommitted({ plan, batch }: Extract<Attempt, { status: 'unknown' }>): Promise<boolean> {
    const deadline = performance.now() + this.#settings.recovery;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await this.#connections.use((session) => this.#lookUp(session, plan, batch, left));
      } catch (error) {
        const isTemporary = error instanceof StoreUnavailableError || error instanceof StoreBusyError;
        if (!isTemporary || performance.now() + pause >= deadline) throw unknownOutcome(this.#settings.place, error);
        await delay(pause);
      }
    }
  }

  async #lookUp(session: Session, plan: Plan, batch: string, milliseconds: number): Promise<boolean> {
    const [, rows] = await answers<[unknown, readonly (readonly unknown[])[], unknown]>([
      session.script(`begin; set local lock_timeout = ${milliseconds}; ${this.#lock}`),
      session.run(this.#statements.batchAt, [plan.head, batch]),
      session.script('commit'),
    ]);
    const [head, horizon, ours] = rows[0] as readonly [number, number, boolean | null];
    if (ours === null && head >= plan.head && horizon >= plan.head)
      throw new StoreUnknownOutcomeError('The part of the log that would show it was pruned.');
    return ours === true;
  }
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
