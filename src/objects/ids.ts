// Ids of new objects. They sort by creation time across processes: queries return objects in that order, and objects
// created together are stored together.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';

export class Ids {
  readonly #clock: Clock;
  /** Distinguishes processes that create ids in the same millisecond. */
  readonly #process = randomBytes(6).toString('base64url');
  #time = 0;
  #made = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    const now = this.#clock.now();
    // Keeps the order if the clock is set back.
    if (now > this.#time) {
      this.#time = now;
      this.#made = 0;
    }
    const count = (this.#made++).toString(36);
    return `${this.#time.toString(36).padStart(8, '0')}${this.#process}${String.fromCharCode(96 + count.length)}${count}`;
  }
}
