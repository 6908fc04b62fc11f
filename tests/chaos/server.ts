// A server that counts what is asked of it, and can be restarted without forgetting.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export class CountingServer {
  readonly plain = new Map<string, number>();
  readonly idempotent = new Map<string, number>();
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const key = url.searchParams.get('key') ?? '';
      const counts = url.pathname === '/plain' ? this.plain : this.idempotent;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      response.end(url.pathname === '/plain' ? 'sent' : `effect ${key}`);
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }
}
