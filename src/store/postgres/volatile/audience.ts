// Tracks which channels other processes listen to. A listener that stops announcing itself is forgotten.

const lifeMilliseconds = 15_000;

export class Audience {
  readonly #now: () => number;
  /** When each listener of a channel expires. */
  readonly #listeners = new Map<string, Map<string, number>>();
  #swept = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  hears(channel: string): boolean {
    const now = this.#now();
    return [...(this.#listeners.get(channel)?.values() ?? [])].some((until) => until > now);
  }

  add(listener: string, channels: readonly string[]): void {
    this.#sweep();
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel) ?? new Map<string, number>();
      this.#listeners.set(channel, listeners.set(listener, this.#now() + lifeMilliseconds));
    }
  }

  remove(listener: string, channels: readonly string[]): void {
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel);
      listeners?.delete(listener);
      if (listeners?.size === 0) this.#listeners.delete(channel);
    }
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#swept < lifeMilliseconds) return;
    this.#swept = now;
    for (const [channel, listeners] of this.#listeners)
      for (const [listener, until] of listeners) if (until <= now) this.remove(listener, [channel]);
  }
}
