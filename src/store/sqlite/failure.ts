// Turns SQLite's result codes into the store's errors: what failed, where, and what to do about it.
import { StatekError } from '../../base/error.ts';
import {
  StoreBusyError,
  StoreCorruptError,
  StoreForeignError,
  StoreFullError,
  StorePermissionError,
  StoreUnavailableError,
} from '../errors.ts';

// https://www.sqlite.org/rescode.html; the low byte is the primary code.
const code = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
};
const sharedMemorySize = 4874;

interface SqliteFailure extends Error {
  readonly code: 'ERR_SQLITE_ERROR';
  readonly errcode: number;
  readonly errstr: string;
}

export function isSqliteFailure(error: unknown): error is SqliteFailure {
  return error instanceof Error && (error as Partial<SqliteFailure>).code === 'ERR_SQLITE_ERROR';
}

// A number that no JavaScript number can hold was never written.
function isOutOfRange(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE';
}

export function isBusy(error: unknown): boolean {
  return isSqliteFailure(error) && [code.busy, code.locked].includes(error.errcode & 0xff);
}

/** The contents are not what was written, or not what the statements expect. */
export function isDamage(error: unknown): boolean {
  const damage = [code.error, code.corrupt, code.constraint, code.mismatch, code.notADatabase];
  return isOutOfRange(error) || (isSqliteFailure(error) && damage.includes(error.errcode & 0xff));
}

/** SQLite could not tell whether what it wrote reached the disk. */
export function isInputOutputFailure(error: unknown): boolean {
  return isSqliteFailure(error) && (error.errcode & 0xff) === code.inputOutput && error.errcode !== sharedMemorySize;
}

export function storeFailure(error: unknown, file: string): unknown {
  if (isOutOfRange(error)) {
    return new StoreCorruptError(`${file} is damaged: ${error.message} Restore it from a copy.`, { file }, error);
  }
  if (error instanceof StatekError || !isSqliteFailure(error)) return error;
  const details = { file, sqlite: error.errcode, text: error.errstr };
  const said = `SQLite: ${error.message} (${error.errcode})`;
  if (error.errcode === sharedMemorySize)
    return new StoreFullError(`No room for ${file}. Free some space; nothing was written. ${said}`, details, error);
  switch (error.errcode & 0xff) {
    case code.full:
      return new StoreFullError(`No room for ${file}. Free some space; nothing was written. ${said}`, details, error);
    case code.permission:
    case code.readOnly:
    case code.cannotOpen:
      return new StorePermissionError(
        `${file} cannot be opened for writing. Check that its folder exists and that this process may write there. ${said}`,
        details,
        error,
      );
    case code.busy:
    case code.locked:
      return new StoreBusyError(`${file} is in use by another process. ${said}`, details, error);
    // Statements and tables are always the same, so one that does not fit the other means that the schema is damaged.
    case code.error:
    case code.constraint:
    case code.mismatch:
    case code.corrupt:
      return new StoreCorruptError(`${file} is damaged. Restore it from a copy. ${said}`, details, error);
    case code.notADatabase:
      return new StoreForeignError(`${file} is not a Statek store. Choose another location. ${said}`, details, error);
    default:
      return new StoreUnavailableError(`${file} could not be read or written. ${said}`, details, error);
  }
}
