// Ids of new objects. They sort by the time they were made, whichever process made them: queries give objects in that
// order, and what was made together lies together in the store.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';

export class Ids {
  readonly #clock: Clock;
  /** Tells processes apart that make ids in the same millisecond. */
  readonly #process = randomBytes(6).toString('base64url');
  #time = 0;
  #made = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    const now = this.#clock.now();
    // A clock that is set back does not change the order.
    if (now > this.#time) {
      this.#time = now;
      this.#made = 0;
    }
    const count = (this.#made++).toString(36);
    return `${this.#time.toString(36).padStart(8, '0')}${this.#process}${String.fromCharCode(96 + count.length)}${count}`;
  }
}
