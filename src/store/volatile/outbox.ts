// Gathers messages for a moment, so that many leave as one batch. It holds a bounded amount and drops what comes on top.
import { maxMessageLength, type VolatileMessage } from './message.ts';

/** How long messages wait for others to join them. */
const pauseMilliseconds = 25;
/** How much waits at most, in UTF-16 code units, with something added for each message. */
const maxWaitingLength = 4 * maxMessageLength;
const overhead = 64;

/** Sends a batch; false if it is to be sent again later. One that throws or rejects loses the batch. */
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
      // It may have arrived, so sending it again could deliver it twice.
      return true;
    }
  }

  /** At least one message, and no more than the longest message may have. */
  #nextBatch(): readonly VolatileMessage[] {
    let length = 0;
    const tooMuch = this.#waiting.findIndex((message) => (length += lengthOf(message)) > maxMessageLength);
    return tooMuch === -1 ? [...this.#waiting] : this.#waiting.slice(0, Math.max(1, tooMuch));
  }
}

function lengthOf({ channel, text }: VolatileMessage): number {
  return channel.length + text.length + overhead;
}
