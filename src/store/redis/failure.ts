// Turns errors of Redis, the client and the network into store errors, without passwords in them.
import { StatekError } from '../../base/error.ts';
import {
  StoreBusyError,
  StoreForeignError,
  StoreFullError,
  StorePermissionError,
  StoreRolledBackError,
  StoreUnavailableError,
} from '../errors.ts';
import { isClientError, isErrorReply } from './client.ts';

type ErrorClass = new (message: string, details: Readonly<Record<string, unknown>>, cause: unknown) => StatekError;

interface Meaning {
  readonly type: ErrorClass;
  readonly message: string;
}

const permission: Meaning = {
  type: StorePermissionError,
  message: 'denied access. Check the user, its password and its ACL rules',
};
const unavailable: Meaning = { type: StoreUnavailableError, message: 'cannot be used at the moment' };
const notPrimary: Meaning = {
  type: StoreUnavailableError,
  message: 'accepts no writes: the server is a replica. Connect to the primary',
};
const otherNode: Meaning = {
  type: StoreUnavailableError,
  message: 'is on another node of the cluster. Connect to the primary that serves the slot of the key prefix',
};

const noDatabase: Meaning = {
  type: StoreUnavailableError,
  message: 'has no database of this number. Choose another one, or raise the setting databases of the server',
};

/** By the first word of the error reply. */
const meanings: Readonly<Record<string, Meaning>> = {
  OOM: {
    type: StoreFullError,
    message: 'is out of memory (maxmemory). Nothing was written; prune the store, delete data or raise the limit',
  },
  NOAUTH: permission,
  WRONGPASS: permission,
  NOPERM: permission,
  LOADING: unavailable,
  MASTERDOWN: unavailable,
  NOREPLICAS: unavailable,
  CLUSTERDOWN: unavailable,
  TRYAGAIN: unavailable,
  READONLY: notPrimary,
  MOVED: otherNode,
  ASK: otherNode,
  BUSY: { type: StoreBusyError, message: 'is busy with a script. Nothing was written; try again' },
  WRONGTYPE: {
    type: StoreForeignError,
    message: 'has keys of another program under its prefix. Choose another keyPrefix',
  },
  STATEK_LOST: {
    type: StoreRolledBackError,
    message:
      'lost commits that this process has seen: a server without them took over, or its data was deleted. Restart the process to continue with what is left',
  },
};

export function storeFailure(error: unknown, place: string): unknown {
  if (error instanceof StatekError || !(error instanceof Error)) return error;
  if (!isErrorReply(error)) {
    if (!isLostConnection(error)) return error;
    const code = codeOf(error);
    const why = error.message === '' ? (code ?? 'no connection') : error.message;
    return new StoreUnavailableError(`${place} cannot be reached: ${why}.`, { place, code }, error);
  }
  const word = wordOf(error);
  const meaning =
    word === 'MISCONF'
      ? misconfigured(error)
      : /DB index is out of range/.test(error.message)
        ? noDatabase
        : meanings[word];
  if (meaning === undefined) return error;
  return new meaning.type(`${place} ${meaning.message}. Redis: ${error.message}`, { place, code: word }, error);
}

// The server could not write its files, and refuses to go on as if it had.
function misconfigured({ message }: Error): Meaning {
  return /no space left/i.test(message)
    ? { type: StoreFullError, message: 'cannot write its files, because the disk is full. Nothing was written' }
    : { type: StoreUnavailableError, message: 'cannot write its files. Nothing was written' };
}

const networkCodes =
  /^(E[A-Z]+|ERR_(SSL|TLS|STREAM|SOCKET)_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_.*)$/;

/** The connection was lost or given up; its last command may or may not have run. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error) || isErrorReply(error)) return false;
  // Node reports a name with several addresses as one error for all attempts.
  if (error instanceof AggregateError) return error.errors.every(isLostConnection);
  return error instanceof CommandTimeoutError || isClientError(error) || networkCodes.test(codeOf(error) ?? '');
}

/** The server has not answered in time; the connection was given up. */
export class CommandTimeoutError extends Error {}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && isErrorReply(error) && wordOf(error) === 'NOSCRIPT';
}

/** The connection works, but leads to a server that cannot be used: a replica, another node, one that is loading. */
export function isUnusableServer(error: unknown): boolean {
  const reply = isErrorReply(error) ? error : (error as { cause?: unknown } | undefined)?.cause;
  if (!(reply instanceof Error) || !isErrorReply(reply)) return false;
  return ['READONLY', 'MOVED', 'ASK', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOAUTH'].includes(wordOf(reply));
}

/** The server answered, with an error. */
export function isAnswered(error: unknown): boolean {
  return isErrorReply(error) || isErrorReply((error as { cause?: unknown } | undefined)?.cause);
}

function wordOf({ message }: Error): string {
  return /^[A-Z_]+/.exec(message)?.[0] ?? '';
}

function codeOf(error: Error): string | undefined {
  const code: unknown = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}
