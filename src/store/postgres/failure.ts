// Turns errors of PostgreSQL, the client and the network into store errors, without passwords in them.
import { DatabaseError } from 'pg';
import { StatekError } from '../../base/error.ts';
import {
  StoreArgumentError,
  StoreBusyError,
  StoreCorruptError,
  StoreFullError,
  StorePermissionError,
  StoreUnavailableError,
} from '../errors.ts';

type ErrorClass = new (message: string, details: Readonly<Record<string, unknown>>, cause: unknown) => StatekError;

interface Meaning {
  readonly type: ErrorClass;
  readonly message: string;
}

const unavailable: Meaning = { type: StoreUnavailableError, message: 'cannot be reached' };
const busy: Meaning = {
  type: StoreBusyError,
  message: 'did not finish a statement in time. Nothing was written; try again',
};
const permission: Meaning = {
  type: StorePermissionError,
  message: 'denied access. Check the user, its password and its grants',
};
const corrupt: Meaning = { type: StoreCorruptError, message: 'has corrupt data. Restore it from a backup' };

// https://www.postgresql.org/docs/current/errcodes-appendix.html; a class of two characters stands for all its codes.
const meanings: Readonly<Record<string, Meaning>> = {
  '08': unavailable,
  '25006': {
    type: StoreUnavailableError,
    message: 'accepts no writes: the server is a standby or read-only',
  },
  '25P03': unavailable,
  '28': permission,
  '3D000': {
    type: StoreUnavailableError,
    message: 'cannot be reached: the database does not exist. Create it, or correct the connection',
  },
  '3F000': { type: StoreCorruptError, message: 'is gone: its schema no longer exists' },
  '40': busy,
  '42501': permission,
  '42P01': { type: StoreCorruptError, message: 'has lost a table. Restore it from a backup' },
  '53100': { type: StoreFullError, message: 'has no disk space left. Nothing was written; free some space' },
  '53': { type: StoreUnavailableError, message: 'is short of resources' },
  '54': { type: StoreArgumentError, message: 'cannot hold a value of this size or depth' },
  '55P03': busy,
  '57014': busy,
  '57': unavailable,
  '58': { type: StoreUnavailableError, message: 'could not read or write its files' },
  XX001: corrupt,
  XX002: corrupt,
};

export function storeFailure(error: unknown, place: string): unknown {
  if (error instanceof StatekError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (!(error instanceof DatabaseError)) {
    if (!isLostConnection(error)) return error;
    const why = error.message === '' ? (code ?? 'no connection') : error.message;
    return new StoreUnavailableError(`${place} cannot be reached: ${why}.`, { place, code }, error);
  }
  const meaning = meanings[code ?? ''] ?? meanings[(code ?? '').slice(0, 2)];
  if (meaning === undefined) return error;
  const details = { place, code, table: error.table };
  return new meaning.type(`${place} ${meaning.message}. PostgreSQL: ${error.message} (${code})`, details, error);
}

const networkCodes = /^(E[A-Z]+|ERR_(SSL|TLS|STREAM|SOCKET)_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;
const clientMessages =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client (has encountered|was closed)|The server does not support SSL|There was an error establishing an SSL)/;
const serverGone = /^(08|57P0|25P03)/;

/** The connection was lost; its last statement may or may not have run. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  if (error instanceof DatabaseError) return serverGone.test(code);
  // Node reports a name with several addresses as one error for all attempts.
  if (error instanceof AggregateError) return error.errors.every(isLostConnection);
  return networkCodes.test(code) || clientMessages.test(error.message);
}

/** The server rejected the statement, so it had no effect. */
export function isRejection(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR';
}

function codeOf(error: Error): string | undefined {
  const code: unknown = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}
