// Takes SQLite's write lock for one transaction at a time, fairly between processes and never waiting without bound.
//
// SQLite's own wait is not fair: a process that commits in a loop takes the lock again before a sleeping one wakes, for
// as long as it has work. So a process that waits leaves a mark beside the file, and one that has had its turn and sees
// a fresh mark stands back for a moment.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreBusyError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import { pause, type DatabaseSettings } from '../database.ts';
import { isBusy, isInputOutputFailure, storeFailure } from '../failure.ts';
import { WaitingMark } from './waiting-mark.ts';

const retryMilliseconds = 0.25;
// How long a process may go on while others wait: several commits, so that handing over does not cost more than them.
const turnMilliseconds = 4;
// Longer than a waiting process sleeps between two tries, so that it gets its turn.
const standBackMilliseconds = 2;

export class WriteLock {
  readonly #database: DatabaseSync;
  readonly #settings: DatabaseSettings;
  readonly #mark: WaitingMark;
  readonly #inode: number;
  #turnStarted = 0;

  constructor(database: DatabaseSync, settings: DatabaseSettings) {
    this.#database = database;
    this.#settings = settings;
    this.#mark = new WaitingMark(settings.file);
    this.#inode = statSync(settings.file).ino;
  }

  /** Runs `change` in one transaction. It is durable when this returns; if this throws, nothing of it is there. */
  transaction<Result>(change: () => Result): Result {
    this.#refuseIfReplaced();
    this.#begin();
    return this.#run(change);
  }

  /** The same if the lock is free and nobody waits for it; undefined otherwise. */
  transactionIfFree<Result>(change: () => Result): Result | undefined {
    this.#refuseIfReplaced();
    if (this.#mark.isFresh()) return undefined;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw storeFailure(error, this.#settings.file);
    }
    return this.#run(change);
  }

  #run<Result>(change: () => Result): Result {
    let result: Result;
    try {
      result = change();
    } catch (error) {
      this.#rollback();
      throw storeFailure(error, this.#settings.file);
    }
    this.#commit();
    return result;
  }

  // A file that was deleted can still be written to, and all of it is gone when the process ends.
  #refuseIfReplaced(): void {
    const { file } = this.#settings;
    if (statSync(file, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new StoreUnavailableError(
      `${file} was deleted or replaced while it was open. Nothing was written; close the store and open it again.`,
      { file },
    );
  }

  #begin(): void {
    const started = performance.now();
    if (started - this.#turnStarted > turnMilliseconds) {
      if (this.#mark.isFresh()) pause(standBackMilliseconds);
      this.#turnStarted = performance.now();
    }
    for (let tries = 0; ; tries++) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        if (tries > 0) this.#turnStarted = performance.now();
        return;
      } catch (error) {
        if (!isBusy(error)) throw storeFailure(error, this.#settings.file);
        const waited = Math.round(performance.now() - started);
        if (waited >= this.#settings.busyMilliseconds) {
          throw new StoreBusyError(
            `${this.#settings.file} was kept busy by other processes for ${waited} ms. Nothing was written; try again.`,
            { waited },
            error,
          );
        }
        this.#mark.leave();
        pause(retryMilliseconds);
      }
    }
  }

  #commit(): void {
    try {
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      if (isInputOutputFailure(error)) {
        throw new StoreUnknownOutcomeError(
          `The disk failed while ${this.#settings.file} was being synced, so the commit may or may not be there. Check the disk and read again.`,
          {},
          error,
        );
      }
      throw storeFailure(error, this.#settings.file);
    }
  }

  #rollback(): void {
    // After some failures SQLite has rolled back by itself.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#mark.close();
  }
}
