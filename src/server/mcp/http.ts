// Serves a kit as an MCP server over HTTP. By default it listens on localhost only, and it rejects requests from web pages
// of other origins.
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import type { Statek } from '../../kit/statek.ts';
import { accessOf, checkHttp, type HttpSettings, type McpHttpOptions } from './options.ts';
import { followJobs } from './resources.ts';
import { newServer } from './server.ts';

/** A kit that is served over HTTP. */
export interface ServedMcpHttp {
  /** The URL for clients. */
  readonly url: string;
  close(): Promise<void>;
}

const path = '/mcp';

/** Serves a kit to MCP clients over HTTP, by default on this machine only. */
export async function serveMcpHttp(kit: Statek, options: McpHttpOptions): Promise<ServedMcpHttp> {
  const settings = checkHttp(options);
  const access = accessOf('serveMcpHttp', options);
  const handler = createMcpHandler(() => newServer(kit, access), {
    maxSubscriptions: settings.maxSubscriptions,
    maxRequestBodySize: settings.maxRequestBytes,
  });
  const stop = followJobs(kit, {
    updated: (uri) => handler.notify.resourceUpdated(uri),
    listChanged: () => handler.notify.resourcesChanged(),
  });
  let served = 0;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (served >= settings.maxRequests) return refuse(outgoing, 503, 'Too many concurrent requests. Try again later.');
    served++;
    try {
      const request = await requestFrom(incoming, outgoing, settings);
      if (request !== undefined) await respond(outgoing, refusal(request, settings) ?? (await handler.fetch(request)));
    } finally {
      served--;
    }
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(settings.port, settings.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    stop();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return {
    url: `http://${host}:${port}${path}`,
    close: async () => {
      stop();
      const closed = once(server, 'close');
      server.close();
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The whole request; undefined if it was rejected. */
async function requestFrom(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { maxRequestBytes }: HttpSettings,
): Promise<Request | undefined> {
  const url = URL.parse(incoming.url ?? '/', 'http://localhost');
  if (url?.pathname !== path) return refuse(outgoing, 404, `Not found. The MCP server is at ${path}.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxRequestBytes) return refuse(outgoing, 413, `The request is larger than ${maxRequestBytes} bytes.`);
    chunks.push(chunk);
  }
  const abort = new AbortController();
  outgoing.once('close', () => abort.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct))
    for (const one of value ?? []) headers.append(name, one);
  return new Request(url, {
    method: incoming.method ?? 'GET',
    headers,
    signal: abort.signal,
    ...(size === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
}

function refusal(request: Request, { token, host, allowedHosts, allowedOrigins }: HttpSettings): Response | undefined {
  const foreign =
    hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), host, ...allowedHosts]) ??
    originValidationResponse(request, [...localhostAllowedOrigins(), ...allowedOrigins]);
  if (foreign !== undefined || token === undefined) return foreign;
  const [scheme = '', given = ''] = (request.headers.get('authorization') ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && isSame(given, token)) return undefined;
  return new Response('A token is required: send Authorization: Bearer TOKEN.', {
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}

function refuse(outgoing: ServerResponse, status: number, message: string): undefined {
  outgoing.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  outgoing.end(message);
}

async function respond(outgoing: ServerResponse, { status, headers, body }: Response): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body !== null)
    for await (const chunk of body)
      if (!outgoing.write(chunk)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
  outgoing.end();
}
