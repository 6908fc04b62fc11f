// Turns failures of the file system into store errors.
import { StatekError } from '../../base/error.ts';
import { StoreFullError, StorePermissionError, StoreUnavailableError } from '../errors.ts';

export function fileFailure(error: unknown, folder: string): unknown {
  if (error instanceof StatekError || !(error instanceof Error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const details = { folder, code };
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new StoreFullError(
        `The disk of ${folder} is full. Nothing was written; free some space. ${message}`,
        details,
        error,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return new StorePermissionError(
        `${folder} cannot be opened for writing. Check that it is a folder and writable for this process. ${message}`,
        details,
        error,
      );
    default:
      if (code === undefined) return error;
      return new StoreUnavailableError(
        `${folder} could not be read or written. Check the disk. ${message}`,
        details,
        error,
      );
  }
}
