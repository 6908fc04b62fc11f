// The file through which processes exchange volatile messages: a short log and the list of listeners. It is never synced;
// losing it loses only messages in transit.
import { rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createVolatileFile, prepareLazily, volatileSql } from '../statements.ts';

/** A listener that has not announced itself for this long is considered gone. */
export const listenerTimeoutMilliseconds = 15_000;
/** Later expiries are from before the clock was set back; the factor allows for clock differences between calls. */
const latestExpiry = (now: number): number => now + 2 * listenerTimeoutMilliseconds;
/** How many bytes of messages are kept for listeners. */
const maxLogBytes = 8 * 1024 * 1024;
/** Pages between checkpoints; few, because a checkpoint runs on the caller's thread. */
const checkpointPages = 256;

export type LoggedBatch = {
  /** Grows with every batch, by its size. */
  readonly position: number;
  readonly body: string;
};

export class VolatileLog {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #inode: number | undefined;
  readonly #prepared: (name: keyof typeof volatileSql) => StatementSync;
  /** SQLite's `data_version` at the last read. */
  #version: unknown;

  /** Creates the file if missing. No call waits for another process; it throws "busy" instead. */
  constructor(file: string) {
    this.#file = file;
    this.#database = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#database.exec(
        `PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA journal_size_limit = ${maxLogBytes}`,
      );
      this.#database.exec(createVolatileFile);
      this.#prepared = prepareLazily(this.#database, volatileSql);
      this.#inode = inodeOf(file);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** False if the file was deleted or replaced, so that other processes no longer see it. */
  isCurrent(): boolean {
    return this.#inode !== undefined && inodeOf(this.#file) === this.#inode;
  }

  /** Announces a listener. Returns the end of the log. */
  announce(listener: string, channels: readonly string[], now: number): number {
    return this.#transaction(() => {
      this.#prepared('forgetListeners').run(now, latestExpiry(now));
      if (this.#prepared('anyListener').get() === undefined) this.#prepared('forgetMessages').run();
      for (const channel of channels)
        this.#prepared('announce').run(listener, channel, now + listenerTimeoutMilliseconds);
      return this.#prepared('end').get()?.['position'] as number;
    });
  }

  /** Removes one or all channels of a listener. Without listeners, the messages are deleted. */
  withdraw(listener: string, channel?: string): void {
    this.#transaction(() => {
      if (channel === undefined) this.#prepared('withdrawAll').run(listener);
      else this.#prepared('withdraw').run(listener, channel);
      if (this.#prepared('anyListener').get() === undefined) this.#prepared('forgetMessages').run();
    });
  }

  /** The channels that others listen to. */
  channelsOfOthers(listener: string, now: number): ReadonlySet<string> {
    const rows = this.#prepared('channelsOfOthers').all(listener, now, latestExpiry(now));
    return new Set(rows.map((row) => row['channel'] as string));
  }

  append(sender: string, body: string): void {
    this.#transaction(() => {
      const position = this.#prepared('grow').get(Buffer.byteLength(body))?.['position'] as number;
      this.#prepared('append').run(position, sender, body);
      this.#prepared('forgetMessagesUpTo').run(position - maxLogBytes);
    });
  }

  /** Batches of other processes after a position. */
  readAfter(position: number, reader: string): readonly LoggedBatch[] {
    const version = this.#prepared('version').get()?.['data_version'];
    if (version === this.#version) return [];
    const rows = this.#prepared('readAfter').all(position, reader) as LoggedBatch[];
    this.#version = version;
    return rows;
  }

  close(): void {
    this.#database.close();
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Deletes a corrupt file. The write-ahead log goes first, because a new file would otherwise adopt it. */
export function removeVolatileLog(file: string): void {
  for (const ending of ['-wal', '-shm', '']) rmSync(`${file}${ending}`, { force: true });
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
