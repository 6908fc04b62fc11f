// One connection that listens for commits and for volatile messages. It reconnects by itself. The feed's poll finds commits
// missed meanwhile; missed messages are lost.
import { clientFor, type Client, type ClientLibrary } from './client.ts';
import { wakeChannel } from './keys.ts';
import type { ThreadSettings } from './options.ts';

const minDelay = 100;
const maxDelay = 5000;

export class Listener {
  readonly #library: ClientLibrary;
  readonly #settings: ThreadSettings;
  readonly #wakes = new Set<() => void>();
  readonly #subscriptions = new Map<string, (payload: string) => void>();
  /** The client while it is listening. */
  #ready: Client | undefined;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delay = minDelay;
  #closed = false;

  constructor(library: ClientLibrary, settings: ThreadSettings) {
    this.#library = library;
    this.#settings = settings;
  }

  /** Opens the connection on first use. */
  add(wake: () => void): () => void {
    this.#wakes.add(wake);
    this.#open();
    return () => this.#wakes.delete(wake);
  }

  /** A channel has one subscription at a time. */
  subscribe(channel: string, hear: (payload: string) => void): () => void {
    this.#subscriptions.set(channel, hear);
    this.#open();
    if (this.#ready !== undefined) this.#listen(this.#ready, channel).catch(() => undefined);
    return () => {
      if (this.#subscriptions.get(channel) !== hear) return;
      this.#subscriptions.delete(channel);
      this.#ready?.unsubscribe(channel).catch(() => undefined);
    };
  }

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wakes.clear();
    this.#subscriptions.clear();
    this.#ready = undefined;
    this.#client?.destroy();
  }

  #listen(client: Client, channel: string): Promise<void> {
    return client.subscribe(channel, (payload) => this.#subscriptions.get(channel)?.(payload));
  }

  #open(): void {
    if (this.#client === undefined && this.#timer === undefined) this.#connect();
  }

  #connect(): void {
    if (this.#closed) return;
    this.#timer = undefined;
    const client = clientFor(this.#library, this.#settings, { protocol: 3 });
    // Listening must not keep the process alive.
    client.unref();
    this.#client = client;
    let failed = false;
    const fail = (): void => {
      if (failed) return;
      failed = true;
      this.#reconnectLater(client);
    };
    client.on('error', fail);
    client.on('end', fail);
    const listen = async (): Promise<void> => {
      await client.connect();
      await client.subscribe(wakeChannel(this.#settings), () => this.wake());
      for (const channel of this.#subscriptions.keys()) await this.#listen(client, channel);
      this.#delay = minDelay;
      if (!this.#closed) this.#ready = client;
      // Commits may have been missed before listening started.
      this.wake();
    };
    listen().catch(fail);
  }

  #reconnectLater(client: Client): void {
    client.destroy();
    this.#ready = undefined;
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#connect(), this.#delay * (0.5 + Math.random() / 2)).unref();
    this.#delay = Math.min(this.#delay * 2, maxDelay);
  }
}
