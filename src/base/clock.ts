// Time is always handed in, so that tests move it instead of waiting for it.

/** Tells the time in milliseconds since 1970. */
export interface Clock {
  now(): number;
  /** Calls `action` after so many milliseconds by this clock; returns what calls it off. Without it, the machine's timers do. */
  after?(milliseconds: number, action: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until it is told to move. */
export class ManualClock implements Clock {
  #now: number;

  constructor(start = 0) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** Calls `action` later; returns what calls it off. */
export function after(clock: Clock, milliseconds: number, action: () => void): () => void {
  if (clock.after !== undefined) return clock.after(milliseconds, action);
  const timer = setTimeout(action, Math.min(milliseconds, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** The same, without keeping the process alive for it. */
export function afterQuietly(clock: Clock, milliseconds: number, action: () => void): () => void {
  if (clock.after !== undefined) return clock.after(milliseconds, action);
  const timer = setTimeout(action, Math.min(milliseconds, 2 ** 31 - 1));
  timer.unref();
  return () => clearTimeout(timer);
}
