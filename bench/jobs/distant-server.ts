// A server at a distance: a proxy in a process of its own holds everything back for a while in each direction, so that it
// takes no time of the measured processes.
import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface DistantServer {
  /** The URL through the proxy. */
  readonly url: string;
  close(): Promise<void>;
}

export async function distantServer(url: string, milliseconds: number): Promise<DistantServer> {
  const target = new URL(url);
  const child = fork(join(import.meta.dirname, 'distance-child.ts'), [
    target.hostname,
    target.port === '' ? '5432' : target.port,
    String(milliseconds),
  ]);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', () => reject(new Error('The proxy ended.')));
  });
  target.hostname = '127.0.0.1';
  target.port = String(port);
  return {
    url: target.href,
    close: () => {
      child.disconnect();
      return exited;
    },
  };
}
