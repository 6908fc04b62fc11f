// The options of the PostgreSQL engine, checked once when a store is opened.
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { Client } from 'pg';
import {
  choiceOption,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';

/** Where the database is, for those who have it in parts. What is left out comes from the PG… environment variables. */
export interface PostgresConnection {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  /** A function is asked again for each new connection, so that short-lived passwords work. */
  readonly password?: string | (() => string | Promise<string>) | undefined;
}

/** How a PostgreSQL store is opened. */
export interface PostgresOptions {
  /** The schema that holds the store, made if need be; default: `statek`. */
  readonly schema?: string | undefined;
  /** How many connections at most, by default 10. One more listens for changes, and one more keeps leases, while they are needed. */
  readonly poolSize?: number | undefined;
  /** How long to wait for a connection; default: 10,000. */
  readonly connectTimeoutMilliseconds?: number | undefined;
  /** How long a statement may take, waiting for other processes' commits included; default: 30,000. */
  readonly statementTimeoutMilliseconds?: number | undefined;
  /** How long a commit that lost its connection tries to find out what became of it; default: 30,000. */
  readonly recoveryMilliseconds?: number | undefined;
  /** TLS: true, or Node's options for it. Wins over `sslmode` in the URL. */
  readonly ssl?: boolean | TlsOptions | undefined;
  /** What `pg_stat_activity` shows; default: `statek`. */
  readonly applicationName?: string | undefined;
  /**
   * `full` (the default): a commit that was acknowledged survives a crash of the server.
   * `relaxed`: such a crash may take the latest commits with it; never half of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** Opens a server that runs with fsync or full_page_writes off, whose data a power cut may ruin. For tests. */
  readonly allowUnsafeServer?: boolean | undefined;
  /** A pooler that hands out connections by transaction is in between: use no named statements and no session settings. */
  readonly throughPooler?: boolean | undefined;
  /** Where to listen for changes when a pooler is in between: the server itself. */
  readonly directConnection?: string | PostgresConnection | undefined;
  /** Added to the server's clock when leases are counted, so that tests can move time. */
  readonly clockOffsetMilliseconds?: (() => number) | undefined;
}

const optionNames: OptionNames<PostgresOptions> = {
  schema: true,
  poolSize: true,
  connectTimeoutMilliseconds: true,
  statementTimeoutMilliseconds: true,
  recoveryMilliseconds: true,
  ssl: true,
  applicationName: true,
  durability: true,
  allowUnsafeServer: true,
  throughPooler: true,
  directConnection: true,
  clockOffsetMilliseconds: true,
};

/** A place to connect to, with everything the environment and the URL say filled in. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | (() => string | Promise<string>) | undefined;
  readonly ssl: boolean | TlsOptions;
  /** Server settings asked for in the URL. */
  readonly options: string | undefined;
}

export interface Settings {
  readonly target: Target;
  readonly listenTarget: Target;
  readonly schema: string;
  readonly poolSize: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  readonly recovery: number;
  readonly applicationName: string;
  readonly durability: 'full' | 'relaxed';
  readonly allowUnsafeServer: boolean;
  readonly throughPooler: boolean;
  readonly clockOffset: () => number;
  readonly hasOwnClock: boolean;
  /** The store's place for people, without the password. */
  readonly place: string;
}

const where = 'The postgres store';

export function settingsOf(connection: string | PostgresConnection, options: PostgresOptions): Settings {
  refuseUnknownOptions(where, options, optionNames);
  const { schema = 'statek', applicationName = 'statek', durability = 'full', clockOffsetMilliseconds } = options;
  // Other names would need quotes in every query a person writes, and room is needed for the channel's prefix.
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema) || schema.startsWith('pg_')) {
    throw new InvalidOptionError(
      `${where}: option 'schema' must be 1 to 48 lower-case letters, digits and underscores, no digit first and not pg_…, not '${schema}'.`,
    );
  }
  choiceOption(where, 'durability', durability, ['full', 'relaxed']);
  const target = targetOf(connection, options.ssl);
  const milliseconds = (
    name: 'connectTimeoutMilliseconds' | 'statementTimeoutMilliseconds' | 'recoveryMilliseconds',
    usual: number,
  ): number => wholeNumberOption(where, name, options[name] ?? usual, 1, 86_400_000);
  return {
    target,
    listenTarget: options.directConnection === undefined ? target : targetOf(options.directConnection, options.ssl),
    schema,
    poolSize: wholeNumberOption(where, 'poolSize', options.poolSize ?? 10, 1, 1000),
    connectTimeout: milliseconds('connectTimeoutMilliseconds', 10_000),
    statementTimeout: milliseconds('statementTimeoutMilliseconds', 30_000),
    recovery: milliseconds('recoveryMilliseconds', 30_000),
    applicationName,
    durability,
    allowUnsafeServer: options.allowUnsafeServer ?? false,
    throughPooler: options.throughPooler ?? false,
    clockOffset: clockOffsetMilliseconds ?? (() => 0),
    hasOwnClock: clockOffsetMilliseconds !== undefined,
    place: `postgres://${target.user}@${target.host}:${target.port}/${target.database} (schema ${schema})`,
  };
}

interface ResolvedParameters {
  readonly host?: string | null;
  readonly port: number;
  readonly database?: string | null;
  readonly user?: string | null;
  readonly password?: Target['password'] | null;
  readonly ssl?: boolean | TlsOptions | null;
  readonly options?: string | null;
}

// The client knows the URL's grammar and the environment's variables; it is made here only to be asked for them. The URL
// itself, which holds the password, is not kept.
function targetOf(connection: string | PostgresConnection, ssl: PostgresOptions['ssl']): Target {
  if (typeof connection !== 'string')
    refuseUnknownOptions(where, connection, { host: true, port: true, database: true, user: true, password: true });
  let parameters: ResolvedParameters;
  try {
    const client = new Client(typeof connection === 'string' ? { connectionString: connection } : connection);
    parameters = (client as Client & { readonly connectionParameters: ResolvedParameters }).connectionParameters;
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? error.message : 'it is not a URL';
    throw new InvalidOptionError(
      `${where} cannot use the connection URL: ${why}. It looks like postgres://user:password@host:5432/database; special characters in the password are written as %40 and so on.`,
    );
  }
  const user = parameters.user ?? 'postgres';
  return {
    host: parameters.host ?? 'localhost',
    port: parameters.port,
    database: parameters.database ?? user,
    user,
    password: parameters.password ?? undefined,
    ssl: ssl ?? parameters.ssl ?? false,
    options: parameters.options ?? undefined,
  };
}
