// A lock that ends with its process: a session keeps a small database file beside the store locked. The operating system
// releases the lock when the process dies, so others notice at once.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolders } from '../../../base/make-folders.ts';
import { isBusy } from '../failure.ts';

const extension = '.lock';

function lockFile(storeFile: string, sessionId: string): string {
  return join(`${storeFile}-sessions`, `${sessionId}${extension}`);
}

/** Removes the lock files of dead processes. */
function sweep(storeFile: string): void {
  for (const name of readdirSync(`${storeFile}-sessions`))
    if (name.endsWith(extension)) isSessionDead(storeFile, name.slice(0, -extension.length));
}

/** Keeps the journal in memory, because nothing is ever written. */
function lockExclusively(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
}

export class SessionLock {
  readonly #file: string;
  readonly #database: DatabaseSync;

  /** Throws if the file cannot be created. */
  constructor(storeFile: string, sessionId: string) {
    this.#file = lockFile(storeFile, sessionId);
    makeFolders(dirname(this.#file));
    sweep(storeFile);
    this.#database = new DatabaseSync(this.#file);
    lockExclusively(this.#database);
  }

  release(): void {
    this.#database.close();
    rmSync(this.#file, { force: true });
  }
}

/** Whether the process of a session is dead. A missing file means that the session was closed or found dead earlier. */
export function isSessionDead(storeFile: string, sessionId: string): boolean {
  const file = lockFile(storeFile, sessionId);
  if (!existsSync(file)) return true;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    lockExclusively(database);
    database.exec('ROLLBACK');
  } catch (error) {
    // If in doubt the session counts as alive: its leases expire anyway.
    if (isBusy(error) || existsSync(file)) return false;
    return true;
  } finally {
    database?.close();
  }
  rmSync(file, { force: true });
  return true;
}
