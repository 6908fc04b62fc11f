// Volatile messages between processes that share a server, each channel a channel of Redis. Before a batch is sent, the
// server is asked which of its channels have listeners, so that nothing is sent while nobody listens.
import { randomUUID } from 'node:crypto';
import type { VolatileMessages } from '../store.ts';
import { Channels } from '../volatile/channels.ts';
import { decodeBatch, encodeBatch } from '../volatile/message.ts';
import type { VolatileMessage } from '../volatile/message.ts';
import { Outbox } from '../volatile/outbox.ts';
import type { Connections } from './connections.ts';
import { volatileChannel } from './keys.ts';
import type { Listener } from './listener.ts';
import type { ThreadSettings } from './options.ts';

export class RedisVolatile implements VolatileMessages {
  readonly #connections: Connections;
  readonly #listener: Listener;
  readonly #settings: ThreadSettings;
  readonly #id = randomUUID();
  readonly #channels = new Channels();
  readonly #stops = new Map<string, () => void>();
  readonly #outbox = new Outbox((batch) => this.#send(batch));

  constructor(connections: Connections, listener: Listener, settings: ThreadSettings) {
    this.#connections = connections;
    this.#listener = listener;
    this.#settings = settings;
  }

  publish(channel: string, text: string): void {
    this.#channels.deliver({ channel, text });
    this.#outbox.add({ channel, text });
  }

  listen(channel: string, hear: (message: string) => void): () => void {
    const remove = this.#channels.add(channel, hear);
    if (!this.#stops.has(channel)) {
      const stop = this.#listener.subscribe(volatileChannel(this.#settings, channel), (payload) => this.#hear(payload));
      this.#stops.set(channel, stop);
    }
    return () => {
      remove();
      if (this.#channels.has(channel)) return;
      this.#stops.get(channel)?.();
      this.#stops.delete(channel);
    };
  }

  close(): void {
    this.#outbox.close();
    this.#channels.clear();
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }

  #hear(payload: string): void {
    const space = payload.indexOf(' ');
    // Own messages were delivered when they were published.
    if (payload.slice(0, space) === this.#id) return;
    for (const message of decodeBatch(payload.slice(space + 1))) this.#channels.deliver(message);
  }

  async #send(batch: readonly VolatileMessage[]): Promise<boolean> {
    const byChannel = [...Map.groupBy(batch, ({ channel }) => channel)].map(([channel, messages]) => ({
      name: volatileChannel(this.#settings, channel),
      // Who listens here counts as a listener, but has the message already.
      ownListeners: this.#stops.has(channel) ? 1 : 0,
      messages,
    }));
    await this.#connections.use(async (session) => {
      const names = byChannel.map(({ name }) => name);
      const counts = await session.command<readonly unknown[]>(['PUBSUB', 'NUMSUB', ...names]);
      for (const [index, { name, ownListeners, messages }] of byChannel.entries()) {
        if (Number(counts[2 * index + 1]) <= ownListeners) continue;
        await session.command(['PUBLISH', name, `${this.#id} ${encodeBatch(messages)}`]);
      }
    });
    return true;
  }
}
