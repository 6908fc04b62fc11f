// Time is always injected, so that tests move it instead of waiting.
import { millisecondsOption } from './options.ts';

/** A source of time, in milliseconds since 1970. */
export interface Clock {
  now(): number;
  /** Calls `action` after a delay by this clock; returns a function that cancels it. Without it, system timers are used. */
  after?(milliseconds: number, action: () => void): () => void;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that only moves with `advance`. */
export class ManualClock implements Clock {
  #now: number;

  constructor(start = 0) {
    this.#now = millisecondsOption('new ManualClock', 'start', start);
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += millisecondsOption('clock.advance', 'milliseconds', milliseconds);
  }
}

/** Calls `action` after a delay; returns a function that cancels it. */
export function after(clock: Clock, milliseconds: number, action: () => void): () => void {
  if (clock.after !== undefined) return clock.after(milliseconds, action);
  const timer = setTimeout(action, Math.min(milliseconds, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** Like `after`, without keeping the process alive. */
export function afterQuietly(clock: Clock, milliseconds: number, action: () => void): () => void {
  if (clock.after !== undefined) return clock.after(milliseconds, action);
  const timer = setTimeout(action, Math.min(milliseconds, 2 ** 31 - 1));
  timer.unref();
  return () => clearTimeout(timer);
}
