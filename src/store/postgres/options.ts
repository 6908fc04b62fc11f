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

/** Connection parameters. Missing ones come from the PG… environment variables. */
export interface PostgresConnection {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  /** A function is called for each new connection, for short-lived passwords. */
  readonly password?: string | (() => string | Promise<string>) | undefined;
}

/** How a PostgreSQL store is opened. */
export interface PostgresOptions {
  /** The schema that holds the store, made if need be; default: `?schema=…` of the URL, or `statek`. */
  readonly schema?: string | undefined;
  /** Maximum size of the connection pool (default: 10). Listening for changes and keeping leases take one more connection each. */
  readonly poolSize?: number | undefined;
  /** How long to wait for a connection; default: 10,000. */
  readonly connectTimeoutMilliseconds?: number | undefined;
  /** How long a statement may take, waiting for other processes' commits included; default: 30,000. */
  readonly statementTimeoutMilliseconds?: number | undefined;
  /** How long a commit that lost its connection tries to find out what became of it; default: 30,000. */
  readonly recoveryMilliseconds?: number | undefined;
  /** TLS: true, or Node's TLS options. Overrides `sslmode` in the URL. */
  readonly ssl?: boolean | TlsOptions | undefined;
  /** What `pg_stat_activity` shows; default: `statek`. */
  readonly applicationName?: string | undefined;
  /**
   * `full` (the default): an acknowledged commit survives a crash of the server.
   * `relaxed`: a crash may lose the latest commits, but never a part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** Accepts a server with fsync or full_page_writes off, whose data a power failure may corrupt. For tests. */
  readonly allowUnsafeServer?: boolean | undefined;
  /** The connection goes through a transaction-level pooler: avoids named statements and session settings. */
  readonly throughPooler?: boolean | undefined;
  /** A connection that bypasses the pooler, to listen for changes. */
  readonly directConnection?: string | PostgresConnection | undefined;
  /** Added to the server's clock for leases, so that tests can move time. */
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

/** Complete connection parameters, from the URL and the environment. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | (() => string | Promise<string>) | undefined;
  readonly ssl: boolean | TlsOptions;
  /** Server settings from the URL. */
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
  /** The location of the store for messages, without the password. */
  readonly place: string;
}

const where = 'The postgres store';

export function settingsOf(connection: string | PostgresConnection, options: PostgresOptions): Settings {
  refuseUnknownOptions(where, options, optionNames);
  const {
    schema = schemaInUrl(connection) ?? 'statek',
    applicationName = 'statek',
    durability = 'full',
    clockOffsetMilliseconds,
  } = options;
  // Other names would need quotes in hand-written queries, and the channel name needs room for a prefix.
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema) || schema.startsWith('pg_')) {
    throw new InvalidOptionError(
      `${where}: option 'schema' must be 1 to 48 lower-case letters, digits and underscores, and start with neither a digit nor pg_, not '${schema}'.`,
    );
  }
  choiceOption(where, 'durability', durability, ['full', 'relaxed']);
  const target = targetOf(connection, options.ssl);
  const milliseconds = (
    name: 'connectTimeoutMilliseconds' | 'statementTimeoutMilliseconds' | 'recoveryMilliseconds',
    defaultValue: number,
  ): number => wholeNumberOption(where, name, options[name] ?? defaultValue, 1, 86_400_000);
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

/** What the URLs of hosters and of libpq may say beside `schema`; a URL made for them can be passed as it is. */
const urlParameters: ReadonlySet<string> = new Set(
  `schema host hostaddr port user password passfile dbname database ssl sslmode sslcert sslkey sslpassword sslrootcert sslcrl sslsni
  sslcompression sslnegotiation sslcertmode ssl_min_protocol_version ssl_max_protocol_version uselibpqcompat gssencmode krbsrvname
  require_auth requirepeer channel_binding target_session_attrs load_balance_hosts connect_timeout client_encoding options
  application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
  replication service statement_timeout lock_timeout idle_in_transaction_session_timeout query_timeout`.split(/\s+/),
);

/** A URL may name the schema, too: `postgres://…/database?schema=name`. */
function schemaInUrl(connection: string | PostgresConnection): string | undefined {
  if (typeof connection !== 'string' || !URL.canParse(connection)) return undefined;
  const { searchParams, hash } = new URL(connection);
  // What it says may be a part of a password.
  if (hash !== '')
    throw new InvalidOptionError(
      `${where} cannot use the connection URL: it has a fragment (#). Name a schema as ?schema=planner, and write # as %23.`,
    );
  for (const name of searchParams.keys())
    if (!urlParameters.has(name))
      throw new InvalidOptionError(
        `${where} cannot use the connection URL: it has no parameter '${name}'. It takes schema, and the parameters of PostgreSQL's own URLs, such as sslmode.`,
        { name },
      );
  return searchParams.get('schema') ?? undefined;
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

// Creates a client only to let it parse the URL and the environment. The URL itself, which contains the password, is not
// kept.
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
      `${where} cannot use the connection URL: ${why}. Write it as postgres://user:password@host:5432/database, with special characters in the password percent-encoded (@ as %40).`,
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
