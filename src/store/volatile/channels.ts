// The listeners of one process, by channel. Messages are delivered one after another, so that a message published by a
// listener does not overtake the one being delivered.
import type { VolatileMessage } from './message.ts';

type Hear = (message: string) => void;

export class Channels {
  readonly #listeners = new Map<string, Set<Hear>>();
  readonly #queue: VolatileMessage[] = [];
  #isDelivering = false;

  /** Each call adds a separate listener, even for the same function. */
  add(channel: string, hear: Hear): () => void {
    const listener: Hear = (message) => hear(message);
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(channel) === listeners) this.#listeners.delete(channel);
    };
  }

  has(channel: string): boolean {
    return this.#listeners.has(channel);
  }

  names(): string[] {
    return [...this.#listeners.keys()];
  }

  deliver(message: VolatileMessage): void {
    if (!this.#listeners.has(message.channel)) return;
    this.#queue.push(message);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#notify(next);
    } finally {
      this.#isDelivering = false;
    }
  }

  clear(): void {
    this.#listeners.clear();
  }

  #notify({ channel, text }: VolatileMessage): void {
    const listeners = this.#listeners.get(channel) ?? new Set<Hear>();
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        listener(text);
      } catch (error) {
        process.emitWarning(`A listener to the channel '${channel}' threw: ${String(error)}`, 'StatekWarning');
      }
    }
  }
}
