// The options of the MCP server: access and limits.
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';

/** What MCP clients may do with a kit. */
export interface McpAccessOptions {
  /** Clients cannot change anything. */
  readonly readOnly?: boolean | undefined;
  /** `false`: clients cannot approve, deny or answer, so that an agent cannot approve its own calls. */
  readonly approvals?: boolean | undefined;
  /** The longest a client may wait for something, in milliseconds; default: 50,000. */
  readonly maxWaitMilliseconds?: number | undefined;
  /** The largest answer, in bytes; default: 1 MiB. */
  readonly maxReplyBytes?: number | undefined;
  /** What the server is called; default: `statek`. */
  readonly name?: string | undefined;
}

/** Where a kit is served over HTTP, and to whom. */
export interface McpHttpOptions extends McpAccessOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Where it listens; default: 127.0.0.1. Elsewhere a token is needed. */
  readonly host?: string | undefined;
  /** The token clients must send: `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Accepted values of the Host header, besides localhost. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Hosts whose web pages may use it, besides localhost. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Requests that are served at once; default: 100. */
  readonly maxRequests?: number | undefined;
  /** Streams of changes that are open at once; default: 50. */
  readonly maxSubscriptions?: number | undefined;
  /** The largest request, in bytes; default: 1 MiB. */
  readonly maxRequestBytes?: number | undefined;
}

export interface Access {
  readonly readOnly: boolean;
  readonly approvals: boolean;
  readonly maxWait: number;
  readonly maxReplyBytes: number;
  readonly name: string;
  /** Who decides, whatever the request says. */
  readonly decidedBy?: string | undefined;
}

const accessNames: OptionNames<McpAccessOptions> = {
  readOnly: true,
  approvals: true,
  maxWaitMilliseconds: true,
  maxReplyBytes: true,
  name: true,
};
const httpNames: OptionNames<McpHttpOptions> = {
  ...accessNames,
  port: true,
  host: true,
  token: true,
  allowedHosts: true,
  allowedOrigins: true,
  maxRequests: true,
  maxSubscriptions: true,
  maxRequestBytes: true,
};

export function accessOf(where: string, options: McpAccessOptions): Access {
  const { readOnly = false, approvals = true, maxWaitMilliseconds = 50_000, maxReplyBytes = 2 ** 20 } = options;
  return {
    readOnly,
    approvals,
    maxWait: wholeNumberOption(where, 'maxWaitMilliseconds', maxWaitMilliseconds, 0, 3_600_000),
    maxReplyBytes: wholeNumberOption(where, 'maxReplyBytes', maxReplyBytes, 1024, 64 * 2 ** 20),
    name: options.name ?? 'statek',
  };
}

export function checkStdio(options: McpAccessOptions): Access {
  refuseUnknownOptions('serveMcpStdio', options, accessNames);
  return accessOf('serveMcpStdio', options);
}

export interface HttpSettings {
  readonly port: number;
  readonly host: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxRequests: number;
  readonly maxSubscriptions: number;
  readonly maxRequestBytes: number;
}

export function checkHttp(options: McpHttpOptions): HttpSettings {
  const where = 'serveMcpHttp';
  refuseUnknownOptions(where, options, httpNames);
  const { host = '127.0.0.1', token, allowedHosts = [], allowedOrigins = [] } = options;
  if (token !== undefined && (typeof token !== 'string' || token.length < 16))
    throw new InvalidOptionError(`${where}: the token must have at least 16 characters.`, { name: 'token' });
  if (token === undefined && !['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new InvalidOptionError(
      `${where}: without a token, anyone who can reach '${host}' could run code. Set a token, or listen on 127.0.0.1.`,
      { name: 'host' },
    );
  const number = (name: string, value: number, min: number, max: number): number =>
    wholeNumberOption(where, name, value, min, max);
  return {
    port: number('port', options.port, 0, 65_535),
    host,
    token,
    allowedHosts,
    allowedOrigins,
    maxRequests: number('maxRequests', options.maxRequests ?? 100, 1, 100_000),
    maxSubscriptions: number('maxSubscriptions', options.maxSubscriptions ?? 50, 0, 100_000),
    maxRequestBytes: number('maxRequestBytes', options.maxRequestBytes ?? 2 ** 20, 1024, 64 * 2 ** 20),
  };
}
