// The options of the server, and what they are by default: the machine itself, a random token, small requests.
import { isIPv6 } from 'node:net';
import {
  described,
  InvalidOptionError,
  listOption,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';
import type { Caller } from '../access/rights.ts';

/** One request, for a log. */
export interface AccessLogEntry {
  readonly time: Date;
  readonly requestId: string;
  /** Undefined if the caller was refused. */
  readonly caller: string | undefined;
  readonly method: string;
  /** The route, such as `/v1/jobs/{id}`, or the path if there is none. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The error behind a 5xx answer, which the caller does not see. */
  readonly error?: unknown;
}

/** Who may use the server, and how much. */
export interface ServerOptions {
  /** Tells who sends a request and what they may do; undefined refuses it. Without it, a token is needed. */
  readonly authorize?: ((request: Request) => Caller | undefined | Promise<Caller | undefined>) | undefined;
  /** The token of the owner, who may do everything; default: `STATEK_SERVER_TOKEN`, or a random one. */
  readonly token?: string | undefined;
  /** Nobody can change anything. */
  readonly readOnly?: boolean | undefined;
  /** Whether the inspector, the web page of the kit, is at `/`; default: true. */
  readonly inspector?: boolean | undefined;
  /** Accepted names in the Host header, besides localhost and the address it listens on; default: those of `STATEK_SERVER_HOSTS`. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of web pages that may use it, besides its own: `https://app.example.com`. */
  readonly origins?: readonly string[] | undefined;
  /** Where it is mounted, if the host does not remove that from paths: `/statek`. */
  readonly prefix?: string | undefined;
  /** Where callers find it, for agent cards: `https://example.com/statek`; default: as the request was addressed. */
  readonly url?: string | undefined;
  /** The largest body of a request, in bytes; default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long a body may take to arrive, in milliseconds; default: 30,000. */
  readonly bodyMilliseconds?: number | undefined;
  /** Requests per second of one caller; twice as many at once; default: 2,000. */
  readonly requestsPerSecond?: number | undefined;
  /** Streams of one caller that are open at once; default: 1,000. */
  readonly maxStreams?: number | undefined;
  /** How long a request may wait for a result, in milliseconds; default: 50,000. */
  readonly maxWaitMilliseconds?: number | undefined;
  /** Told about every request, after its answer has begun; default: a line on standard error for those that failed (5xx). */
  readonly log?: ((entry: AccessLogEntry) => void) | undefined;
}

const names: OptionNames<ServerOptions> = {
  authorize: true,
  token: true,
  readOnly: true,
  inspector: true,
  hosts: true,
  origins: true,
  prefix: true,
  url: true,
  maxBodyBytes: true,
  bodyMilliseconds: true,
  requestsPerSecond: true,
  maxStreams: true,
  maxWaitMilliseconds: true,
  log: true,
};

export interface ServerSettings {
  readonly authorize: ServerOptions['authorize'];
  readonly token: string | undefined;
  readonly readOnly: boolean;
  readonly inspector: boolean;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly prefix: string;
  readonly url: string | undefined;
  readonly maxBodyBytes: number;
  readonly bodyMilliseconds: number;
  readonly requestsPerSecond: number;
  readonly maxStreams: number;
  readonly maxWait: number;
  readonly log: NonNullable<ServerOptions['log']>;
}

const where = 'server';

/** The answer of a failed request only says that the log says why. */
function logFailures({ status, error, requestId, method, route }: AccessLogEntry): void {
  if (status < 500) return;
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: string; message?: string };
  const text = `${typeof code === 'string' ? code : (name ?? 'Error')}: ${message ?? ''}`;
  process.stderr.write(
    `statek error: a request failed ${JSON.stringify({ requestId, method, route, status, error: text })}\n`,
  );
}

/** Names with commas or spaces between them, as a variable has them. */
export function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

export function settingsOf(options: ServerOptions): ServerSettings {
  refuseUnknownOptions(where, options, names);
  const {
    authorize,
    readOnly = false,
    inspector = true,
    hosts = namesIn(process.env['STATEK_SERVER_HOSTS'] ?? ''),
    origins = [],
    prefix = '',
    log = logFailures,
  } = options;
  const token = options.token ?? (authorize === undefined ? process.env['STATEK_SERVER_TOKEN'] : undefined);
  if (token !== undefined && (typeof token !== 'string' || !/^[\w.~+/=-]{16,}$/.test(token)))
    throw new InvalidOptionError(`${where}: the token must be at least 16 letters, digits or . _ ~ + / = -.`, {
      name: 'token',
    });
  if (authorize !== undefined && typeof (authorize as unknown) !== 'function')
    throw new InvalidOptionError(
      `${where}: option 'authorize' must be a function of the request that returns { name, rights }, not ${described(authorize)}.`,
      { name: 'authorize' },
    );
  if (prefix !== '' && !/^(\/[\w.~-]+)+$/.test(prefix))
    throw new InvalidOptionError(`${where}: option 'prefix' must be a path such as '/statek'.`, { name: 'prefix' });
  for (const host of listOption(where, 'hosts', hosts))
    if (!/^[\w.-]+$/.test(host) && !isIPv6(host))
      throw new InvalidOptionError(
        `${where}: '${host}' is not the name of a host such as 'app.example.com'. Write it without a port.`,
        { name: 'hosts' },
      );
  for (const origin of listOption(where, 'origins', origins))
    if (URL.parse(origin)?.origin !== origin)
      throw new InvalidOptionError(`${where}: '${origin}' is not an origin such as 'https://app.example.com'.`, {
        name: 'origins',
      });
  if (options.url !== undefined && !/^https?:$/.test(URL.parse(options.url)?.protocol ?? ''))
    throw new InvalidOptionError(`${where}: option 'url' must be an address such as 'https://example.com/statek'.`, {
      name: 'url',
    });
  const number = (name: keyof ServerOptions, value: unknown, min: number, max: number): number =>
    wholeNumberOption(where, name, value, min, max);
  return {
    authorize,
    token,
    readOnly,
    inspector,
    hosts: hosts.map((host) => host.toLowerCase()),
    origins,
    prefix,
    url: options.url?.replace(/\/*$/, '/'),
    maxBodyBytes: number('maxBodyBytes', options.maxBodyBytes ?? 2 ** 20, 1024, 2 ** 30),
    bodyMilliseconds: number('bodyMilliseconds', options.bodyMilliseconds ?? 30_000, 100, 3_600_000),
    requestsPerSecond: number('requestsPerSecond', options.requestsPerSecond ?? 2000, 1, 1_000_000),
    maxStreams: number('maxStreams', options.maxStreams ?? 1000, 1, 1_000_000),
    maxWait: number('maxWaitMilliseconds', options.maxWaitMilliseconds ?? 50_000, 0, 3_600_000),
    log,
  };
}
