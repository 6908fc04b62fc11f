// The options of the Redis engine, checked once when a store is opened.
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import {
  choiceOption,
  described,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';

/** Connection parameters. */
export interface RedisConnection {
  /** Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default: 6379. */
  readonly port?: number | undefined;
  readonly username?: string | undefined;
  /** A function is called for each new connection, for short-lived passwords. */
  readonly password?: string | (() => string | Promise<string>) | undefined;
}

/** How a Redis store is opened. */
export interface RedisOptions {
  /** The number of the database; default: that of the URL, or 0. */
  readonly db?: number | undefined;
  /** Names the store: its keys are `{keyPrefix}:…`, all in one slot of a cluster; default: `statek`. */
  readonly keyPrefix?: string | undefined;
  /** Maximum size of the connection pool (default: 10). Listening for changes and keeping leases take one more connection each. */
  readonly poolSize?: number | undefined;
  /** How long to wait for a connection; default: 10,000. */
  readonly connectTimeoutMilliseconds?: number | undefined;
  /** How long a command may take; default: 30,000. */
  readonly commandTimeoutMilliseconds?: number | undefined;
  /** How long a commit that lost its connection tries to find out what became of it; default: 30,000. */
  readonly recoveryMilliseconds?: number | undefined;
  /** TLS: true, or Node's TLS options. `rediss://` in the URL is the same as true. */
  readonly tls?: boolean | TlsOptions | undefined;
  /** What `CLIENT LIST` shows; default: `statek`. */
  readonly clientName?: string | undefined;
  /**
   * `full` (the default): an acknowledged commit survives a crash of the server. Needs `appendfsync always`, or a server
   * with WAITAOF (Redis 7.2, Valkey 7.2).
   * `relaxed`: a crash may lose the latest commits, or whatever the server does not persist, but never a part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** Added to the server's clock for leases, so that tests can move time. */
  readonly clockOffsetMilliseconds?: (() => number) | undefined;
}

const optionNames: OptionNames<RedisOptions> = {
  db: true,
  keyPrefix: true,
  poolSize: true,
  connectTimeoutMilliseconds: true,
  commandTimeoutMilliseconds: true,
  recoveryMilliseconds: true,
  tls: true,
  clientName: true,
  durability: true,
  clockOffsetMilliseconds: true,
};

/** Complete connection parameters. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | (() => string | Promise<string>) | undefined;
  readonly tls: boolean | TlsOptions;
}

export interface Settings {
  readonly target: Target;
  readonly db: number;
  readonly keyPrefix: string;
  readonly poolSize: number;
  readonly connectTimeout: number;
  readonly commandTimeout: number;
  readonly recovery: number;
  readonly clientName: string;
  readonly durability: 'full' | 'relaxed';
  readonly clockOffset: () => number;
  readonly hasOwnClock: boolean;
  /** The location of the store for messages, without the password. */
  readonly place: string;
}

/** Settings that can be sent to another thread. */
export type ThreadSettings = Omit<Settings, 'clockOffset'>;

const where = 'The redis store';

