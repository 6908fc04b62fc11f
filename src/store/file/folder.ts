// The folder of a file store: the names in it, and the lock that one process holds as long as it lives.
import { closeSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolders } from '../../base/make-folders.ts';
import { StoreBusyError, StoreForeignError } from '../errors.ts';
import { isBusy } from '../sqlite/failure.ts';
import { fileFailure } from './failure.ts';

const lockName = 'lock';
export const ackName = 'acknowledged';
const journalPattern = /^journal-(\d{10})\.log$/;
const snapshotPattern = /^snapshot-(\d{10})\.dat$/;
const unfinishedPattern = /^snapshot-\d{10}\.dat\.new$/;

export class StoreFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;

  /** Makes the folder if it is missing. Throws if another process has the store open, or the folder is used for something else. */
  constructor(path: string) {
    this.path = path;
    try {
      makeFolders(path);
      this.#refuseForeign();
      this.#lock = this.#locked();
    } catch (error) {
      throw fileFailure(error, path);
    }
    for (const name of readdirSync(path)) if (unfinishedPattern.test(name)) rmSync(join(path, name));
  }

  get acknowledged(): string {
    return join(this.path, ackName);
  }

  journal(number: number): string {
    return join(this.path, `journal-${padded(number)}.log`);
  }

  snapshot(number: number): string {
    return join(this.path, `snapshot-${padded(number)}.dat`);
  }

  /** The numbers of what is there, in order. */
  numbers(kind: 'journal' | 'snapshot'): number[] {
    const pattern = kind === 'journal' ? journalPattern : snapshotPattern;
    return readdirSync(this.path)
      .flatMap((name) => {
        const found = pattern.exec(name)?.[1];
        return found === undefined ? [] : [Number(found)];
      })
      .toSorted((a, b) => a - b);
  }

  /** The bytes of all files in it. */
  size(): number {
    return readdirSync(this.path).reduce(
      (sum, name) => sum + (statSync(join(this.path, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Names in the folder are durable afterwards. */
  sync(): void {
    const descriptor = openSync(this.path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  unlock(): void {
    this.#lock.close();
  }

  /** The operating system gives the lock back when its process dies, so it is never left behind. */
  #locked(): DatabaseSync {
    const database = new DatabaseSync(join(this.path, lockName), { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database.close();
      if (!isBusy(error)) throw error;
      throw new StoreBusyError(
        `The store in ${this.path} is open in another process, and a file store is for one at a time. Close it there, or use a store for several processes: a folder without 'file:', or 'postgres://…'.`,
        { folder: this.path },
        error,
      );
    }
  }

  #refuseForeign(): void {
    const names = readdirSync(this.path);
    const isOurs = names.some((name) => name === ackName || journalPattern.test(name) || snapshotPattern.test(name));
    const others = names.filter((name) => name !== lockName && !unfinishedPattern.test(name));
    if (isOurs || others.length === 0) return;
    throw new StoreForeignError(
      `${this.path} is not the folder of a file store: it contains ${others[0]}. Choose an empty folder.`,
      { folder: this.path },
    );
  }
}

function padded(number: number): string {
  return String(number).padStart(10, '0');
}
