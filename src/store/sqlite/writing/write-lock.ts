// Acquires SQLite's write lock for one transaction at a time, fairly between processes and with a bounded wait.
//
// SQLite's own wait is unfair: a process that commits in a loop reacquires the lock before a sleeping one wakes up. So a
// waiting process leaves a mark beside the file, and a process that has held the lock for its turn and sees a fresh mark
// backs off briefly.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreBusyError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import { pause, type DatabaseSettings } from '../database.ts';
import { isBusy, isInputOutputFailure, storeFailure } from '../failure.ts';
import { WaitingMark } from './waiting-mark.ts';

const retryMilliseconds = 0.25;
// How long a process may keep committing while others wait: several commits, to amortise the handover.
const turnMilliseconds = 4;
// Longer than a waiting process sleeps between two attempts, so that it gets the lock.
const backOffMilliseconds = 2;

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

  /** Runs `change` in one transaction. It is durable when this returns; if this throws, nothing was written. */
  transaction<Result>(change: () => Result): Result {
    this.#checkNotReplaced();
    this.#begin();
    return this.#run(change);
  }

  /** Like `transaction`, if the lock is free and no process waits for it; otherwise undefined. */
  transactionIfFree<Result>(change: () => Result): Result | undefined {
    this.#checkNotReplaced();
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

  // A deleted file can still be written to, but disappears when the process ends.
  #checkNotReplaced(): void {
    const { file } = this.#settings;
    if (statSync(file, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new StoreUnavailableError(
      `${file} was deleted or replaced while it was open. Nothing was written; close the store and reopen it.`,
      { file },
    );
  }

  #begin(): void {
    const started = performance.now();
    if (started - this.#turnStarted > turnMilliseconds) {
      if (this.#mark.isFresh()) pause(backOffMilliseconds);
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
            `${this.#settings.file} was locked by other processes for ${waited} ms. Nothing was written; try again.`,
            { waited },
            error,
          );
        }
        this.#mark.set();
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
          `The disk failed while ${this.#settings.file} was being synced, so the commit may or may not have happened. Check the disk, then read the written keys again.`,
          {},
          error,
        );
      }
      throw storeFailure(error, this.#settings.file);
    }
  }

  #rollback(): void {
    // After some failures SQLite has already rolled back.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#mark.close();
  }
}
