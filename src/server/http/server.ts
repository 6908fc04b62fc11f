// A kit over HTTP: every request passes the guard, its caller is known, and its route does the rest.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { context, propagation, SpanKind, SpanStatusCode, trace, type SpanOptions } from '@opentelemetry/api';
import { Hono } from 'hono';
import { z } from 'zod';
import { described, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { spanText } from '../../base/telemetry.ts';
import { packageVersion } from '../../base/package.ts';
import { Statek } from '../../kit/statek.ts';
import { EventHub } from '../access/event-hub.ts';
import { KitAccess } from '../access/kit-access.ts';
import { ownerOf, requireRight, type Caller, type Right } from '../access/rights.ts';
import { readJson, type BodyLimits } from './body.ts';
import { bearerOf, Guard, isSameSecret, securityHeaders } from './guard.ts';
import { RequestCounts } from './metrics.ts';
import { openApiOf } from './openapi.ts';
import { inspectorResponse, isInspectorPath } from '../inspector/files.ts';
import { MountedMcp } from '../mcp/mounted.ts';
import { settingsOf, type ServerOptions, type ServerSettings } from './options.ts';
import { listenFailure } from './listen-failure.ts';
import { problemOf, problemResponse, RequestError } from './problem.ts';
import { redactedResponse } from './redacted.ts';
import { Rates } from './rates.ts';
import type { Route } from './route.ts';
import { allRoutes } from './table.ts';

/** Where a server listens. */
export interface ListenOptions {
  /** Default: 127.0.0.1. Others need `authorize` or a token of yours. */
  readonly host?: string | undefined;
  /** Default: 0, which picks a free port. */
  readonly port?: number | undefined;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** The token of the owner, if the server made one up. */
  readonly token: string | undefined;
  /** Takes no more requests, and answers those it has; streams of events end, and those who wait get what there is. */
  close(): Promise<void>;
}

/** A kit over HTTP, for whichever host: a web `Request`, Node's own objects, or a port of its own. */
export interface StatekServer {
  /** For Hono, Next, Bun, Deno and others that speak web requests. */
  fetch(request: Request): Promise<Response>;
  /** For Express, Fastify and `node:http`. Requests that are not for it go to `next`, if there is one. */
  node(request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  listen(options?: ListenOptions): Promise<Listening>;
  /** The routes it answers below `/v1`. */
  readonly routes: readonly RouteSummary[];
}

/** A route, and the right a caller needs for it. */
export interface RouteSummary {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces: `/jobs/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly right: Right | 'none';
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
/** What is known of a request while it is answered. */
interface Seen {
  /** Where the host has mounted the server, if it told: `/statek`. */
  readonly mount: string;
  /** Aborted when the server is closed: streams end then, and waiting requests are answered with what there is. */
  readonly closing: AbortSignal | undefined;
  route: string;
  caller: string | undefined;
  /** There is such a route; what others ask for is counted as one, because there are endless paths. */
  isKnown?: boolean;
  /** Files of the inspector, which are the same for everybody. */
  isPublic?: boolean;
  error?: unknown;
}

interface Answering {
  readonly seen: Seen;
  readonly caller: Caller;
}

type App = Hono<{ Bindings: Answering }>;

/** Where MCP clients find it, beside `/v1`. */
const mcpPath = '/mcp';

/** Where A2A clients look for the card of an agent, below the address they are given. */
const cardPath = '.well-known/agent-card.json';

const nobody: Caller = { name: 'anonymous', rights: [] };

/**
 * Serves a kit over HTTP. Everything the kit can do from code can be done here, by callers who have the right to.
 *
 * @example
 * import { program, Statek } from 'statek';
 * import { server } from 'statek/server';
 *
 * const double = program<number>({ role: 'double', source: (input) => `${String(input)} * 2` });
 * const kit = await Statek.open({ store: 'memory:', drivers: [double] });
 * const listening = await server(kit, { token: 'a-token-of-16-letters' }).listen();
 * const headers = { authorization: 'Bearer a-token-of-16-letters', 'content-type': 'application/json' };
 * const body = JSON.stringify({ role: 'double', input: 21 });
 * await fetch(`${listening.url}v1/jobs/first`, { method: 'PUT', headers, body });
 * await kit.runUntilIdle();
 * const answer = await fetch(`${listening.url}v1/jobs/first/result`, { headers });
 * console.log(((await answer.json()) as { result: number }).result); // prints 42
 * await listening.close();
 * await kit.close();
 */
export function server(kit: Statek, options: ServerOptions = {}): StatekServer {
  if (!((kit as unknown) instanceof Statek))
    throw new InvalidOptionError(
      `server takes an opened kit, as await Statek.open(…) returns it, not ${described(kit)}.`,
    );
  const made = new HttpServer(kit, settingsOf(options));
  // Hosts take the functions themselves: `app.mount('/statek', served.fetch)`.
  return {
    fetch: (request) => made.fetch(request),
    node: (request, response, next) => made.node(request, response, next),
    listen: (where) => made.listen(where),
    routes: made.routes,
  };
}

class HttpServer {
  readonly routes: readonly Route[];
  readonly #kit: Statek;
  readonly #settings: ServerSettings;
  readonly #rates: Rates;
  readonly #hub: EventHub;
  readonly #requests = new RequestCounts();
  readonly #mcp: MountedMcp;
  readonly #app: App;
  /** Made up when nobody gave one; known to whoever starts the server. */
  readonly #token: string | undefined;
  /** Aborted when the server that listens there is closed. */
  readonly #closing = new WeakMap<Server, AbortSignal>();
  #guard: Guard;

  constructor(kit: Statek, settings: ServerSettings) {
    this.#kit = kit;
    this.#settings = settings;
    this.#rates = new Rates(settings);
    this.#guard = new Guard(settings);
    this.#hub = new EventHub(kit);
    this.#token =
      settings.token ?? (settings.authorize === undefined ? randomBytes(24).toString('base64url') : undefined);
    this.routes = allRoutes({ requests: this.#requests, rates: this.#rates });
    this.#mcp = new MountedMcp(kit, settings.maxWait);
    this.#app = this.#appOf(this.routes);
  }

  fetch(request: Request): Promise<Response> {
    return this.#fetch(request, { mount: '', closing: undefined });
  }

  async #fetch(request: Request, { mount, closing }: Pick<Seen, 'mount' | 'closing'>): Promise<Response> {
    const started = performance.now();
    const given = request.headers.get('x-request-id') ?? '';
    const requestId = /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
    const seen: Seen = {
      mount,
      closing,
      route: new URL(request.url).pathname,
      caller: undefined,
    };
    let response: Response;
    try {
      this.#guard.check(request);
      response = request.method === 'OPTIONS' ? this.#guard.preflight(request) : await this.#answer(request, seen);
    } catch (error) {
      seen.error = error;
      response = problemResponse(error, error instanceof RequestError && error.status === 401 ? authenticate : {});
    }
    const shown = await redactedResponse(response, seen.isPublic === true ? undefined : this.#kit.redactor);
    const answer = withHeaders(shown, {
      ...securityHeaders,
      ...this.#guard.corsHeaders(request),
      'x-request-id': requestId,
    });
    this.#requests.add(request.method, seen.isKnown === true ? seen.route : 'unknown', answer.status);
    this.#settings.log({
      time: new Date(),
      requestId,
      caller: seen.caller,
      method: request.method,
      route: seen.route,
      status: answer.status,
      milliseconds: performance.now() - started,
      ...(answer.status >= 500 ? { error: seen.error } : {}),
    });
    return answer;
  }

  node(request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (next !== undefined && this.#pathOf(path) === undefined) {
      next();
      return;
    }
    // Express takes away where it is mounted; without the slash after that, the page's relative addresses would lead elsewhere.
    const { originalUrl } = request as { readonly originalUrl?: string };
    const mounted = path === '/' && this.#settings.inspector ? originalUrl?.split('?')[0] : undefined;
    if (mounted?.endsWith('/') === false) {
      response.writeHead(308, { location: `${mounted.slice(mounted.lastIndexOf('/') + 1)}/` }).end();
      return;
    }
    // It answers every error itself; what is left is a connection that is gone.
    this.#listener(request, response).catch(() => response.destroy());
  }

  async listen(options: ListenOptions = {}): Promise<Listening> {
    refuseUnknownOptions('server.listen', options, { host: true, port: true });
    const { host = '127.0.0.1', port = 0 } = options;
    wholeNumberOption('server.listen', 'port', port, 0, 65_535);
    if (!loopback.has(host) && this.#settings.authorize === undefined && this.#settings.token === undefined) {
      throw new InvalidOptionError(
        `server.listen: on '${host}' others can reach it. Set 'authorize', a token or STATEK_SERVER_TOKEN, or listen on 127.0.0.1.`,
        { name: 'host' },
      );
    }
    this.#guard = new Guard(this.#settings, host === '0.0.0.0' || host === '::' ? [] : [host]);
    const listening = createServer({ maxHeaderSize: 16_384 }, (request, response) => this.node(request, response));
    // A request that comes in drops, or never ends, gives its connection back.
    listening.headersTimeout = 15_000;
    listening.requestTimeout = this.#settings.bodyMilliseconds + 15_000;
    listening.keepAliveTimeout = 10_000;
    listening.listen(port, host);
    await once(listening, 'listening').catch((error: unknown) => {
      throw listenFailure(host, port, error);
    });
    const token = this.#settings.token === undefined ? this.#token : undefined;
    const closing = new AbortController();
    this.#closing.set(listening, closing.signal);
    return listeningOf(listening, host, token, async () => {
      closing.abort();
      await this.#mcp.close();
    });
  }

  readonly #listener = getRequestListener(
    (request, bindings) => {
      const { incoming } = bindings as { readonly incoming: IncomingMessage };
      const { server: of } = incoming.socket as { readonly server?: Server };
      return this.#fetch(request, { mount: mountOf(incoming), closing: of && this.#closing.get(of) });
    },
    { overrideGlobalObjects: false },
  );

  /** Below its prefix; undefined if it is somebody else's. */
  #pathOf(path: string): string | undefined {
    const { prefix } = this.#settings;
    if (!path.startsWith(prefix)) return undefined;
    // Addresses are given with a slash at the end, and many write another one after it.
    const rest = path.slice(prefix.length).replace(/^\/+(?=\/)/, '');
    if (rest === `/${cardPath}`) return `/v1/a2a/${cardPath}`;
    if (rest.startsWith('/v1/') || rest === mcpPath) return rest;
    // Without the slash, the page's relative addresses would lead elsewhere.
    const isOfPage = this.#settings.inspector && ((rest === '' && prefix !== '') || isInspectorPath(rest));
    return isOfPage ? rest : undefined;
  }

  async #answer(request: Request, seen: Seen): Promise<Response> {
    const url = new URL(request.url);
    const path = this.#pathOf(url.pathname);
    if (path === undefined) throw new RequestError(404, 'NOT_FOUND', `There is nothing at '${cut(url.pathname)}'.`);
    if (path !== mcpPath && !path.startsWith('/v1/')) return this.#answerPage(request, seen, path);
    const caller = await this.#callerOf(request);
    seen.caller = caller?.name;
    if (path === mcpPath) return this.#answerMcp(request, seen, caller);
    return this.#app.fetch(request, { seen, caller: caller ?? nobody });
  }

  /** The page is the same for everybody: what it shows it asks the API for, with the token of whoever opened it. */
  #answerPage(request: Request, seen: Seen, path: string): Response {
    seen.route = 'inspector';
    seen.isPublic = true;
    seen.isKnown = true;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new RequestError(405, 'METHOD', `The inspector takes GET, not ${request.method}.`);
    if (path === '') return new Response(null, { status: 308, headers: { location: `${this.#settings.prefix}/` } });
    const response = inspectorResponse(path, request);
    if (response !== undefined) return response;
    throw new RequestError(404, 'NOT_FOUND', 'The inspector was not built. Run npm run build:web in the repository.');
  }

  async #answerMcp(request: Request, seen: Seen, caller: Caller | undefined): Promise<Response> {
    seen.route = mcpPath;
    seen.isKnown = true;
    if (caller === undefined) throw unauthenticated();
    this.#rates.request(caller, performance.now());
    const body = request.method === 'POST' ? await readJson(request, this.#limitsOf(caller)) : undefined;
    const response = await this.#mcp.answer(request, body, caller);
    if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return response;
    return counted(response, this.#rates.stream(caller));
  }

  #limitsOf({ limits }: Caller): BodyLimits {
    const { bodyMilliseconds, maxBodyBytes } = this.#settings;
    return { bodyMilliseconds, maxBodyBytes: limits?.maxBodyBytes ?? maxBodyBytes };
  }

  async #callerOf(request: Request): Promise<Caller | undefined> {
    const { authorize, readOnly } = this.#settings;
    const token = bearerOf(request);
    const isOwner = this.#token !== undefined && token !== undefined && isSameSecret(token, this.#token);
    const caller = isOwner ? ownerOf('owner') : await authorize?.(request);
    if (caller === undefined) return undefined;
    return readOnly ? { ...caller, rights: caller.rights.filter((right) => right === 'read') } : caller;
  }

  #appOf(routes: readonly Route[]): App {
    const app: App = new Hono({ getPath: ({ url }) => this.#pathOf(new URL(url).pathname) ?? '' });
    const document = openApiOf(routes, packageVersion());
    app.get('/v1/openapi.json', () => Response.json(document));
    // Fixed paths before those with parameters, whichever was declared first.
    const ordered = routes.toSorted((a, b) => parametersIn(a) - parametersIn(b));
    for (const route of ordered) {
      const pattern = `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      app.on(route.method, pattern, (found) => {
        const { seen } = found.env;
        seen.route = `/v1${route.path}`;
        seen.isKnown = true;
        return this.#run(route, found.env, found.req.raw, found.req.param());
      });
    }
    app.notFound((found) => {
      const path = found.req.path;
      const others = routes.filter(({ path: known }) => matches(`/v1${known}`, path)).map(({ method }) => method);
      if (others.length > 0 && !others.includes(found.req.method as Route['method']))
        throw new RequestError(405, 'METHOD', `${cut(path)} takes ${others.join(', ')}, not ${found.req.method}.`);
      throw new RequestError(404, 'NOT_FOUND', `There is nothing at '${cut(path)}'. See openapi.json.`);
    });
    app.onError((error) => {
      throw error;
    });
    return app;
  }

  async #run(
    route: Route,
    env: Answering,
    request: Request,
    path: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { caller } = env;
    if (route.right !== 'none') {
      if (caller === nobody) throw unauthenticated();
      requireRight(caller, route.right);
    }
    this.#rates.request(caller, performance.now());
    const parent = propagation.extract(context.active(), Object.fromEntries(request.headers));
    return trace
      .getTracer('statek')
      .startActiveSpan(`${route.method} /v1${route.path}`, spanOptions(route, path), parent, async (span) => {
        try {
          const response = await this.#handled(route, env, request, path);
          span.setAttribute('http.response.status_code', response.status);
          return response;
        } catch (error) {
          const { status, code } = problemOf(error);
          span.setAttributes({ 'http.response.status_code': status, 'error.type': code });
          // What a caller did wrong is no error of the server.
          if (status >= 500)
            span.setStatus({ code: SpanStatusCode.ERROR, message: spanText((error as Error).message) });
          throw error;
        } finally {
          span.end();
        }
      });
  }

  async #handled(
    route: Route,
    { caller, seen }: Answering,
    request: Request,
    path: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const isWrite = route.method === 'POST' || route.method === 'PUT';
    const body = isWrite ? await readJson(request, this.#limitsOf(caller)) : undefined;
    const answer = await route.handle({
      access: new KitAccess(this.#kit, this.#hub, caller),
      path: route.pathShape.parse(path) as never,
      query: route.query.parse(Object.fromEntries(new URL(request.url).searchParams)) as never,
      body: (route.body ?? z.undefined()).parse(body) as never,
      signal: seen.closing === undefined ? request.signal : AbortSignal.any([request.signal, seen.closing]),
      lastEventId: request.headers.get('last-event-id') ?? undefined,
      header: (name) => request.headers.get(name) ?? undefined,
      base: this.#settings.url ?? `${new URL(request.url).origin}${seen.mount}${this.#settings.prefix}/`,
      maxWait: this.#settings.maxWait,
    });
    return answer instanceof Response ? answer : Response.json(answer, { status: route.status });
  }
}

/** Express tells what it has taken off the path. */
function mountOf(incoming: IncomingMessage): string {
  const { url = '', originalUrl } = incoming as { readonly url?: string; readonly originalUrl?: string };
  return originalUrl !== undefined && originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : '';
}

/** The job has its id in its own spans, too. */
function spanOptions({ method, path: route }: Route, path: Readonly<Record<string, string>>): SpanOptions {
  const isOfJob = route.startsWith('/jobs/{id}') || route.startsWith('/chat/{role}/{id}');
  return {
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': method,
      'http.route': `/v1${route}`,
      ...(isOfJob ? { 'statek.job.id': path['id'] } : {}),
    },
  };
}

/** How long requests in flight may take to be answered once the server is closed. */
const drainMilliseconds = 3000;

const authenticate = { 'www-authenticate': 'Bearer' };

function unauthenticated(): RequestError {
  return new RequestError(401, 'UNAUTHENTICATED', 'Who are you? Send Authorization: Bearer TOKEN.');
}

/** Counts a stream until it ends or its reader goes. */
function counted(response: Response, closed: () => void): Response {
  const body = (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({ flush: closed, cancel: closed }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

function parametersIn({ path }: Route): number {
  return path.split('{').length;
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index]);
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value);
  return new Response(response.body, { status: response.status, headers: all });
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function listeningOf(
  listening: Server,
  host: string,
  token: string | undefined,
  close: () => Promise<void>,
): Listening {
  const { port } = listening.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${port}/`,
    port,
    token,
    close: async () => {
      const closed = once(listening, 'close');
      listening.close();
      await close();
      // What has come in is answered; connections that are kept for a next request are not waited for.
      const idle = setInterval(() => listening.closeIdleConnections(), 20);
      const drained = setTimeout(() => listening.closeAllConnections(), drainMilliseconds);
      await closed;
      clearInterval(idle);
      clearTimeout(drained);
    },
  };
}
