// A model provider on this machine: speaks the wire formats of the real ones, says what it is told, and fails as told.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { event, type ServerFailure, type ServerReply, type WireFormat } from './script.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

const formats: readonly (readonly [ending: RegExp, format: WireFormat])[] = [
  [/\/responses$/, openaiResponses],
  [/\/chat\/completions$/, openaiChat],
  [/\/messages$/, anthropic],
  [/:streamGenerateContent$/, google],
];

export class ModelServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #replies: (ServerReply | ServerFailure)[] = [];
  readonly #server: Server;
  /** Called when a request was told to hang, once everything before that was sent. */
  onHang: () => void = () => undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** `http://127.0.0.1:…`, without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Says these next, one per request. */
  say(...replies: (ServerReply | ServerFailure)[]): void {
    this.#replies.push(...replies);
  }

  /** Forgets what it was told and asked, so that one test's failure is not the next one's. */
  reset(): void {
    this.requests.length = 0;
    this.#replies.length = 0;
    this.onHang = () => undefined;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = await bodyOf(request);
    this.requests.push({ path, headers: request.headers, body });
    const format = formats.find(([ending]) => ending.test(path))?.[1];
    const reply = this.#replies.shift();
    if (format === undefined || reply === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `nothing at ${path}, or nothing left to say` } }));
    } else if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body ?? format.error(reply.status, 'The server says no', 'no_reason'));
    } else {
      await this.#stream(reply, format.events(reply, nameOf(path, body)), response);
    }
  }

  async #stream(reply: ServerReply, events: readonly string[], response: ServerResponse): Promise<void> {
    const { fault } = reply;
    if (fault?.kind === 'hang' && fault.after === undefined) return this.onHang();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (fault?.kind === 'crumbs') {
      const bytes = Buffer.from(events.join(''));
      for (let at = 0; at < bytes.length; at += fault.bytes)
        await write(response, bytes.subarray(at, at + fault.bytes));
      response.end();
      return;
    }
    for (const [index, text] of events.entries()) {
      if (fault?.kind === 'invalid-json' && index === 1) await write(response, event('{"this is": not JSON'));
      if (fault?.kind === 'oversized' && index === 1) await write(response, `: ${'x'.repeat(fault.bytes)}\n\n`);
      if (fault !== undefined && 'after' in fault && index === fault.after) {
        if (fault.kind === 'hang') return this.onHang();
        if (fault.kind === 'cut') response.destroy();
        else response.end();
        return;
      }
      await write(response, text);
    }
    response.end();
  }
}

async function write(response: ServerResponse, text: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => response.write(text, () => resolve()));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk as string;
  return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
}

function nameOf(path: string, body: Record<string, unknown>): string {
  return typeof body['model'] === 'string' ? body['model'] : (/models\/([^:]+):/.exec(path)?.[1] ?? '');
}
