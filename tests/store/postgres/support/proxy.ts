// A TCP proxy on the loopback that can lose a connection at the moment that matters: around COMMIT.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/** What happens to a connection that sends COMMIT. */
export type Fate =
  | 'pass'
  /** It is cut; the server never sees COMMIT. */
  | 'cut before'
  /** COMMIT is delivered and carried out; the answer is lost with the connection. */
  | 'cut after'
  /** COMMIT is delivered and the connection is cut at once, whatever the server makes of it. */
  | 'cut at once'
  /** COMMIT is swallowed, and nobody hangs up. */
  | 'swallow';

export interface Proxy {
  readonly url: string;
  /** Asked each time a connection sends COMMIT. */
  fate: () => Fate;
  /** While true, connections are refused. */
  refuse: boolean;
  close(): Promise<void>;
}

/** Stands in front of the server of `url`. */
export async function proxyFor(url: string): Promise<Proxy> {
  const target = new URL(url);
  const there = { host: target.hostname, port: Number(target.port || 5432) };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.refuse) {
      client.destroy();
      return;
    }
    const upstream = createConnection(there);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    let answersAreLost = false;
    client.on('data', (data) => {
      const fate = data.includes('; commit\0') ? proxy.fate() : 'pass';
      if (fate === 'swallow') return;
      if (fate === 'cut before') return cut();
      answersAreLost = fate === 'cut after';
      upstream.write(data, () => {
        if (fate === 'cut at once') cut();
      });
    });
    upstream.on('data', (data) => {
      if (!answersAreLost) client.write(data);
      // The tag of the answer to COMMIT: by now it is durable.
      else if (data.includes('COMMIT\0')) cut();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target.hostname = '127.0.0.1';
  target.port = String((server.address() as AddressInfo).port);
  const proxy: Proxy = {
    url: target.href,
    fate: () => 'pass',
    refuse: false,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
