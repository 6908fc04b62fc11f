// A clock for simulations: time only moves on request, and calls everything that is due, in order.
import type { Clock } from './clock.ts';
import { millisecondsOption } from './options.ts';

interface Alarm {
  readonly time: number;
  readonly number: number;
  readonly action: () => void;
}

/** A clock that moves only when it is told to, and rings alarms on the way. */
export class SimulatedClock implements Clock {
  #now: number;
  #count = 0;
  readonly #alarms = new Map<number, Alarm>();

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#now = millisecondsOption('new SimulatedClock', 'start', start);
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, action: () => void): () => void {
    const number = ++this.#count;
    this.#alarms.set(number, { time: this.#now + Math.max(0, milliseconds), number, action });
    return () => this.#alarms.delete(number);
  }

  /** When the next alarm is due. */
  get next(): number | undefined {
    return this.#first()?.time;
  }

  /** Moves to the next alarm and calls it; false if there is none. */
  tick(): boolean {
    const alarm = this.#first();
    if (alarm === undefined) return false;
    this.#alarms.delete(alarm.number);
    this.#now = Math.max(this.#now, alarm.time);
    alarm.action();
    return true;
  }

  /** Moves time forward, calling all alarms due by then. */
  advance(milliseconds: number): void {
    const end = this.#now + millisecondsOption('clock.advance', 'milliseconds', milliseconds);
    for (let next = this.next; next !== undefined && next <= end; next = this.next) this.tick();
    this.#now = end;
  }

  #first(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms.values())
      if (first === undefined || alarm.time < first.time || (alarm.time === first.time && alarm.number < first.number))
        first = alarm;
    return first;
  }
}
