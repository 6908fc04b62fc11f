// Volatile messages between processes that share a file. Publishers write only while another process listens; listeners
// poll. Everything runs on the caller's thread, takes microseconds and never waits for a lock: on the writer thread, each
// message would wake it and delay commits.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { VolatileMessages } from '../../store.ts';
import { Channels } from '../../volatile/channels.ts';
import { decodeBatch, encodeBatch, type VolatileMessage } from '../../volatile/message.ts';
import { Outbox } from '../../volatile/outbox.ts';
import { isBusy, isDamage } from '../failure.ts';
import { removeVolatileLog, VolatileLog, type LoggedBatch } from './volatile-log.ts';

/** How often a listener polls for messages, and a publisher for listeners. */
const pollMilliseconds = 20;
/** How often a listener announces itself, and how often the file is checked for replacement. */
const beatMilliseconds = 1000;

export class SqliteVolatile implements VolatileMessages {
  readonly #file: string;
  readonly #id = randomUUID();
  readonly #channels = new Channels();
  readonly #outbox = new Outbox((batch) => this.#append(batch));
  #log: VolatileLog | undefined;
  #checked = 0;
  /** After a failure, when to use the file again. */
  #retryAt = 0;
  /** The channels of other processes, and when they were read. */
  #audience: ReadonlySet<string> = new Set();
  #audienceReadAt = -Infinity;
  /** The position up to which the log was read; undefined until this listener is announced. */
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
    this.#timer ??= setInterval(() => this.#poll(), pollMilliseconds).unref();
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
    if (now - this.#audienceReadAt >= pollMilliseconds) {
      this.#audienceReadAt = now;
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
    // A busy file is retried later; without a file nobody listens.
    return result ?? this.#log === undefined;
  }

  /** Messages published before this first succeeds are missed. */
  #announce(): void {
    const end = this.#use('or new', (log) => log.announce(this.#id, this.#channels.names(), Date.now()));
    if (end === undefined) return;
    this.#position ??= end;
    this.#announced = performance.now();
  }

  #poll(): void {
    if (this.#position === undefined || performance.now() - this.#announced >= beatMilliseconds) this.#announce();
    const position = this.#position;
    if (position === undefined) return;
    const batches = this.#use('existing', (log) => log.readAfter(position, this.#id)) ?? [];
    for (const batch of batches) this.#deliver(batch);
  }

  #deliver({ position, body }: LoggedBatch): void {
    // A listener may have stopped listening during the previous batch.
    if (this.#position === undefined) return;
    this.#position = position;
    for (const message of decodeBatch(body)) this.#channels.deliver(message);
  }

  /** Undefined if the file is busy, unreachable, corrupt, or missing and not to be created. */
  #use<Result>(file: 'existing' | 'or new', work: (log: VolatileLog) => Result): Result | undefined {
    const now = performance.now();
    if (now < this.#retryAt) return undefined;
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
    this.#retryAt = now + beatMilliseconds;
    try {
      this.#closeLog();
      if (isDamage(error)) removeVolatileLog(this.#file);
    } catch {
      // Messages to other processes are lost until the file can be used again.
    }
  }

  /** Positions belong to one file; with the next one, listening starts over. */
  #closeLog(): void {
    const log = this.#log;
    this.#log = undefined;
    this.#position = undefined;
    log?.close();
  }
}
