// The connection pool. A connection on which anything fails is discarded and the next call gets a new one, so the engine
// recovers by itself when the server is back.
import { Pool, type ClientBase, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { StoreClosedError, StoreUnavailableError } from '../errors.ts';
import { isLostConnection, storeFailure } from './failure.ts';
import type { Settings, Target } from './options.ts';
import type { Statement } from './statements.ts';

export type Row = readonly unknown[];

// If the network drops packets, the client gives up this long after the server's own timeout.
const graceMilliseconds = 5000;

// Every statement reads by key, so an index scan is always right, even if the statistics of an empty table suggest
// otherwise. Plans are cached, and JIT would cost more than these small statements.
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
  /** When a connection is lost, older ones may be dead too; they are not used again. */
  readonly #generations = new WeakMap<ClientBase, number>();
  /** The server's processes behind the connections. */
  readonly #processes = new Set<number>();
  #generation = 0;
  #closing = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#pool = new Pool({
      ...clientConfig(settings, settings.target),
      max: settings.poolSize,
      idleTimeoutMillis: 30_000,
    });
    // The pool removes a broken idle connection itself.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      this.#generations.set(client, this.#generation);
      const { processID } = client as { readonly processID?: number };
      if (processID !== undefined) {
        this.#processes.add(processID);
        client.once('end', () => this.#processes.delete(processID));
      }
      // An `error` event without a listener would end the process. The running statement reports the error too.
      client.on('error', () => undefined);
    });
  }

  /** Runs `work` on a connection. If it fails, the connection is dropped together with any open transaction. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, false));
  }

  /** Like `use`, for idempotent work: if the connection turns out to be dead, retries once on another. */
  useWithRetry<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#counted(this.#use(work, true));
  }

  /** A connection for work that is done in several calls; `release` gives it back, or drops it with its open transaction. */
  async hold(): Promise<HeldSession> {
    if (this.#closing) throw new StoreClosedError('The store is closed.');
    const client = await this.#connect();
    const session = new Session(client, !this.#settings.throughPooler);
    return {
      run: async (work) => {
        try {
          return await work(session);
        } catch (error) {
          throw storeFailure(error, this.#settings.place);
        }
      },
      release: (broken) => client.release(broken),
    };
  }

  /** Whether a process of the server serves one of these connections; through a pooler that is not known. */
  has(processId: number): boolean {
    return !this.#settings.throughPooler && this.#processes.has(processId);
  }

  /** Waits for running work, then closes every connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled([...this.#uses]);
    await this.#pool.end();
  }

  async #use<T>(work: (session: Session) => Promise<T>, retry: boolean): Promise<T> {
    if (this.#closing) throw new StoreClosedError('The store is closed.');
    const client = await this.#connect();
    try {
      return await this.#runOn(client, work);
    } catch (error) {
      if (!retry || !isLostConnection(error)) throw storeFailure(error, this.#settings.place);
    }
    return this.#use(work, false);
  }

  // Closing the pool does not wait for callers that still wait for a connection, so they are tracked here.
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
          `${place}: all ${poolSize} connections were in use for ${connectTimeout} ms. Raise poolSize, or run fewer operations at once.`,
          { place, poolSize },
          error,
        );
      }
      throw storeFailure(error, place);
    }
  }

  async #runOn<T>(client: PoolClient, work: (session: Session) => Promise<T>): Promise<T> {
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

/** A connection that is held across calls. */
export interface HeldSession {
  run<T>(work: (session: Session) => Promise<T>): Promise<T>;
  release(broken: boolean): void;
}

/** One connection in use. Statements are pipelined: they may be sent before earlier ones are answered. */
export class Session {
  readonly #client: PoolClient;
  readonly #preparesStatements: boolean;

  constructor(client: PoolClient, preparesStatements: boolean) {
    this.#client = client;
    this.#preparesStatements = preparesStatements;
  }

  async run(statement: Statement, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#query(statement, values)).rows;
  }

  /** Runs a statement that returns no rows. Returns the number of changed rows. */
  async change(statement: Statement, values: readonly unknown[]): Promise<number> {
    return (await this.#query(statement, values)).rowCount ?? 0;
  }

  /** Sends everything `send` writes before its first wait as one packet, because socket writes are expensive. */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /** Runs statements without parameters in one message. Returns the command tag of the last one. */
  async script(text: string): Promise<string> {
    const results = (await this.#client.query(text)) as QueryResult | readonly QueryResult[];
    const last = 'command' in results ? results : results.at(-1);
    return last?.command ?? '';
  }

  #query({ name, text }: Statement, values: readonly unknown[]): Promise<QueryResult<unknown[]>> {
    const query = { text, values: [...values], rowMode: 'array' as const };
    return this.#client.query<unknown[]>(this.#preparesStatements ? { ...query, name } : query);
  }
}

/** Waits for all answers, then throws the first failure, which caused the later ones. */
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

// By OID from pg_type: boolean, bytea, bigint, integer. Everything else stays text; records are parsed later.
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: Number,
  23: Number,
};