export function settingsOf(connection: string | RedisConnection, options: RedisOptions): Settings {
  refuseUnknownOptions(where, options, optionNames);
  const { target, fromUrl } =
    typeof connection === 'string'
      ? parseUrl(connection, options)
      : { target: targetOf(connection, options), fromUrl: {} };
  const given = { ...fromUrl, ...definedOnly(options) };
  const { keyPrefix = 'statek', clientName = 'statek', durability = 'full', clockOffsetMilliseconds } = given;
  // Braces would end the hash tag early, and spaces and line breaks make keys hard to type.
  if (typeof keyPrefix !== 'string' || !/^[\w.:/-]{1,100}$/.test(keyPrefix))
    throw new InvalidOptionError(
      `${where}: option 'keyPrefix' must be 1 to 100 letters, digits and the characters _ . : / -, not ${described(keyPrefix)}.`,
    );
  // The server refuses names with spaces.
  if (typeof clientName !== 'string' || !/^[!-~]{1,100}$/.test(clientName))
    throw new InvalidOptionError(
      `${where}: option 'clientName' must be 1 to 100 printable ASCII characters without spaces, not ${described(clientName)}.`,
    );
  choiceOption(where, 'durability', durability, ['full', 'relaxed']);
  const milliseconds = (
    name: 'connectTimeoutMilliseconds' | 'commandTimeoutMilliseconds' | 'recoveryMilliseconds',
    defaultValue: number,
  ): number => wholeNumberOption(where, name, given[name] ?? defaultValue, 1, 86_400_000);
  const db = wholeNumberOption(where, 'db', given.db ?? 0, 0, 1_000_000);
  return {
    target,
    db,
    keyPrefix,
    poolSize: wholeNumberOption(where, 'poolSize', given.poolSize ?? 10, 1, 1000),
    connectTimeout: milliseconds('connectTimeoutMilliseconds', 10_000),
    commandTimeout: milliseconds('commandTimeoutMilliseconds', 30_000),
    recovery: milliseconds('recoveryMilliseconds', 30_000),
    clientName,
    durability,
    clockOffset: clockOffsetMilliseconds ?? (() => 0),
    hasOwnClock: clockOffsetMilliseconds !== undefined,
    place: `redis://${target.host}:${target.port}/${db} (key prefix ${keyPrefix})`,
  };
}

function definedOnly(options: RedisOptions): RedisOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function targetOf(connection: RedisConnection, { tls = false }: RedisOptions): Target {
  refuseUnknownOptions(where, connection, { host: true, port: true, username: true, password: true });
  const { host = '127.0.0.1', port = 6379, username, password } = connection;
  if (typeof host !== 'string' || host === '') throw new InvalidOptionError(`${where}: option 'host' must be a name.`);
  return { host, port: wholeNumberOption(where, 'port', port, 1, 65_535), username, password, tls };
}

const invalidUrl = (why: string): InvalidOptionError =>
  new InvalidOptionError(
    `${where} cannot use the connection URL: ${why}. Write it as redis://user:password@host:6379/0, with special characters in the password percent-encoded (@ as %40).`,
  );

/** The options a URL may set, for places that take only a text, such as `Statek.open({ store })`. */
const urlParameters: Readonly<Record<string, (text: string) => RedisOptions>> = {
  keyPrefix: (keyPrefix) => ({ keyPrefix }),
  durability: (durability) => ({ durability: durability as 'full' }),
  poolSize: (text) => ({ poolSize: Number(text) }),
};

function parseUrl(text: string, options: RedisOptions): { readonly target: Target; readonly fromUrl: RedisOptions } {
  let url: URL;
  let username: string;
  let password: string;
  try {
    url = new URL(text);
    username = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
  } catch {
    throw invalidUrl('it is not a URL');
  }
  const secure = url.protocol === 'rediss:';
  if (!secure && url.protocol !== 'redis:') throw invalidUrl(`its scheme is ${url.protocol}`);
  if (secure && options.tls === false) throw invalidUrl('rediss:// contradicts tls: false');
  if (url.hash !== '') throw invalidUrl('it has a fragment (#)');
  if (!/^\/?\d*$/.test(url.pathname)) throw invalidUrl(`'${url.pathname}' is not the number of a database`);
  let fromUrl: RedisOptions = {};
  const db = url.pathname.slice(1);
  if (db !== '') {
    if (options.db !== undefined && options.db !== Number(db))
      throw invalidUrl(`it names the database ${db}, and the option db ${options.db}`);
    fromUrl = { db: Number(db) };
  }
  for (const [name, value] of url.searchParams) {
    const parameter = Object.hasOwn(urlParameters, name) ? urlParameters[name] : undefined;
    if (parameter === undefined)
      throw invalidUrl(`it has no parameter '${name}'; it takes ${Object.keys(urlParameters).join(', ')}`);
    fromUrl = { ...fromUrl, ...parameter(value) };
  }
  return {
    target: {
      // An IPv6 address is in brackets in a URL.
      host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
      port: url.port === '' ? 6379 : Number(url.port),
      username: username === '' ? undefined : username,
      password: password === '' ? undefined : password,
      tls: options.tls ?? secure,
    },
    fromUrl,
  };
}
