// Prints the events of jobs while a worker works. Events reach a process a moment after they were committed, so what is left when
// the work is over is read before the command ends.
import type { Statek } from '../../kit/statek.ts';
import { pastJobEvents, type JobStreamEvent } from '../../jobs/journal/events.ts';
import type { Output } from '../output/output.ts';
import { eventLine } from './event-line.ts';

/** How long the end of a command waits for a store that does not answer. */
const patienceMilliseconds = 2000;

export class PrintedEvents {
  readonly #kit: Statek;
  readonly #out: Output;
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  /** The revision of the last event that was printed, or the one at which printing began. */
  #revision: number;
  /** How many events of that revision were printed. */
  #printed = 0;

  static async start(kit: Statek, out: Output): Promise<PrintedEvents> {
    return new PrintedEvents(kit, out, await kit.store.revision());
  }

  private constructor(kit: Statek, out: Output, revision: number) {
    this.#kit = kit;
    this.#out = out;
    this.#revision = revision;
    this.#following = this.#follow();
  }

  /** Prints what was committed until now, and stops. */
  async end(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => void (timer = setTimeout(resolve, patienceMilliseconds)));
    await Promise.race([this.#printRest(), late]);
    clearTimeout(timer);
    this.#stop.abort();
  }

  async #printRest(): Promise<void> {
    try {
      const until = await this.#kit.store.revision();
      this.#stop.abort();
      await this.#following;
      let printed = this.#printed;
      const [store, since] = [this.#kit.store, printed === 0 ? this.#revision : this.#revision - 1];
      for await (const event of pastJobEvents({ store }, { since, until })) {
        if (event.revision === this.#revision && printed-- > 0) continue;
        this.#print(event);
      }
    } catch {
      // The store is unreachable or closed; the worker itself reports that.
    }
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#kit.events({ since: this.#revision, signal: this.#stop.signal })) {
        if (this.#stop.signal.aborted) return;
        this.#print(event);
        this.#printed = event.revision === this.#revision ? this.#printed + 1 : 1;
        this.#revision = event.revision;
      }
    } catch {
      // As above.
    }
  }

  #print(event: JobStreamEvent): void {
    if (this.#out.isJson) this.#out.jsonLine(event);
    else if (event.kind !== 'slice') this.#out.line(eventLine(this.#out, event, true));
  }
}
