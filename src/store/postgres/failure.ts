// Turns what PostgreSQL, the client and the network report into the store's errors, without a password in any of them.
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
  message: 'did not finish a statement in the time allowed, so it was given up and nothing was written',
};
const permission: Meaning = {
  type: StorePermissionError,
  message: 'refused access. Check the user, its password and its grants',
};
const corrupt: Meaning = { type: StoreCorruptError, message: 'has damaged data. Restore it from a copy' };

// https://www.postgresql.org/docs/current/errcodes-appendix.html; a class of two characters stands for all its codes.
const meanings: Readonly<Record<string, Meaning>> = {
  '08': unavailable,
  '25006': {
    type: StoreUnavailableError,
    message: 'accepts no writes: the server is a standby or was set to read only',
  },
  '25P03': unavailable,
  '28': permission,
  '3D000': { type: StoreUnavailableError, message: 'cannot be reached: there is no such database' },
  '3F000': { type: StoreCorruptError, message: 'is gone: its schema does not exist any more' },
  '40': busy,
  '42501': permission,
  '42P01': { type: StoreCorruptError, message: 'has lost a table. Restore it from a copy' },
  '53100': { type: StoreFullError, message: 'has no room left. Free some space; nothing was written' },
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

/** The connection is no more; what was asked on it last may or may not have happened. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  if (error instanceof DatabaseError) return serverGone.test(code);
  // Node reports a name with several addresses as one error for all attempts.
  if (error instanceof AggregateError) return error.errors.every(isLostConnection);
  return networkCodes.test(code) || clientMessages.test(error.message);
}

/** The server itself said no, and went on: whatever was asked did not happen. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR';
}

function codeOf(error: Error): string | undefined {
  const code: unknown = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}
