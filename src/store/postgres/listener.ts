// Wake-ups: one connection that listens for the notifications commits send. It comes back by itself, and whatever it
// misses meanwhile the feed's slow poll finds.
import { Client } from 'pg';
import { clientConfig } from './connections.ts';
import { channelName } from './lock.ts';
import type { Settings } from './options.ts';

const shortestPause = 100;
const longestPause = 5000;

export class Listener {
  readonly #settings: Settings;
  readonly #wakes = new Set<() => void>();
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = shortestPause;
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The first one opens the connection. */
  add(wake: () => void): () => void {
    this.#wakes.add(wake);
    if (this.#client === undefined && this.#timer === undefined) this.#connect();
    return () => this.#wakes.delete(wake);
  }

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wakes.clear();
    await this.#client?.end();
  }

  #connect(): void {
    if (this.#closed) return;
    this.#timer = undefined;
    const client = new Client({ ...clientConfig(this.#settings, this.#settings.listenTarget), pipeline: false });
    this.#client = client;
    let failed = false;
    const fail = (): void => {
      if (failed) return;
      failed = true;
      this.#reconnectLater(client);
    };
    client.on('notification', () => this.wake());
    client.on('error', fail);
    client.on('end', fail);
    const listen = async (): Promise<void> => {
      await client.connect();
      await client.query(`listen "${channelName(this.#settings.schema)}"`);
      this.#pause = shortestPause;
      // Something may have been committed while nobody listened.
      this.wake();
    };
    listen().catch(fail);
  }

  #reconnectLater(client: Client): void {
    client.end().catch(() => undefined);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#connect(), this.#pause * (0.5 + Math.random() / 2));
    this.#pause = Math.min(this.#pause * 2, longestPause);
  }
}
