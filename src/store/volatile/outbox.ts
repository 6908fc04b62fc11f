// Collects messages briefly and sends them as one batch. Its size is bounded; further messages are dropped.
import { maxMessageLength, type VolatileMessage } from './message.ts';

/** How long messages wait for others to batch with. */
const pauseMilliseconds = 25;
/** Maximum length of all waiting messages, in UTF-16 code units plus overhead. */
const maxWaitingLength = 4 * maxMessageLength;
const overhead = 64;

/** Sends a batch; false to retry later. If it throws or rejects, the batch is lost. */
type Send = (batch: readonly VolatileMessage[]) => Promise<boolean> | boolean;

export class Outbox {
  readonly #send: Send;
  #waiting: VolatileMessage[] = [];
  #waitingLength = 0;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;

  constructor(send: Send) {
    this.#send = send;
  }

  add(message: VolatileMessage): void {
    const length = lengthOf(message);
    if (this.#waitingLength + length > maxWaitingLength) return;
    this.#waiting.push(message);
    this.#waitingLength += length;
    this.#sendLater();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  #sendLater(): void {
    if (this.#isSending || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#sendAll();
    }, pauseMilliseconds).unref();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#nextBatch();
        if (!(await this.#trySend(batch))) break;
        for (const message of this.#waiting.splice(0, batch.length)) this.#waitingLength -= lengthOf(message);
      }
    } finally {
      this.#isSending = false;
      if (this.#waiting.length > 0) this.#sendLater();
    }
  }

  async #trySend(batch: readonly VolatileMessage[]): Promise<boolean> {
    try {
      return await this.#send(batch);
    } catch {
      // It may have arrived, so a retry could deliver it twice.
      return true;
    }
  }

  /** At least one message, and at most the length of one maximal message. */
  #nextBatch(): readonly VolatileMessage[] {
    let length = 0;
    const tooMuch = this.#waiting.findIndex((message) => (length += lengthOf(message)) > maxMessageLength);
    return tooMuch === -1 ? [...this.#waiting] : this.#waiting.slice(0, Math.max(1, tooMuch));
  }
}

function lengthOf({ channel, text }: VolatileMessage): number {
  return channel.length + text.length + overhead;
}
