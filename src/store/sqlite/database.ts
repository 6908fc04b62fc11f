// Opens connections to the file: recognises it, creates it, and makes certain that the settings a promise rests on are
// really in force.
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  StoreCorruptError,
  StoreForeignError,
  StoreNewerError,
  StorePermissionError,
  StoreUnavailableError,
} from '../errors.ts';
import { isBusy, storeFailure } from './failure.ts';
import { applicationId, createFile, formatVersion } from './statements.ts';

/** The options with their defaults filled in, as they go to the writer thread. */
export interface DatabaseSettings {
  readonly file: string;
  readonly durability: 'full' | 'relaxed';
  readonly busyMilliseconds: number;
  readonly cacheMegabytes: number;
}

const synchronous = { full: 2, relaxed: 1 };

// A commit past this many pages of write-ahead log moves them into the file; rarely, because it makes one commit slow.
const checkpointPages = 16_384;

/** Opens the file for reading, next to a writer. */
export function openReader(settings: DatabaseSettings): DatabaseSync {
  const database = open(settings);
  database.exec('PRAGMA query_only = ON');
  return database;
}

/**
 * Whether the file is a store that can be read as it is; one that is not yet, is left to the writer. Refuses what the
 * writer would refuse.
 */
export function isReadable(settings: DatabaseSettings): boolean {
  const { file } = settings;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  refuseWithoutAccess(file);
  refuseUntouched(file);
  let database: DatabaseSync | undefined;
  try {
    database = open(settings);
    return isOurs(database, file) && pragma(database, 'journal_mode') === 'wal';
  } catch (error) {
    throw storeFailure(error, file);
  } finally {
    database?.close();
  }
}

/** Whether commits of a connection now and then move the write-ahead log into the file, which makes one of them slow. */
export type Checkpoints = 'with checkpoints' | 'without checkpoints';

/** Opens the file for writing and creates it if it is new. */
export function openWriter(settings: DatabaseSettings, checkpoints: Checkpoints): DatabaseSync {
  const isNew = !existsSync(settings.file);
  makeFolder(settings.file);
  if (!isNew) {
    refuseWithoutAccess(settings.file);
    refuseUntouched(settings.file);
  }
  const database = open(settings);
  try {
    // Several processes may open a new file at once; SQLite answers some of these steps with "busy" without waiting.
    untilNotBusy(settings, () => prepareFile(database, settings));
    if (isNew) syncFolder(settings.file);
    database.exec(`PRAGMA synchronous = ${settings.durability === 'full' ? 'FULL' : 'NORMAL'}`);
    database.exec('PRAGMA fullfsync = ON');
    // WriteLock waits by itself, because SQLite's own wait is not fair.
    database.exec('PRAGMA busy_timeout = 0');
    database.exec(`PRAGMA wal_autocheckpoint = ${checkpoints === 'with checkpoints' ? checkpointPages : 0}`);
    database.exec(`PRAGMA journal_size_limit = ${checkpointPages * 4096}`);
    assertPragma(database, settings, 'synchronous', synchronous[settings.durability]);
    assertPragma(database, settings, 'journal_mode', 'wal');
    return database;
  } catch (error) {
    database.close();
    throw storeFailure(error, settings.file);
  }
}

function open({ file, busyMilliseconds, cacheMegabytes }: DatabaseSettings): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: busyMilliseconds });
    database.exec(`PRAGMA cache_size = ${-cacheMegabytes * 1024}`);
    database.exec('PRAGMA temp_store = MEMORY');
    return database;
  } catch (error) {
    throw storeFailure(error, file);
  }
}

// SQLite would open the file for reading only and leave helper files of the same kind, which stay in the way later.
function refuseWithoutAccess(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new StorePermissionError(
      `${file} cannot be opened for writing: ${(error as Error).message}. Check that this process may read and write it.`,
      { file },
      error,
    );
  }
}

// A connection that may write tidies up after the program it belongs to, so a file that is to be refused is first looked
// at by ones that do not: one that sees the file alone and, if that does not show whose it is, one that sees the log too.
function refuseUntouched(file: string): void {
  if (statSync(file).size === 0) return;
  const alone = pathToFileURL(file);
  alone.searchParams.set('immutable', '1');
  if (seemsOurs(alone, file)) return;
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) seemsOurs(file, file);
}

/** False also if it cannot be told; what keeps it from being told is found out, and named, by what follows. */
function seemsOurs(location: string | URL, file: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(location, { readOnly: true });
    return isOurs(database, file);
  } catch (error) {
    if (error instanceof StoreForeignError || error instanceof StoreNewerError) throw error;
    return false;
  } finally {
    database?.close();
  }
}

function prepareFile(database: DatabaseSync, { file }: DatabaseSettings): void {
  if (!isOurs(database, file)) {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('BEGIN IMMEDIATE');
    try {
      if (!isOurs(database, file)) database.exec(createFile);
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }
  database.exec('PRAGMA journal_mode = WAL');
}

/** Whether the file is a store; false if it is empty. Another program's file, or a newer one of ours, is refused. */
function isOurs(database: DatabaseSync, file: string): boolean {
  const application = pragma(database, 'application_id');
  const version = pragma(database, 'user_version') as number;
  if (application === 0 && version === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined)
    return false;
  if (application !== applicationId) {
    throw new StoreForeignError(
      `${file} belongs to another program. Choose another location; nothing in it was changed.`,
      { file, application },
    );
  }
  if (version < 1) {
    throw new StoreCorruptError(`${file} is damaged: it has no format version. Restore it from a copy.`, { file });
  }
  if (version > formatVersion) {
    throw new StoreNewerError(
      `${file} was written by a newer Statek (format ${version}; this one knows ${formatVersion}). Upgrade Statek to open it.`,
      { file, version },
    );
  }
  return true;
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

// A reopened file may fall back to weaker settings in some builds; a promise that does not hold must not be made.
function assertPragma(database: DatabaseSync, { file }: DatabaseSettings, name: string, expected: unknown): void {
  const found = pragma(database, name);
  if (found !== expected) {
    throw new StoreUnavailableError(
      `${file}: SQLite's ${name} is ${String(found)} and cannot be set to ${String(expected)}, so commits would not be durable. Put the store on a local disk.`,
      { file, name, found },
    );
  }
}

function untilNotBusy({ busyMilliseconds }: DatabaseSettings, action: () => void): void {
  const deadline = Date.now() + busyMilliseconds;
  for (;;) {
    try {
      action();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
      pause(5);
    }
  }
}

const nothing = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. */
export function pause(milliseconds: number): void {
  Atomics.wait(nothing, 0, 0, milliseconds);
}

function makeFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new StorePermissionError(
      `The folder for ${file} cannot be made: ${(error as Error).message}.`,
      { file },
      error,
    );
  }
}

// A new file is only there after a power cut if its folder was synced too.
function syncFolder(file: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
