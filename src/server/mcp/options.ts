// The options of the MCP server: access and limits.
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';

export interface McpAccessOptions {
  /** Clients cannot change anything. */
  readonly readOnly?: boolean | undefined;
  /** `false`: clients cannot approve, deny or answer, so that an agent cannot approve its own calls. */
  readonly approvals?: boolean | undefined;
  /** Maximum wait of a client in milliseconds (default: 50,000). */
  readonly maxWaitMilliseconds?: number | undefined;
  /** Maximum size of a reply in bytes (default: 1 MiB). */
  readonly maxReplyBytes?: number | undefined;
  /** The name of the server (default: `statek`). */
  readonly name?: string | undefined;
}

export interface McpHttpOptions extends McpAccessOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** The address to listen on (default: 127.0.0.1). Other addresses require a token. */
  readonly host?: string | undefined;
  /** The token clients must send: `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Accepted values of the Host header, besides localhost. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Hosts whose web pages may use it, besides localhost. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Maximum concurrent requests (default: 100). */
  readonly maxRequests?: number | undefined;
  /** Maximum open change streams (default: 50). */
  readonly maxSubscriptions?: number | undefined;
  /** Maximum size of a request in bytes (default: 1 MiB). */
  readonly maxRequestBytes?: number | undefined;
}

export interface Access {
  readonly readOnly: boolean;
  readonly approvals: boolean;
  readonly maxWait: number;
  readonly maxReplyBytes: number;
  readonly name: string;
}

const accessNames = ['readOnly', 'approvals', 'maxWaitMilliseconds', 'maxReplyBytes', 'name'];
const httpNames = [
  'port',
  'host',
  'token',
  'allowedHosts',
  'allowedOrigins',
  'maxRequests',
  'maxSubscriptions',
  'maxRequestBytes',
];

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
  refuseUnknownOptions(where, options, [...accessNames, ...httpNames]);
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
