// What every request has to pass before anything else, on every method and route, streams included. A page of another site can
// make a browser send requests here: by a name that points to this machine (the Host header tells), or from its own origin.
import { createHash, timingSafeEqual } from 'node:crypto';
import { RequestError } from './problem.ts';
import type { ServerSettings } from './options.ts';

const localNames = ['localhost', '127.0.0.1', '::1'];

/** Headers of every answer. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ hosts, origins }: ServerSettings, listening: readonly string[] = []) {
    this.#hosts = new Set([...localNames, ...hosts, ...listening.map((host) => host.toLowerCase())]);
    this.#origins = new Set(origins);
  }

  /** Refuses foreign hosts and origins. */
  check(request: Request): void {
    const host = request.headers.get('host') ?? new URL(request.url).host;
    const name = hostName(host);
    if (name === undefined || !this.#hosts.has(name))
      throw new RequestError(
        421,
        'HOST',
        `The host '${cut(host)}' is not served here. Add it to the option 'hosts' or to STATEK_SERVER_HOSTS.`,
      );
    const origin = request.headers.get('origin');
    if (origin === null || this.#origins.has(origin) || isSameHost(origin, host)) return;
    throw new RequestError(403, 'ORIGIN', `Pages of '${cut(origin)}' may not use this server.`);
  }

  /** Headers that let the pages of an allowed origin read the answer; none for others. */
  corsHeaders(request: Request): Readonly<Record<string, string>> {
    const origin = request.headers.get('origin');
    if (origin === null || !this.#origins.has(origin)) return {};
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-request-id',
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'origin',
    };
  }

  /** The answer to a preflight request; only for allowed origins. */
  preflight(request: Request): Response {
    const headers = this.corsHeaders(request);
    if (Object.keys(headers).length === 0)
      throw new RequestError(403, 'ORIGIN', 'Requests of other origins are off. Name them in the option "origins".');
    return new Response(null, {
      status: 204,
      headers: {
        ...headers,
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-headers':
          'authorization, content-type, last-event-id, x-request-id, traceparent, a2a-version, mcp-protocol-version, mcp-session-id',
        'access-control-max-age': '600',
      },
    });
  }
}

/** Compares in constant time. */
export function isSameSecret(given: string, secret: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(secret));
}

/** The token of a request: `Authorization: Bearer …`. */
export function bearerOf(request: Request): string | undefined {
  const [scheme = '', token = ''] = (request.headers.get('authorization') ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

function hostName(host: string): string | undefined {
  const name = URL.parse(`http://${host}`)?.hostname.toLowerCase();
  return name?.startsWith('[') === true ? name.slice(1, -1) : name;
}

function isSameHost(origin: string, host: string): boolean {
  return URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host;
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
