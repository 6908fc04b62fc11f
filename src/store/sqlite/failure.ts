// Turns SQLite's result codes into store errors.
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

// Numbers outside the safe range are never written, so reading one means corruption.
function isOutOfRange(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE';
}

export function isBusy(error: unknown): boolean {
  return isSqliteFailure(error) && [code.busy, code.locked].includes(error.errcode & 0xff);
}

/** The contents are not what was written, or do not fit the statements. */
export function isDamage(error: unknown): boolean {
  const damage = [code.error, code.corrupt, code.constraint, code.mismatch, code.notADatabase];
  return isOutOfRange(error) || (isSqliteFailure(error) && damage.includes(error.errcode & 0xff));
}

/** SQLite does not know whether its writes reached the disk. */
export function isInputOutputFailure(error: unknown): boolean {
  return isSqliteFailure(error) && (error.errcode & 0xff) === code.inputOutput && error.errcode !== sharedMemorySize;
}

export function storeFailure(error: unknown, file: string): unknown {
  if (isOutOfRange(error)) {
    return new StoreCorruptError(`${file} is damaged: ${error.message} Restore it from a backup.`, { file }, error);
  }
  if (error instanceof StatekError || !isSqliteFailure(error)) return error;
  const details = { file, sqlite: error.errcode, text: error.errstr };
  const report = `SQLite: ${error.message} (${error.errcode})`;
  if (error.errcode === sharedMemorySize)
    return new StoreFullError(
      `The disk of ${file} is full. Nothing was written; free some space. ${report}`,
      details,
      error,
    );
  switch (error.errcode & 0xff) {
    case code.full:
      return new StoreFullError(
        `The disk of ${file} is full. Nothing was written; free some space. ${report}`,
        details,
        error,
      );
    case code.permission:
    case code.readOnly:
    case code.cannotOpen:
      return new StorePermissionError(
        `${file} cannot be opened for writing. Check that its folder exists and is writable for this process. ${report}`,
        details,
        error,
      );
    case code.busy:
    case code.locked:
      return new StoreBusyError(`${file} is locked by another process. Try again. ${report}`, details, error);
    // Statements and tables always match, so a mismatch means a corrupt schema.
    case code.error:
    case code.constraint:
    case code.mismatch:
    case code.corrupt:
      return new StoreCorruptError(`${file} is damaged. Restore it from a backup. ${report}`, details, error);
    case code.notADatabase:
      return new StoreForeignError(`${file} is not a Statek store. Choose another location. ${report}`, details, error);
    default:
      return new StoreUnavailableError(
        `${file} could not be read or written. Check the disk. ${report}`,
        details,
        error,
      );
  }
}
