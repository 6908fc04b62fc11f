// The API of a server for programs that have TypeScript: every route with its types, and events that survive lost connections.
// It uses `fetch` alone, so it runs in browsers as it does in Node.
import { described, InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { ServerAnswerError, ServerUnreachableError } from './error.ts';
import { events, type ClientEvent, type ClientEventOptions } from './events.ts';
import type { ClientAnswer, ClientMethod, ClientParameters, ClientPath } from './routes.ts';

/** Which server, and as whom. */
export interface ClientOptions {
  /** Where the server is: `https://example.com/statek/`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * A server, from afar. Paths are those of its routes, with what is in braces given as `path`.
 *
 * @example
 * import { program, Statek } from 'statek';
 * import { client } from 'statek/client';
 * import { server } from 'statek/server';
 *
 * const double = program<number>({ role: 'double', source: (input) => `${String(input)} * 2` });
 * const kit = await Statek.open({ store: 'memory:', drivers: [double] });
 * const listening = await server(kit, { token: 'a-token-of-16-letters' }).listen();
 *
 * const far = client({ url: listening.url, token: 'a-token-of-16-letters' });
 * await far.put('/jobs/{id}', { path: { id: 'first' }, body: { role: 'double', input: 21 } });
 * await kit.runUntilIdle();
 * console.log((await far.get('/jobs/{id}/result', { path: { id: 'first' } })).result); // prints 42
 * await listening.close();
 * await kit.close();
 */
export interface StatekClient {
  get<Path extends ClientPath<'GET'>>(
    path: Path,
    ...given: ClientParameters<'GET', Path>
  ): Promise<ClientAnswer<'GET', Path>>;
  post<Path extends ClientPath<'POST'>>(
    path: Path,
    ...given: ClientParameters<'POST', Path>
  ): Promise<ClientAnswer<'POST', Path>>;
  put<Path extends ClientPath<'PUT'>>(
    path: Path,
    ...given: ClientParameters<'PUT', Path>
  ): Promise<ClientAnswer<'PUT', Path>>;
  delete<Path extends ClientPath<'DELETE'>>(
    path: Path,
    ...given: ClientParameters<'DELETE', Path>
  ): Promise<ClientAnswer<'DELETE', Path>>;
  /** What happens to jobs. Lost connections are made again: each event comes once, and none is missed. */
  events(options?: ClientEventOptions): AsyncGenerator<ClientEvent, void, undefined>;
}

/** Talks to a server. */
export function client(options: ClientOptions): StatekClient {
  refuseUnknownOptions('client', options, { url: true, token: true, headers: true, fetch: true });
  if (!/^https?:$/.test(URL.parse(options.url)?.protocol ?? ''))
    throw new InvalidOptionError(
      `client: option 'url' must be the address of a server, such as 'http://127.0.0.1:4320/', not ${described(options.url)}.`,
      { name: 'url' },
    );
  return new HttpClient(options) as unknown as StatekClient;
}

interface Given {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

class HttpClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get(path: string, given?: Given): Promise<unknown> {
    return this.#call('GET', path, given);
  }

  post(path: string, given?: Given): Promise<unknown> {
    return this.#call('POST', path, given);
  }

  put(path: string, given?: Given): Promise<unknown> {
    return this.#call('PUT', path, given);
  }

  delete(path: string, given?: Given): Promise<unknown> {
    return this.#call('DELETE', path, given);
  }

  events(options: ClientEventOptions = {}): AsyncGenerator<ClientEvent, void, undefined> {
    const { job, kinds } = options;
    const query = { job, kinds: kinds?.join(','), since: options.since };
    return events(
      (headers, signal) => this.#send('GET', '/events', { query, headers, signal }),
      options.signal ?? new AbortController().signal,
    );
  }

  async #call(method: ClientMethod, path: string, given: Given = {}): Promise<unknown> {
    const response = await this.#send(method, path, given);
    const type = response.headers.get('content-type') ?? '';
    if (/^(?:text\/event-stream|application\/gzip)/.test(type) || response.status === 204) return response;
    if (type.startsWith('text/html'))
      throw new ServerUnreachableError(
        `${method} ${path}: ${this.#options.url} answered with a web page, so it is not a server of Statek. Check the address; it ends where the server is mounted, before /v1.`,
        { url: this.#options.url },
      );
    return type.startsWith('application/json') ? response.json() : response.text();
  }

  async #send(method: ClientMethod, path: string, given: Given): Promise<Response> {
    const { url, token, headers, fetch: send = globalThis.fetch } = this.#options;
    refuseUnknownOptions(`${method} ${path}`, given, {
      path: true,
      query: true,
      body: true,
      signal: true,
      headers: true,
    });
    const place = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
      const value = given.path?.[name];
      if (value !== undefined && value !== '') return encodeURIComponent(String(value));
      throw new InvalidOptionError(`${method} ${path}: give { path: { ${name} } }.`, { name });
    });
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(given.query ?? {}))
      if (value !== undefined) parameters.set(name, String(value));
    const query = parameters.toString();
    const isWrite = method === 'POST' || method === 'PUT';
    const request = send(`${url.replace(/\/$/, '')}/v1${place}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(isWrite ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...given.headers,
      },
      ...(isWrite && given.body !== undefined ? { body: JSON.stringify(given.body) } : {}),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
    });
    const response = await request.catch((error: unknown) => {
      // Platforms say it with a TypeError; whoever aborts a request knows why.
      if (!(error instanceof TypeError)) throw error;
      const { message = error.message } = (error.cause ?? {}) as { readonly message?: string };
      throw new ServerUnreachableError(
        `${method} ${path}: ${url} cannot be reached: ${message === '' ? error.message : message}. Check the address, and whether the server runs.`,
        { url },
        error,
      );
    });
    if (response.ok) return response;
    throw await refusal(method, path, response);
  }
}

async function refusal(method: string, path: string, response: Response): Promise<ServerAnswerError> {
  const text = await response.text().catch(() => '');
  let problem: { readonly code?: unknown; readonly detail?: unknown; readonly details?: unknown } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // A proxy in between may answer in its own words.
  }
  const { code = 'UNKNOWN', detail = text.slice(0, 500), details } = problem;
  return new ServerAnswerError(`${method} ${path}: ${String(detail)}`, { status: response.status, code, details });
}
