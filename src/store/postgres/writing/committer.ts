// Commits groups. One committer at a time per store, over all processes: the commit lock gives revisions without gaps, a
// log in commit order and no false conflicts. When the connection is lost at the worst moment, it finds out what happened.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreBusyError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import type { LoggedChange } from '../../engine/log.ts';
import { planGroup, type Outcome, type Plan, type PlainLeaseCheck, type PlainTransaction } from '../../engine/plan.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { answers, type Connections, type Session } from '../connections.ts';
import { factsFor, itemsOf } from './facts.ts';
import { isLostConnection, isRefusal, storeFailure } from '../failure.ts';
import { channelName, lockScript } from './lock.ts';
import type { Settings } from '../options.ts';
import { logParameters } from '../reading/row.ts';
import type { StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';
import { writesOf } from './writes.ts';

/** Decides what to write, in a transaction that has just asked for the commit lock. */
type Decide = (session: Session, begun: Promise<unknown>) => Promise<Plan>;

type Attempt =
  | { readonly status: 'finished'; readonly plan: Plan }
  /** The connection was lost, and it is certain that nothing was committed. */
  | { readonly status: 'lost'; readonly error: unknown }
  /** It was lost after COMMIT was sent. */
  | { readonly status: 'unsure'; readonly error: unknown; readonly plan: Plan; readonly batch: string };

/** Longer than a thread is busy with a slice between two messages, so that only those are cut off that are stopped or gone. */
const longestIdleMilliseconds = 5000;

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
    // If this process disappears in the middle, the server lets go of the lock while others still wait for it.
    const idle = Math.min(longestIdleMilliseconds, Math.ceil(settings.statementTimeout / 2));
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

  /** Gives leases back and tells followers, as one more revision. Returns the revisions the store has now. */
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
      if (end.status === 'unsure' && (await this.#wasCommitted(end))) return end.plan;
      // Nothing was written, so it may be tried once more.
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
      if (error instanceof Unsure && sent !== undefined)
        return { status: 'unsure', error: error.cause, plan: sent, batch };
      if (isConnected === true && error instanceof StoreUnavailableError && isLostConnection(error.cause))
        return { status: 'lost', error };
      throw error;
    }
  }

  async #write(session: Session, plan: Plan, calls: ReturnType<typeof writesOf>, batch: string): Promise<void> {
    const writes = calls.map(({ statement, values }) => session.run(statement, values));
    const append = [...logParameters(plan.log), batch, plan.head, channelName(this.#settings.schema)];
    writes.push(session.run(this.#statements.append, append));
    // A commit must not be cut short once it waits for the disk or a standby, so the time limit ends here.
    const commit = session.script('set local statement_timeout = 0; commit');
    const [committed, ...written] = await Promise.allSettled([commit, ...writes]);
    const failed = written.find((answer) => answer.status === 'rejected');
    // If a write failed, the server has refused to commit; only silence leaves a doubt.
    if (failed !== undefined && !isSilence(failed.reason)) throw failed.reason;
    if (committed.status === 'fulfilled' && failed === undefined && committed.value === 'COMMIT') return;
    if (committed.status === 'rejected' && isRefusal(committed.reason)) throw committed.reason;
    throw new Unsure(
      committed.status === 'rejected' ? committed.reason : new Error(`COMMIT answered ${committed.value}`),
    );
  }

  // Whoever held the commit lock has finished when the lock is granted; then the log tells.
  async #wasCommitted({ plan, batch }: Extract<Attempt, { status: 'unsure' }>): Promise<boolean> {
    const deadline = performance.now() + this.#settings.recovery;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await this.#connections.use((session) => this.#lookUp(session, plan, batch, left));
      } catch (error) {
        const mayPass = error instanceof StoreUnavailableError || error instanceof StoreBusyError;
        if (!mayPass || performance.now() + pause >= deadline) throw unknownOutcome(this.#settings.place, error);
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
      throw new StoreUnknownOutcomeError('The log that could tell was pruned.');
    return ours === true;
  }
}

/** COMMIT was sent, and no answer came. */
class Unsure extends Error {
  constructor(cause: unknown) {
    super('COMMIT was not answered', { cause });
  }
}

function isSilence(reason: unknown): boolean {
  return (
    isLostConnection(reason) && !(reason instanceof Error && 'severity' in reason && reason.severity !== undefined)
  );
}

function unknownOutcome(place: string, cause: unknown): StoreUnknownOutcomeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnknownOutcomeError(
    `${place} was lost during a commit and could not be asked again in time, so it is unknown whether it was written. Read the keys it wrote before trying again. ${why}`,
    { place },
    cause,
  );
}
