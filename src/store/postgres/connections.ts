// The pool of connections. Whatever goes wrong on a connection, that connection is thrown away and the next call gets
// another one, so the engine heals by itself when the server is back.
import { Pool, type ClientBase, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { StoreClosedError, StoreUnavailableError } from '../errors.ts';
import { isLostConnection, storeFailure } from './failure.ts';
import type { Settings, Target } from './options.ts';
import type { Statement } from './statements.ts';

export type Row = readonly unknown[];

// A network that swallows packets answers nothing; the client then gives up this much later than the server would have.
const graceMilliseconds = 5000;

// Every statement reads by key, so an index is always right, even where a plan made for an empty table says otherwise;
// plans made once are kept. Compiling such small statements would cost more than running them.
const sessionSettings = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'default_transaction_isolation=read\\ committed',
];

export class Connections {
  readonly #pool: Pool;
  readonly #settings: Settings;
  readonly #uses = new Set<Promise<unknown>>();
  /** Where one connection was lost, those opened before may be dead too; they are not lent again. */
  readonly #generations = new WeakMap<ClientBase, number>();
  #generation = 0;
  #closing = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#pool = new Pool({
      ...clientConfig(settings, settings.target),
      max: settings.poolSize,
      idleTimeoutMillis: 30_000,
    });
    // An idle connection that breaks leaves the pool; there is nothing else to do about it.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      this.#generations.set(client, this.#generation);
      // For as long as it lives, also while it is being thrown away: an error that nobody listens to ends the process. The
      // statement under way reports it as well.
      client.on('error', () => undefined);
    });
  }

  /** Lends a connection. If `work` fails, the connection is dropped, and with it any transaction that was open. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, false));
  }

  /** The same for work that may be done twice: on a connection that turns out to be dead, it is done again on another. */
  useAgain<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, true));
  }

  /** Waits for what is under way, then closes every connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled([...this.#uses]);
    await this.#pool.end();
  }

  async #use<T>(work: (session: Session) => Promise<T>, again: boolean): Promise<T> {
    if (this.#closing) throw new StoreClosedError('The store was closed.');
    const client = await this.#connect();
    try {
      return await this.#lend(client, work);
    } catch (error) {
      if (!again || !isLostConnection(error)) throw storeFailure(error, this.#settings.place);
    }
    return this.#use(work, false);
  }

  // The pool forgets those who still wait for a connection when it is closed, so they are counted here.
  #counted<T>(use: Promise<T>): Promise<T> {
    const counted = use.finally(() => this.#uses.delete(counted));
    this.#uses.add(counted);
    return counted;
  }

  async #connect(): Promise<PoolClient> {
    try {
      for (;;) {
        const client = await this.#pool.connect();
        if (this.#generations.get(client) === this.#generation) return client;
        client.release(true);
      }
    } catch (error) {
      const { place, poolSize, connectTimeout } = this.#settings;
      if (error instanceof Error && error.message.startsWith('timeout exceeded')) {
        throw new StoreUnavailableError(
          `${place}: all ${poolSize} connections were in use for ${connectTimeout} ms. Raise poolSize, or do less at once.`,
          { place, poolSize },
          error,
        );
      }
      throw storeFailure(error, place);
    }
  }

  async #lend<T>(client: PoolClient, work: (session: Session) => Promise<T>): Promise<T> {
    let broken = true;
    try {
      const result = await work(new Session(client, !this.#settings.throughPooler));
      broken = false;
      return result;
    } catch (error) {
      const lost = isLostConnection(error) || (error instanceof Error && isLostConnection(error.cause));
      if (lost && this.#generations.get(client) === this.#generation) this.#generation++;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** One connection, lent. Statements may be sent without waiting for the answers to those before. */
export class Session {
  readonly #client: PoolClient;
  readonly #keepPlans: boolean;

  constructor(client: PoolClient, keepPlans: boolean) {
    this.#client = client;
    this.#keepPlans = keepPlans;
  }

  async run(statement: Statement, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#query(statement, values)).rows;
  }

  /** The same for a statement that returns nothing: how many rows it changed. */
  async change(statement: Statement, values: readonly unknown[]): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  /** Whatever `send` sends before it first waits leaves as one packet; writing to a socket is not cheap. */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /** Statements without parameters, in one message. Returns what the last of them was, as the server names it. */
  async script(text: string): Promise<string> {
    const results = (await this.#client.query(text)) as QueryResult | readonly QueryResult[];
    const last = 'command' in results ? results : results.at(-1);
    return last?.command ?? '';
  }

  #query({ name, text }: Statement, values: readonly unknown[]): Promise<QueryResult<unknown[]>> {
    const query = { text, values: [...values], rowMode: 'array' as const };
    return this.#client.query<unknown[]>(this.#keepPlans ? { ...query, name } : query);
  }
}

/** Waits for all answers, then throws the first failure: the one that caused those after it. */
export async function answers<T extends readonly unknown[]>(
  sent: readonly [...{ [Index in keyof T]: Promise<T[Index]> }],
): Promise<T> {
  const settled = await Promise.allSettled(sent as readonly Promise<unknown>[]);
  const values: readonly unknown[] = settled.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
  return values as T;
}

export function clientConfig(settings: Settings, target: Target): PoolConfig {
  const { statementTimeout, throughPooler } = settings;
  const options = sessionSettings.map((setting) => `-c ${setting}`).join(' ');
  return {
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.user,
    password: target.password,
    ssl: target.ssl,
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeout,
    query_timeout: statementTimeout + graceMilliseconds,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: (type: number) => parsers[type] ?? asText },
    ...(throughPooler
      ? { options: target.options }
      : { options: `${target.options ?? ''} ${options}`, statement_timeout: statementTimeout }),
  };
}

const asText = (text: string): unknown => text;

// By type, from pg_type: boolean, bytea, bigint, integer. Everything else stays text; records are parsed further up.
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: Number,
  23: Number,
};
