// An Express application on a port of this machine.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** @param stop what ends together with the application, after its last connection */
export async function listen(app: Express, port: number, stop: () => Promise<void>): Promise<Listening> {
  const listening = app.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`,
    close: async () => {
      listening.close();
      listening.closeAllConnections();
      await stop();
    },
  };
}
