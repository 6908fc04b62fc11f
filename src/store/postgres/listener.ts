// One connection that listens for notifications of commits and for volatile messages. It reconnects by itself. The feed's
// poll finds commits missed meanwhile; missed messages are lost.
import { Client } from 'pg';
import type { LogRow } from '../engine/log.ts';
import { clientConfig } from './connections.ts';
import { channelName } from './writing/lock.ts';
import type { Settings } from './options.ts';
import type { Statement } from './statements.ts';

const minDelay = 100;
const maxDelay = 5000;

/** Handles the notifications of a channel. */
interface Subscription {
  hear(payload: string): void;
  /** Called when listening has started, and again after each reconnect. */
  started(): void;
}

export class Listener {
  readonly #settings: Settings;
  readonly #isOwn: (processId: number) => boolean;
  readonly #wakes = new Set<(rows?: readonly LogRow[]) => void>();
  readonly #subscriptions = new Map<string, Subscription>();
  /** The client while it is listening. */
  #ready: Client | undefined;
  /** The running statement; the client takes one at a time. */
  #running: Promise<unknown> = Promise.resolve();
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delay = minDelay;
  #closed = false;

  /** `isOwn` says whether a process of the server serves this store, whose commits are told without it. */
  constructor(settings: Settings, isOwn: (processId: number) => boolean) {
    this.#settings = settings;
    this.#isOwn = isOwn;
  }

  /** Opens the connection on first use. */
  add(wake: (rows?: readonly LogRow[]) => void): () => void {
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
        (isDone) => isDone && subscription.started(),
        () => undefined,
      );
    }
    return () => {
      if (this.#subscriptions.get(channel) !== subscription) return;
      this.#subscriptions.delete(channel);
      this.#run(`unlisten "${channel}"`).catch(() => undefined);
    };
  }

  /** Runs a statement on this connection, in call order. Returns false, without effect, if it is not connected. */
  send({ text }: Statement, values: readonly unknown[]): Promise<boolean> {
    return this.#run(text, values);
  }

  /** `rows` are what this process has just committed. */
  wake(rows?: readonly LogRow[]): void {
    for (const wake of [...this.#wakes]) wake(rows);
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
    client.on('notification', ({ channel, processId, payload = '' }) => {
      if (channel === commits) {
        if (!this.#isOwn(processId)) this.wake();
      } else this.#subscriptions.get(channel)?.hear(payload);
    });
    client.on('error', fail);
    client.on('end', fail);
    const listen = async (): Promise<void> => {
      await client.connect();
      await client.query(`listen "${commits}"`);
      for (const channel of this.#subscriptions.keys()) await client.query(`listen "${channel}"`);
      this.#delay = minDelay;
      if (!this.#closed) this.#ready = client;
      for (const { started } of [...this.#subscriptions.values()]) started();
      // Commits may have been missed before listening started.
      this.wake();
    };
    listen().catch(fail);
  }

  #reconnectLater(client: Client): void {
    client.end().catch(() => undefined);
    this.#ready = undefined;
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#connect(), this.#delay * (0.5 + Math.random() / 2));
    this.#delay = Math.min(this.#delay * 2, maxDelay);
  }
}
