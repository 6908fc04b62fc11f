// A TCP proxy on the loopback that can lose a connection at the moment that matters: around COMMIT.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/** What happens to a connection that sends COMMIT. */
export type Fate =
  | 'pass'
  /** It is cut; the server sees nothing of the batch that ends with COMMIT. */
  | 'cut before'
  /** The server carries out the batch up to COMMIT, and the connection is cut. */
  | 'cut inside'
  /** COMMIT is delivered and carried out; the answer is lost with the connection. */
  | 'cut after'
  /** COMMIT is delivered and the connection is cut at once, whatever the server makes of it. */
  | 'cut at once'
  /** The server carries out the batch up to COMMIT; the rest is swallowed, and nobody hangs up. */
  | 'swallow the end'
  /** Everything is carried out, and no answer comes until `answer` is called. */
  | 'hold the answer';

export interface Proxy {
  readonly url: string;
  /** Asked each time a connection sends COMMIT. */
  fate: () => Fate;
  /** Awaited each time a connection has sent COMMIT, before the server sees it. */
  before: (() => Promise<unknown>) | undefined;
  /** Delivers answers that were held back. */
  answer(): void;
  /** While true, connections are refused. */
  refuse: boolean;
  close(): Promise<void>;
}

// The last message of a batch: its kind, its length, and what it says.
const commitMessage = 'Q\0\0\0\u000Bcommit\0';
/** The statement before it, by which commits of groups differ from other transactions. */
const append = 'statek_append\0';
const isCommit = (data: Buffer): boolean => data.includes(append) && data.includes(commitMessage);

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
    const deliver = (data: Buffer): void => {
      const fate = isCommit(data) ? proxy.fate() : 'pass';
      if (fate === 'cut before') return cut();
      if (fate === 'hold the answer') upstream.pause();
      answersAreLost = fate === 'cut after';
      const isCutShort = fate === 'swallow the end' || fate === 'cut inside';
      upstream.write(isCutShort ? data.subarray(0, data.indexOf(commitMessage)) : data, () => {
        if (fate === 'cut at once' || fate === 'cut inside') cut();
      });
    };
    let delivered = Promise.resolve();
    client.on('data', (data) => {
      const before = isCommit(data) ? proxy.before : undefined;
      const earlier = delivered;
      delivered = (async () => {
        await earlier;
        await before?.();
        deliver(data);
      })();
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
    before: undefined,
    answer: () => {
      for (const socket of sockets) socket.resume();
    },
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
