// Volatile messages between processes that share a file. Publishers write only while another process listens; listeners
// look for news on a timer. Everything happens on the caller's thread, takes microseconds, and never waits for a lock:
// the writer's thread would be woken for each message, and commits would wait behind them.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { VolatileMessages } from '../../store.ts';
import { Channels } from '../../volatile/channels.ts';
import { decodeBatch, encodeBatch, type VolatileMessage } from '../../volatile/message.ts';
import { Outbox } from '../../volatile/outbox.ts';
import { isBusy, isDamage } from '../failure.ts';
import { removeVolatileLog, VolatileLog, type LoggedBatch } from './volatile-log.ts';

/** How often a listener looks for messages, and a publisher for listeners. */
const lookMilliseconds = 20;
/** How often a listener says that it is there, and everyone makes sure that the file is still the same. */
const beatMilliseconds = 1000;

export class SqliteVolatile implements VolatileMessages {
  readonly #file: string;
  readonly #id = randomUUID();
  readonly #channels = new Channels();
  readonly #outbox = new Outbox((batch) => this.#append(batch));
  #log: VolatileLog | undefined;
  #checked = 0;
  /** After a failure the file is left alone for a while. */
  #restsUntil = 0;
  /** What others listen to, and when that was read. */
  #audience: ReadonlySet<string> = new Set();
  #looked = -Infinity;
  /** How far the log was read; undefined until this listener is announced. */
  #position: number | undefined;
  #announced = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(storeFile: string) {
    this.#file = `${storeFile}-volatile`;
  }

  publish(channel: string, text: string): void {
    this.#channels.deliver({ channel, text });
    if (this.#isHeardElsewhere(channel)) this.#outbox.add({ channel, text });
  }

  listen(channel: string, hear: (message: string) => void): () => void {
    const isFirst = !this.#channels.has(channel);
    const remove = this.#channels.add(channel, hear);
    if (isFirst) this.#announce();
    this.#timer ??= setInterval(() => this.#look(), lookMilliseconds).unref();
    return () => {
      if (!this.#channels.has(channel)) return;
      remove();
      if (this.#channels.has(channel)) return;
      this.#use('existing', (log) => log.withdraw(this.#id, channel));
      if (this.#channels.names().length === 0) this.#stopListening();
    };
  }

  close(): void {
    this.#outbox.close();
    this.#channels.clear();
    if (this.#timer !== undefined) this.#use('existing', (log) => log.withdraw(this.#id));
    this.#stopListening();
  }

  #stopListening(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#closeLog();
  }

  #isHeardElsewhere(channel: string): boolean {
    const now = performance.now();
    if (now - this.#looked >= lookMilliseconds) {
      this.#looked = now;
      this.#audience =
        this.#use('existing', (log) => log.channelsOfOthers(this.#id, Date.now())) ??
        (this.#log === undefined ? new Set() : this.#audience);
    }
    return this.#audience.has(channel);
  }

  #append(batch: readonly VolatileMessage[]): boolean {
    const result = this.#use('existing', (log) => {
      log.append(this.#id, encodeBatch(batch));
      return true;
    });
    // A file that is busy can be written to later; where there is none, nobody listens.
    return result ?? this.#log === undefined;
  }

  /** What was published before the first success is not heard. */
  #announce(): void {
    const end = this.#use('or new', (log) => log.announce(this.#id, this.#channels.names(), Date.now()));
    if (end === undefined) return;
    this.#position ??= end;
    this.#announced = performance.now();
  }

  #look(): void {
    if (this.#position === undefined || performance.now() - this.#announced >= beatMilliseconds) this.#announce();
    const position = this.#position;
    if (position === undefined) return;
    const batches = this.#use('existing', (log) => log.readAfter(position, this.#id)) ?? [];
    for (const batch of batches) this.#deliver(batch);
  }

  #deliver({ position, body }: LoggedBatch): void {
    // A listener may have ended listening while it was told of the batch before.
    if (this.#position === undefined) return;
    this.#position = position;
    for (const message of decodeBatch(body)) this.#channels.deliver(message);
  }

  /** Undefined if it cannot be done now: the file is busy, out of reach, damaged, or not there and not to be made. */
  #use<Result>(file: 'existing' | 'or new', work: (log: VolatileLog) => Result): Result | undefined {
    const now = performance.now();
    if (now < this.#restsUntil) return undefined;
    try {
      if (this.#log !== undefined && now - this.#checked >= beatMilliseconds) {
        this.#checked = now;
        if (!this.#log.isCurrent()) this.#closeLog();
      }
      if (this.#log === undefined) {
        if (file === 'existing' && !existsSync(this.#file)) return undefined;
        this.#log = new VolatileLog(this.#file);
        this.#checked = now;
      }
      return work(this.#log);
    } catch (error) {
      if (!isBusy(error)) this.#recover(error, now);
      return undefined;
    }
  }

  #recover(error: unknown, now: number): void {
    this.#restsUntil = now + beatMilliseconds;
    try {
      this.#closeLog();
      if (isDamage(error)) removeVolatileLog(this.#file);
    } catch {
      // It stays as it is; messages to other processes are lost until it can be used.
    }
  }

  /** Positions are those of one file; in the next one, listening begins anew. */
  #closeLog(): void {
    const log = this.#log;
    this.#log = undefined;
    this.#position = undefined;
    log?.close();
  }
}
