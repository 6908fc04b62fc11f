// Opens connections to the file: identifies or creates it, and verifies that the settings for durability are in effect.
import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolders } from '../../base/make-folders.ts';
import {
  StoreCorruptError,
  StoreForeignError,
  StoreNewerError,
  StorePermissionError,
  StoreUnavailableError,
} from '../errors.ts';
import { isBusy, storeFailure } from './failure.ts';
import { applicationId, createFile, formatVersion } from './statements.ts';

/** The options with defaults, as sent to the writer thread. */
export interface DatabaseSettings {
  readonly file: string;
  readonly durability: 'full' | 'relaxed';
  readonly busyMilliseconds: number;
  readonly cacheMegabytes: number;
}

const synchronous = { full: 2, relaxed: 1 };

// The size of the write-ahead log at which a commit checkpoints it; large, because a checkpoint makes that commit slow.
const checkpointPages = 16_384;

/** Opens the file for reading, besides a writer. */
export function openReader(settings: DatabaseSettings): DatabaseSync {
  const database = open(settings);
  database.exec('PRAGMA query_only = ON');
  return database;
}

/**
 * Whether the file is a store that can be read now; otherwise the writer creates it first. Throws for files that the
 * writer would reject.
 */
export function isReadable(settings: DatabaseSettings): boolean {
  const { file } = settings;
  if (!isFile(file)) return false;
  checkAccess(file);
  checkForeign(file);
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

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    throw new StorePermissionError(
      `The store cannot be at ${file.slice(0, 200)}: ${(error as NodeJS.ErrnoException).code ?? String(error)}. Choose another place for it.`,
      { file },
      error,
    );
  }
}

/** Whether commits on a connection run automatic checkpoints, which make some of them slow. */
export type Checkpoints = 'with checkpoints' | 'without checkpoints';

/** Opens the file for writing; creates it if missing. */
export function openWriter(settings: DatabaseSettings, checkpoints: Checkpoints): DatabaseSync {
  const isNew = !existsSync(settings.file);
  makeFolder(settings.file);
  if (!isNew) {
    checkAccess(settings.file);
    checkForeign(settings.file);
  }
  const database = open(settings);
  try {
    // If several processes open a new file at once, SQLite reports "busy" for some of these steps without waiting.
    untilNotBusy(settings, () => prepareFile(database, settings));
    if (isNew) syncFolder(settings.file);
    database.exec(`PRAGMA synchronous = ${settings.durability === 'full' ? 'FULL' : 'NORMAL'}`);
    database.exec('PRAGMA fullfsync = ON');
    // WriteLock does the waiting, because SQLite's own wait is unfair.
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

// SQLite would open the file read-only and leave read-only auxiliary files behind, which cause trouble later.
function checkAccess(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new StorePermissionError(
      `${file} cannot be opened for writing: ${(error as Error).message}. Check its permissions.`,
      { file },
      error,
    );
  }
}

// A writable connection may modify a file of another program, for example by recovering its log. So the file is first
// checked read-only: without its log and, if that is not conclusive, with it.
function checkForeign(file: string): void {
  if (statSync(file).size === 0) return;
  const alone = pathToFileURL(file);
  alone.searchParams.set('immutable', '1');
  if (seemsOurs(alone, file)) return;
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) seemsOurs(file, file);
}

/** False also if it cannot be determined; opening the file for real then reports why. */
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
    // Lets a file become smaller; it cannot be changed later.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
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

/** Whether the file is a store; false if it is empty. Throws for files of other programs or a newer format. */
function isOurs(database: DatabaseSync, file: string): boolean {
  const { application, version, isEmpty } = readIdentity(database);
  if (application === 0 && version === 0 && isEmpty) return false;
  if (application !== applicationId) {
    throw new StoreForeignError(`${file} belongs to another program. It was not changed; choose another location.`, {
      file,
      application,
    });
  }
  if (version < 1) {
    throw new StoreCorruptError(`${file} is damaged: it has no format version. Restore it from a backup.`, { file });
  }
  if (version > formatVersion) {
    throw new StoreNewerError(
      `${file} was written by a newer Statek (format ${version}; this version supports up to ${formatVersion}). Upgrade Statek to open it.`,
      { file, version },
    );
  }
  return true;
}

interface Identity {
  readonly application: unknown;
  readonly version: number;
  readonly isEmpty: boolean;
}

// On one snapshot: while another process creates the file, its parts would not match.
function readIdentity(database: DatabaseSync): Identity {
  const isInTransaction = database.isTransaction;
  if (!isInTransaction) database.exec('BEGIN');
  try {
    return {
      application: pragma(database, 'application_id'),
      version: pragma(database, 'user_version') as number,
      isEmpty: database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined,
    };
  } finally {
    if (!isInTransaction) endTransaction(database);
  }
}

function endTransaction(database: DatabaseSync): void {
  // A failed statement may have ended it already.
  if (database.isTransaction) database.exec('ROLLBACK');
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()?.[name];
}

// Some builds of SQLite silently fall back to weaker settings; then commits would not be as durable as promised.
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
    makeFolders(dirname(file));
  } catch (error) {
    const folder = dirname(file);
    throw new StorePermissionError(
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? `${folder} is a file. A store is a folder, or a file whose name ends in .db.`
        : `Cannot create the folder ${folder}: ${(error as Error).message}. Choose another place for the store.`,
      { file },
      error,
    );
  }
}

// A new file survives a power failure only if its folder is synced too.
function syncFolder(file: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
