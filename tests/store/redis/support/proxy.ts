// A TCP proxy on the loopback that can lose a connection at the moment that matters: around the commit script.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { commitScript, releaseScript } from '../../../../src/store/redis/scripts.ts';

/** What happens to a connection that sends a commit. */
export type Fate =
  | 'pass'
  /** It is cut; the server never sees the commit. */
  | 'cut before'
  /** The commit is delivered and carried out; the answer is lost with the connection. */
  | 'cut after'
  /** The commit is delivered and the connection is cut at once, whatever the server makes of it. */
  | 'cut at once'
  /** The connection to the client is cut, and the commit reaches the server when `deliver` is called. */
  | 'late';

export interface Proxy {
  readonly url: string;
  /** Asked each time a connection sends a commit. */
  fate: () => Fate;
  /** While true, connections are refused. */
  refuse: boolean;
  /** Cuts all connections; new ones lead to this port, as after a failover. */
  to(port: number): void;
  /** Delivers what was late, and resolves when the server has answered. */
  deliver(): Promise<string>;
  close(): Promise<void>;
}

/** Stands in front of the server of `url`. */
export async function proxyFor(url: string): Promise<Proxy> {
  const target = new URL(url);
  const there = { host: target.hostname, port: Number(target.port || 6379) };
  const sockets = new Set<Socket>();
  const late: (() => Promise<string>)[] = [];
  const server = createServer((client) => {
    if (proxy.refuse) {
      client.destroy();
      return;
    }
    const upstream = createConnection(there);
    let isLate = false;
    const cut = (): void => {
      client.destroy();
      if (!isLate) upstream.destroy();
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
      const isCommit = data.includes(commitScript.sha) || data.includes(releaseScript.sha);
      const fate = isCommit ? proxy.fate() : 'pass';
      if (fate === 'cut before') return cut();
      if (fate === 'late') {
        isLate = true;
        late.push(async () => {
          const answer = new Promise<string>((resolve) => upstream.once('data', (text) => resolve(text.toString())));
          upstream.write(data);
          return answer.finally(() => upstream.destroy());
        });
        client.destroy();
        return undefined;
      }
      answersAreLost = fate === 'cut after';
      upstream.write(data, () => {
        if (fate === 'cut at once') cut();
      });
      return undefined;
    });
    upstream.on('data', (data) => {
      if (answersAreLost) cut();
      else if (!isLate) client.write(data);
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
    to: (port) => {
      there.port = port;
      for (const socket of sockets) socket.destroy();
    },
    deliver: async () => {
      const answers: string[] = [];
      for (const send of late.splice(0)) answers.push(await send());
      return answers.join();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
