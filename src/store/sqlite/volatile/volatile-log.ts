// The file beside the store through which processes send each other messages that are not stored: a short log, and who
// listens. It is never synced, and nothing is lost with it but messages under way.
import { rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createVolatileFile, prepareLazily, volatileSql } from '../statements.ts';

/** A listener that has not announced itself for so long is gone. */
export const listenerLifeMilliseconds = 15_000;
/** No living listener's time lies further ahead: the clocks of two calls differ a little, and are read in any order. */
const latestExpiry = (now: number): number => now + 2 * listenerLifeMilliseconds;
/** So many bytes of messages are kept for listeners to fetch. */
const maxLogBytes = 8 * 1024 * 1024;
/** The log moves into the file after so many pages: often, because it happens on the thread of the caller. */
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
  /** SQLite's count of other connections' changes when the log was last read. */
  #version: unknown;

  /** Creates the file if need be. No call waits for another process; what cannot be done now throws "busy". */
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

  /** False once the file was deleted or replaced: others no longer see what happens here. */
  isCurrent(): boolean {
    return this.#inode !== undefined && inodeOf(this.#file) === this.#inode;
  }

  /** Says that a listener is there. Returns where the log ends. */
  announce(listener: string, channels: readonly string[], now: number): number {
    return this.#transaction(() => {
      this.#prepared('forgetListeners').run(now, latestExpiry(now));
      if (this.#prepared('anyListener').get() === undefined) this.#prepared('forgetMessages').run();
      for (const channel of channels) this.#prepared('announce').run(listener, channel, now + listenerLifeMilliseconds);
      return this.#prepared('end').get()?.['position'] as number;
    });
  }

  /** One channel of a listener, or all of them. The last one to leave takes the messages along. */
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

  /** What others have appended after a position. */
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

/** Deletes a file that is damaged. The log goes first: beside a new file it would be taken for the new file's. */
export function removeVolatileLog(file: string): void {
  for (const ending of ['-wal', '-shm', '']) rmSync(`${file}${ending}`, { force: true });
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
