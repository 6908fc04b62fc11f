// A lock that ends with its process: a small database file beside the store that a session holds locked. The operating
// system releases the lock when the process dies, whatever it dies of, so others see at once that it is gone.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../failure.ts';

const ending = '.lock';

function lockFile(storeFile: string, sessionId: string): string {
  return join(`${storeFile}-sessions`, `${sessionId}${ending}`);
}

/** Removes what processes left behind that have died. */
function sweep(storeFile: string): void {
  for (const name of readdirSync(`${storeFile}-sessions`))
    if (name.endsWith(ending)) isSessionGone(storeFile, name.slice(0, -ending.length));
}

/** Nothing is ever written, so no journal is needed beside the file. */
function lockExclusively(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
}

export class SessionLock {
  readonly #file: string;
  readonly #database: DatabaseSync;

  /** Throws where no such file can be made. */
  constructor(storeFile: string, sessionId: string) {
    this.#file = lockFile(storeFile, sessionId);
    mkdirSync(dirname(this.#file), { recursive: true });
    sweep(storeFile);
    this.#database = new DatabaseSync(this.#file);
    lockExclusively(this.#database);
  }

  release(): void {
    this.#database.close();
    rmSync(this.#file, { force: true });
  }
}

/** Whether the process of a session is gone. One whose file is gone has ended its session, or was found dead before. */
export function isSessionGone(storeFile: string, sessionId: string): boolean {
  const file = lockFile(storeFile, sessionId);
  if (!existsSync(file)) return true;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    lockExclusively(database);
    database.exec('ROLLBACK');
  } catch (error) {
    // What cannot be asked counts as alive: its leases run out by themselves.
    if (isBusy(error) || existsSync(file)) return false;
    return true;
  } finally {
    database?.close();
  }
  rmSync(file, { force: true });
  return true;
}
