// A TCP forwarder whose target can be changed, as the address of a primary is after a failover.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Switch {
  readonly url: string;
  /** Cuts all connections; new ones lead to this port. */
  to(port: number): void;
  close(): Promise<void>;
}

export async function switchTo(port: number): Promise<Switch> {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: target });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (next) => {
      target = next;
      cut();
    },
    close: async () => {
      cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
