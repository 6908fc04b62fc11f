// The client library, an optional package: it is loaded when the first Redis store is opened.
import type * as library from '@redis/client';
import type { RedisClientOptions, RedisClientType, RESP_TYPES, RespVersions } from '@redis/client';
import { StoreFeatureError } from '../errors.ts';
import type { ThreadSettings } from './options.ts';

export type ClientLibrary = typeof library;

/** One connection; it never reconnects by itself. */
export type Client = RedisClientType<{}, {}, {}, RespVersions, Mapping>;

interface Mapping {
  readonly [RESP_TYPES.BLOB_STRING]: typeof Buffer;
}

let loaded: ClientLibrary | undefined;

export async function loadClientLibrary(): Promise<ClientLibrary> {
  try {
    return (loaded ??= await import('@redis/client'));
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new StoreFeatureError(
      "A Redis store needs the package '@redis/client', which is not installed. Install it: npm install @redis/client",
      { package: '@redis/client' },
      cause,
    );
  }
}

/** The server answered with an error, so the command had no effect unless it was a script that had begun to write. */
export function isErrorReply(error: unknown): boolean {
  return loaded !== undefined && error instanceof loaded.ErrorReply;
}

/** The client gave the connection up. */
export function isClientError(error: unknown): boolean {
  if (loaded === undefined) return false;
  const { AbortError, ClientClosedError, ClientOfflineError, ConnectionTimeoutError } = loaded;
  const { DisconnectsClientError, SocketClosedUnexpectedlyError, SocketTimeoutError, TimeoutError } = loaded;
  return [
    AbortError,
    ClientClosedError,
    ClientOfflineError,
    ConnectionTimeoutError,
    DisconnectsClientError,
    SocketClosedUnexpectedlyError,
    SocketTimeoutError,
    TimeoutError,
  ].some((type) => error instanceof type);
}

/** Replies are buffers, because keys and values are bytes. With protocol 3 a connection can listen and run commands. */
export function clientFor(
  library: ClientLibrary,
  settings: ThreadSettings,
  { name = settings.clientName, protocol = 2 }: { readonly name?: string; readonly protocol?: RespVersions } = {},
): Client {
  const { createClient, RESP_TYPES: types } = library;
  const { target, connectTimeout, db } = settings;
  const { host, port, tls, username, password } = target;
  const named = username === undefined ? {} : { username };
  const socket = { host, port, connectTimeout, reconnectStrategy: false as const, keepAlive: true };
  const options: RedisClientOptions<{}, {}, {}, RespVersions, Mapping> = {
    RESP: protocol,
    socket: tls === false ? socket : { ...socket, ...(tls === true ? {} : tls), tls: true },
    database: db,
    name,
    ...(typeof password === 'function'
      ? {
          credentialsProvider: {
            type: 'async-credentials-provider' as const,
            credentials: async () => ({ ...named, password: await password() }),
          },
        }
      : { ...named, ...(password !== undefined && { password }) }),
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandOptions: { typeMapping: { [types.BLOB_STRING]: Buffer } },
  };
  const client = createClient(options);
  // An `error` event without a listener would end the process. The running command reports the error too.
  client.on('error', () => undefined);
  return client;
}
