// Manual time for tests: nothing waits, and time moves only when the test says so.
import { ManualClock, type Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Sleep } from '../backend.ts';

/** How far time may skip by itself. */
export interface ManualTimeOptions {
  /** Waits of up to this many milliseconds end immediately and move the clock. */
  readonly skipUpTo?: number;
}

interface Sleeper {
  readonly until: number;
  wake(): void;
}

/** A matching clock and sleep, for `new Models({ clock, sleep })`. */
export class ManualTime {
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** All requested waits, in milliseconds. */
  readonly waits: number[] = [];
  readonly #clock: ManualClock;
  readonly #skipUpTo: number;
  #sleepers: Sleeper[] = [];

  constructor(start = 0, options: ManualTimeOptions = {}) {
    refuseUnknownOptions('ManualTime', options, { skipUpTo: true });
    this.#skipUpTo = wholeNumberOption('ManualTime', 'skipUpTo', options.skipUpTo ?? 0, 0, Number.MAX_SAFE_INTEGER);
    this.#clock = new ManualClock(start);
    this.clock = this.#clock;
    this.sleep = (milliseconds, signal) => this.#sleep(milliseconds, signal);
  }

  /** Moves the clock and ends the waits that are due. */
  advance(milliseconds: number): void {
    this.#clock.advance(milliseconds);
    const over = this.#sleepers.filter(({ until }) => until <= this.#clock.now());
    this.#sleepers = this.#sleepers.filter((sleeper) => !over.includes(sleeper));
    for (const sleeper of over.toSorted((a, b) => a.until - b.until)) sleeper.wake();
  }

  #sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    this.waits.push(milliseconds);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (milliseconds <= this.#skipUpTo) {
      this.advance(milliseconds);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        until: this.#clock.now() + milliseconds,
        wake: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }
}
