// Interim text: what is understood of a segment while it is spoken. It goes from process to process as volatile messages and is never
// stored; the latest is remembered by those who hear it.
import type { Place } from '../foundation/place.ts';

export interface InterimText {
  readonly speaker: string;
  /** Empty when the segment is final. */
  readonly text: string;
}

interface Heard {
  latest: InterimText | undefined;
  readonly listeners: Set<(interim: InterimText) => void>;
  readonly stop: () => void;
}

/** Sessions this process listens to; those that were asked for least recently are forgotten. */
const maxSessions = 1000;

export class InterimTexts {
  readonly #place: Place;
  readonly #heard = new Map<string, Heard>();
  #isClosed = false;

  constructor(place: Place) {
    this.#place = place;
  }

  async tell(sessionId: string, speaker: string, text: string): Promise<void> {
    const heard = await this.#listen(sessionId);
    const store = await this.#place.store();
    // The one who says it knows it at once, also on stores without messages.
    hear(heard, { speaker, text });
    store.volatile?.publish(this.#channel(sessionId), JSON.stringify([this.#id, speaker, text]));
  }

  /** The latest interim text that this process knows. The first call begins to listen. */
  async latest(sessionId: string): Promise<string | undefined> {
    return (await this.#listen(sessionId)).latest?.text;
  }

  async listen(sessionId: string, listener: (interim: InterimText) => void): Promise<() => void> {
    const { listeners } = await this.#listen(sessionId);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  forget(sessionId: string): void {
    const heard = this.#heard.get(sessionId);
    if (heard === undefined || heard.listeners.size > 0) return;
    heard.stop();
    this.#heard.delete(sessionId);
  }

  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#heard.values()) stop();
    this.#heard.clear();
  }

  async #listen(sessionId: string): Promise<Heard> {
    const store = await this.#place.store();
    const known = this.#heard.get(sessionId);
    if (known !== undefined) return known;
    const heard: Heard = {
      latest: undefined,
      listeners: new Set(),
      stop: this.#isClosed
        ? () => undefined
        : (store.volatile?.listen(this.#channel(sessionId), (message) => {
            const [from, speaker, text] = JSON.parse(message) as [string, string, string];
            if (from !== this.#id) hear(heard, { speaker, text });
          }) ?? (() => undefined)),
    };
    this.#heard.set(sessionId, heard);
    for (const oldest of this.#heard.keys()) {
      if (this.#heard.size <= maxSessions) break;
      this.forget(oldest);
    }
    return heard;
  }

  /** Its own messages come back to it. */
  readonly #id = String(Math.random());

  #channel(sessionId: string): string {
    return `speech ${JSON.stringify([this.#place.prefix, sessionId])}`;
  }
}

function hear(heard: Heard, interim: InterimText): void {
  if (interim.text === '' && heard.latest === undefined) return;
  heard.latest = interim.text === '' ? undefined : interim;
  for (const listener of heard.listeners) listener(interim);
}
