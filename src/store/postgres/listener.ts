// One connection that listens for notifications: those that commits send, and volatile messages. It comes back by itself;
// commits it misses meanwhile the feed's slow poll finds, and messages it misses are lost.
import { Client } from 'pg';
import { clientConfig } from './connections.ts';
import { channelName } from './writing/lock.ts';
import type { Settings } from './options.ts';
import type { Statement } from './statements.ts';

const shortestPause = 100;
const longestPause = 5000;

/** What is done with the notifications of a channel. */
interface Subscription {
  hear(payload: string): void;
  /** The server has been told, and from now on everything is heard; again whenever the connection is replaced. */
  begun(): void;
}

export class Listener {
  readonly #settings: Settings;
  readonly #wakes = new Set<() => void>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** The client, once it listens. */
  #ready: Client | undefined;
  /** The statement under way; the client takes one at a time. */
  #running: Promise<unknown> = Promise.resolve();
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
    this.#open();
    return () => this.#wakes.delete(wake);
  }

  /** A channel has one subscription at a time. */
  subscribe(channel: string, subscription: Subscription): () => void {
    this.#subscriptions.set(channel, subscription);
    this.#open();
    if (this.#ready !== undefined) {
      this.#run(`listen "${channel}"`).then(
        (isDone) => isDone && subscription.begun(),
        () => undefined,
      );
    }
    return () => {
      if (this.#subscriptions.get(channel) !== subscription) return;
      this.#subscriptions.delete(channel);
      this.#run(`unlisten "${channel}"`).catch(() => undefined);
    };
  }

  /** Runs a statement on this connection, in the order of the calls; false if it is not connected, and then nothing has happened. */
  send({ text }: Statement, values: readonly unknown[]): Promise<boolean> {
    return this.#run(text, values);
  }

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wakes.clear();
    this.#subscriptions.clear();
    this.#ready = undefined;
    await this.#client?.end();
  }

  #run(text: string, values: readonly unknown[] = []): Promise<boolean> {
    const run = async (): Promise<boolean> => {
      if (this.#ready === undefined) return false;
      await this.#ready.query(text, [...values]);
      return true;
    };
    const running = this.#running.then(run, run);
    this.#running = running.catch(() => undefined);
    return running;
  }

  #open(): void {
    if (this.#client === undefined && this.#timer === undefined) this.#connect();
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
    const commits = channelName(this.#settings.schema);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === commits) this.wake();
      else this.#subscriptions.get(channel)?.hear(payload);
    });
    client.on('error', fail);
    client.on('end', fail);
    const listen = async (): Promise<void> => {
      await client.connect();
      await client.query(`listen "${commits}"`);
      for (const channel of this.#subscriptions.keys()) await client.query(`listen "${channel}"`);
      this.#pause = shortestPause;
      if (!this.#closed) this.#ready = client;
      for (const { begun } of [...this.#subscriptions.values()]) begun();
      // Something may have been committed while nobody listened.
      this.wake();
    };
    listen().catch(fail);
  }

  #reconnectLater(client: Client): void {
    client.end().catch(() => undefined);
    this.#ready = undefined;
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#connect(), this.#pause * (0.5 + Math.random() / 2));
    this.#pause = Math.min(this.#pause * 2, longestPause);
  }
}
